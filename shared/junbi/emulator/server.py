"""Serves one WSGI application on a loopback port, in a thread of this process."""

from __future__ import annotations

import re
import threading
from contextlib import suppress
from typing import TYPE_CHECKING

from waitress.channel import HTTPChannel
from waitress.parser import HTTPRequestParser, ParsingError
from waitress.server import create_server

if TYPE_CHECKING:
    from collections.abc import Callable


#: What a request may ask for: a path, or a whole address, as proxies do. The name of a host in brackets is an IPv6.
_TARGET = re.compile(rb"[A-Z]+ (?:/|https?://(?:[^][/?# ]+|\[[0-9A-F:.]+\](?::[0-9]*)?)[/?# ])", re.IGNORECASE)


class _Parser(HTTPRequestParser):  # type: ignore[misc]  # waitress has no types
    def parse_header(self, header_plus: bytes) -> None:
        # Waitress passes on what is no path, which applications stumble over, and drops the connection at some.
        line = header_plus.split(b"\r\n", 1)[0]
        if not _TARGET.match(line):
            raise ParsingError("The request's target is neither a path nor an address.")
        try:
            super().parse_header(header_plus)
        except ValueError as error:
            raise ParsingError("The request's target cannot be read.") from error


class _Channel(HTTPChannel):  # type: ignore[misc]
    parser_class = _Parser


class Server:
    """A running HTTP server.

    Args:
        app: the WSGI application.
        port: 0 for any free one; OSError where it is taken.
        threads: requests handled at once.
    """

    def __init__(self, app: Callable[..., object], port: int = 0, threads: int = 8) -> None:
        self._server = create_server(
            app,
            host="127.0.0.1",
            port=port,
            threads=threads,
            channel_timeout=900,
            connection_limit=1000,
            outbuf_high_watermark=1 << 20,  # a slow reader makes the writer wait, not the memory grow
            max_request_body_size=5 << 30,
            expose_tracebacks=False,
        )
        self._server.channel_class = _Channel
        self.port: int = self._server.effective_port
        self._thread = threading.Thread(target=self._server.run, name=f"http-{self.port}", daemon=True)
        self._thread.start()

    @property
    def url(self) -> str:
        """Where it listens: ``http://127.0.0.1:<port>``."""
        return f"http://127.0.0.1:{self.port}"

    def stop(self) -> None:
        """Close the listening socket and the connections; requests that are being handled get a second to end."""
        self._server.task_dispatcher.shutdown(timeout=1)
        with suppress(OSError):  # woken by something else, the loop may have closed everything before it is told to
            self._server.trigger.pull_trigger(self._close)
        self._thread.join()

    def _close(self) -> None:
        # Runs in the loop's thread: the sockets that it selects must not be closed under it.
        for channel in list(self._server.active_channels.values()):
            channel.handle_close()
        self._server.close()
