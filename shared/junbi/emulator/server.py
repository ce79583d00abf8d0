"""Serves one WSGI application on a loopback port, in a thread of this process."""

from __future__ import annotations

import threading
from contextlib import suppress
from typing import TYPE_CHECKING

from waitress.server import create_server

if TYPE_CHECKING:
    from collections.abc import Callable


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
            max_request_body_size=5 << 30,
            expose_tracebacks=False,
        )
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
