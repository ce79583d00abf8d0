"""Connections that end with their caller's deadline, whatever the other side does.

httpx bounds each single read and write, so that a server which sends a byte now and then is never late. Here every
step gets what is left of the whole, name resolution included.
"""

from __future__ import annotations

import math
import select
import socket
import threading
import time
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any

import httpcore

if TYPE_CHECKING:
    import ssl
    from collections.abc import Iterable, Iterator

#: Seconds after which an unused connection is not trusted any more; load balancers drop idle ones silently.
IDLE_LIMIT = 20.0

#: Bytes that are held back until there is more to send or something to read.
_PIECE = 64 << 10

_END: ContextVar[float] = ContextVar("end of the call, on the monotonic clock", default=math.inf)

_AddressInfo = tuple[Any, Any, int, str, Any]


@contextmanager
def deadline(seconds: float) -> Iterator[None]:
    """Everything that this thread does on these connections inside ends within ``seconds``."""
    token = _END.set(time.monotonic() + seconds)
    try:
        yield
    finally:
        _END.reset(token)


class Backend(httpcore.NetworkBackend):
    """Opens the connections of a pool."""

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ARG002 - the interface's; the deadline rules
        local_address: str | None = None,  # noqa: ARG002
        socket_options: Iterable[Any] | None = None,  # noqa: ARG002
    ) -> Stream:
        """Connect to the first address that answers."""
        trouble: httpcore.NetworkError = httpcore.ConnectError(f"{host} has no address")
        for family, kind, protocol, _, address in _resolve(host, port):
            sock = socket.socket(family, kind, protocol)
            try:
                with _as(httpcore.ConnectTimeout, httpcore.ConnectError):
                    sock.settimeout(_left(httpcore.ConnectTimeout))
                    sock.connect(address)
                    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            except httpcore.ConnectError as error:
                sock.close()
                trouble = error
            except BaseException:
                sock.close()
                raise
            else:
                return Stream(sock)
        raise trouble


class Stream(httpcore.NetworkStream):
    """One open connection."""

    def __init__(self, sock: socket.socket) -> None:
        self._sock = sock
        self._used = time.time()
        self._held = b""

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:  # noqa: ARG002
        """What comes next, empty at the end."""
        self._flush()
        with _as(httpcore.ReadTimeout, httpcore.ReadError):
            self._sock.settimeout(_left(httpcore.ReadTimeout))
            received = self._sock.recv(max_bytes)
        self._used = time.time()
        return received

    def write(self, buffer: bytes, timeout: float | None = None) -> None:  # noqa: ARG002
        """Send it, at the latest before the next read: a small request leaves in one piece, head and body."""
        self._held += buffer
        if len(self._held) >= _PIECE:
            self._flush()

    def _flush(self) -> None:
        rest, self._held = memoryview(self._held), b""
        with _as(httpcore.WriteTimeout, httpcore.WriteError):
            while rest:
                self._sock.settimeout(_left(httpcore.WriteTimeout))
                rest = rest[self._sock.send(rest) :]

    def close(self) -> None:
        """Hang up."""
        self._sock.close()

    def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,  # noqa: ARG002
    ) -> Stream:
        """The same connection, encrypted; the handshake as a whole ends in time."""
        try:
            with _as(httpcore.ConnectTimeout, httpcore.ConnectError):
                self._sock.settimeout(_left(httpcore.ConnectTimeout))
                return Stream(ssl_context.wrap_socket(self._sock, server_hostname=server_hostname))
        except BaseException:
            self.close()
            raise

    def get_extra_info(self, info: str) -> Any:
        """What the pool wants to know; ``is_readable`` on an idle connection means that it is over."""
        if info == "is_readable":
            return self._stale() or self._readable()
        return self._sock if info == "socket" else None

    def _stale(self) -> bool:
        # By the wall clock: a function instance may be frozen for hours between two requests, and the
        # monotonic clock need not have noticed.
        return abs(time.time() - self._used) > IDLE_LIMIT

    def _readable(self) -> bool:
        poll = select.poll()
        poll.register(self._sock, select.POLLIN)
        return bool(poll.poll(0))


def _left(passed: type[httpcore.TimeoutException]) -> float | None:
    left = _END.get() - time.monotonic()
    if left <= 0:
        raise passed("the deadline passed")
    return None if math.isinf(left) else left


@contextmanager
def _as(late: type[Exception], failed: type[Exception]) -> Iterator[None]:
    try:
        yield
    except TimeoutError as error:
        raise late("the deadline passed") from error
    except OSError as error:
        raise failed(str(error)) from error


def _resolve(host: str, port: int) -> list[_AddressInfo]:
    """The addresses of a host. Asked in a thread of its own, as the C library cannot be told to hurry."""
    with suppress(OSError, UnicodeError):  # an address needs no asking
        return socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_NUMERICHOST)
    answers: SimpleQueue[list[_AddressInfo] | OSError | UnicodeError] = SimpleQueue()

    def ask() -> None:
        try:
            answers.put(socket.getaddrinfo(host, port, type=socket.SOCK_STREAM))
        except (OSError, UnicodeError) as error:
            answers.put(error)

    threading.Thread(target=ask, name=f"resolve-{host}", daemon=True).start()
    try:
        answer = answers.get(timeout=_left(httpcore.ConnectTimeout))
    except Empty:
        raise httpcore.ConnectTimeout(f"{host} was not resolved in time") from None
    if isinstance(answer, list):
        return answer
    raise httpcore.ConnectError(f"{host}: {answer}") from answer
