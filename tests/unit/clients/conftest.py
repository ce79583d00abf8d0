"""A real TCP server that does to each connection what a test says."""

from __future__ import annotations

import contextlib
import json
import socket
import ssl
import struct
import threading
import time
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    Act = Callable[[socket.socket], None]


class ScriptedServer:
    """Listens on loopback. The n-th request gets the n-th act, later ones the last; requests are kept as received."""

    def __init__(self, *acts: Act, tls: ssl.SSLContext | None = None) -> None:
        self.requests: list[bytes] = []
        self.connections = 0
        self._acts, self._tls = acts, tls
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._open: list[socket.socket] = []
        self.port = self._listener.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                connection, _ = self._listener.accept()
                self.connections += 1
                self._open.append(connection)
                threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        with contextlib.suppress(OSError):
            if self._tls:
                connection = self._tls.wrap_socket(connection, server_side=True)
                self._open.append(connection)
            while request := read_request(connection):
                self.requests.append(request)
                self._acts[min(len(self.requests), len(self._acts)) - 1](connection)

    def close(self) -> None:
        """Hang up on everybody."""
        self._listener.shutdown(socket.SHUT_RDWR)  # wakes the thread that accepts
        self._listener.close()
        for connection in self._open:
            connection.close()


def read_request(connection: socket.socket) -> bytes:
    """One whole request, empty where the other side hung up."""
    received = b""
    while b"\r\n\r\n" not in received:
        if not (chunk := connection.recv(65536)):
            return b""
        received += chunk
    head, _, body = received.partition(b"\r\n\r\n")
    lengths = [line.split(b":")[1] for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:")]
    missing = (int(lengths[0]) if lengths else 0) - len(body)
    while missing > 0:
        chunk = connection.recv(65536)
        received, missing = received + chunk, missing - len(chunk)
    return received


def reply(status: int, body: object = b"", **headers: str) -> Act:
    """Answer; anything but bytes is sent as JSON."""
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    lines = "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in headers.items())
    message = f"HTTP/1.1 {status} X\r\nContent-Length: {len(content)}\r\n{lines}\r\n".encode() + content
    return lambda connection: connection.sendall(message)


def drip(message: bytes, pause: float) -> Act:
    """Send a byte at a time, for ever if need be."""

    def act(connection: socket.socket) -> None:
        for byte in message:
            connection.sendall(bytes([byte]))
            time.sleep(pause)

    return act


def reset(connection: socket.socket) -> None:
    """Break the connection with a TCP reset."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.close()


def hang_up(connection: socket.socket) -> None:
    """Close without an answer."""
    connection.close()


def silence(_: socket.socket) -> None:
    """Never answer."""
    threading.Event().wait(30)


def half(connection: socket.socket) -> None:
    """Promise a body, send half of it and hang up."""
    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n" + b"{" * 50)
    connection.close()


class Acts:
    """The acts by name, as a test module cannot import from here."""

    reply = staticmethod(reply)
    drip = staticmethod(drip)
    reset = staticmethod(reset)
    hang_up = staticmethod(hang_up)
    silence = staticmethod(silence)
    half = staticmethod(half)


@pytest.fixture
def acts() -> type[Acts]:
    """What a server can do to a connection."""
    return Acts


@pytest.fixture
def serve() -> Iterator[Callable[..., ScriptedServer]]:
    """Starts servers that end with the test."""
    servers: list[ScriptedServer] = []

    def start(*script: Act, tls: ssl.SSLContext | None = None) -> ScriptedServer:
        servers.append(ScriptedServer(*script, tls=tls))
        return servers[-1]

    yield start
    for server in servers:
        server.close()


@pytest.fixture
def serve_tls(serve: Callable[..., ScriptedServer], tmp_path: Path) -> Callable[..., tuple[ScriptedServer, object]]:
    """Starts servers that speak TLS, and gives the context that trusts their certificate."""

    def start(*script: Act) -> tuple[ScriptedServer, ssl.SSLContext]:
        pem = tmp_path / "server.pem"
        pem.write_bytes(certificate())
        speaking = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        speaking.load_cert_chain(pem)
        return serve(*script, tls=speaking), ssl.create_default_context(cafile=str(pem))

    return start


def certificate() -> bytes:
    """A key and a certificate of 127.0.0.1 that nobody else signed, as PEM."""
    from cryptography import x509  # slow to load, needed by two tests
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "127.0.0.1")])
    now = datetime.now(UTC)
    signed = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - timedelta(hours=1))
        .not_valid_after(now + timedelta(hours=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))]), critical=False)
        .sign(key, hashes.SHA256())
    )
    plain = serialization.NoEncryption()
    private = key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, plain)
    return private + signed.public_bytes(serialization.Encoding.PEM)
