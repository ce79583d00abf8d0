"""Connections to one instance, kept open between calls as Function Compute keeps them."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass
from http.client import HTTPConnection, IncompleteRead
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from junbi.emulator.fc.headers import Headers

#: Below the 900 s after which the runtime closes an idle connection: a stale one is never used.
_IDLE_SECONDS = 300.0
_CHUNK = 1 << 16


@dataclass(frozen=True, slots=True)
class Reply:
    """What an instance answered."""

    status: int
    headers: Headers
    body: bytes

    def header(self, name: str) -> str:
        """A header's first value, or nothing; ``name`` in lower case."""
        return next((value for key, value in self.headers if key.lower() == name), "")


class Connections:
    """Safe to use from many threads; each call has a connection to itself."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._lock = threading.Lock()
        self._idle: list[tuple[float, HTTPConnection]] = []

    def exchange(self, method: str, target: str, headers: Headers, *, body: bytes, seconds: float) -> Reply:
        """One request and its whole answer.

        Raises:
            TimeoutError: it was not there after so many seconds.
            OSError, http.client.HTTPException: the connection broke.
        """
        deadline = time.monotonic() + seconds
        connection = self._take()
        try:
            connection.timeout = _left(deadline)
            if connection.sock is None:
                connection.connect()
            connection.sock.settimeout(_left(deadline))
            _send(connection, method, target, headers, body)
            reply = _receive(connection, deadline)
        except BaseException:
            connection.close()
            raise
        if connection.sock is not None:
            with self._lock:
                self._idle.append((time.monotonic(), connection))
        return reply

    def close(self) -> None:
        """Close those that nobody uses."""
        with self._lock:
            idle, self._idle = self._idle, []
        for _, connection in idle:
            connection.close()

    def _take(self) -> HTTPConnection:
        with self._lock:
            while self._idle:
                since, connection = self._idle.pop()
                if time.monotonic() - since < _IDLE_SECONDS:
                    return connection
                connection.close()
        return HTTPConnection("127.0.0.1", self._port)


def _send(connection: HTTPConnection, method: str, target: str, headers: Headers, body: bytes) -> None:
    own_host = any(name.lower() == "host" for name, _ in headers)
    connection.putrequest(method, target, skip_host=own_host, skip_accept_encoding=True)
    for name, value in headers:
        connection.putheader(name, value)
    connection.putheader("Content-Length", str(len(body)))
    connection.endheaders(body)


def _receive(connection: HTTPConnection, deadline: float) -> Reply:
    response = connection.getresponse()
    chunks = []
    # A part at a time, each with what is left: a function that trickles its answer must not outlive its timeout.
    while chunk := response.read1(_CHUNK):
        chunks.append(chunk)
        if connection.sock is not None:
            connection.sock.settimeout(_left(deadline))
    if response.length:
        raise IncompleteRead(b"".join(chunks), response.length)
    response.close()  # `read1` does not, and the connection would count as busy for ever
    return Reply(response.status, response.getheaders(), b"".join(chunks))


def _left(deadline: float) -> float:
    left = deadline - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return left
