"""Cuts a connection without an answer, as a broken network does; Flask and waitress would rather answer 500."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flask import Response, request
from waitress.channel import ClientDisconnected

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from flask import Flask

_FLAG = "junbi.cut"


def cut() -> Response:
    """What a view returns so that its caller gets nothing but a closed connection."""
    request.environ[_FLAG] = True
    return Response(status=500)


def allow_cuts(app: Flask) -> None:
    """Let the views of this application return ``cut()``."""
    inner: Callable[..., Iterable[bytes]] = app.wsgi_app

    def outer(environ: dict[str, object], start_response: Callable[..., object]) -> Iterable[bytes]:
        held: list[tuple[object, ...]] = []
        body = inner(environ, lambda *head: held.append(head))
        if environ.get(_FLAG):
            raise ClientDisconnected  # waitress closes the socket on it and writes nothing
        start_response(*held[0])
        return body

    app.wsgi_app = outer  # type: ignore[method-assign]  # the seam that Flask documents for middleware
