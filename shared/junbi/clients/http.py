"""The one place that sends HTTP requests: once, within a deadline, signed where the other side is Alibaba Cloud.

Proxies named in the environment are ignored and redirects are not followed: a request that carries a signature or a
credential goes where it was meant to go or nowhere.
"""

from __future__ import annotations

import atexit
import threading
from contextlib import closing
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl

import httpcore
import httpx

from junbi.clients.answer import Answer
from junbi.clients.outcome import Phase
from junbi.clients.signing import sign
from junbi.clients.sockets import IDLE_LIMIT, Backend, deadline

if TYPE_CHECKING:
    from collections.abc import Mapping

    from junbi.clients.credentials import Credentials
    from junbi.clients.signing import Stamp

#: Bytes of a body that are read at most; the largest answers (pages of 100 jobs) stay far below.
BODY_LIMIT = 32 << 20

#: Connections kept open for the next call.
_KEPT = 8

_UNOPENED = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout, httpx.LocalProtocolError)

_lock = threading.Lock()
_transports: list[httpx.HTTPTransport] = []


def exchange(
    method: str,
    url: str,
    *,
    headers: Mapping[str, str],
    body: bytes,
    credentials: Credentials,
    stamp: Stamp,
    seconds: float,
) -> Answer:
    """Send one request and read its answer, all within ``seconds``. Raises nothing that a server can cause."""
    request = httpx.Request(method, url, headers=headers, content=body or None)
    _sign(request, body, credentials, stamp)
    return _exchange(request, url, seconds)


def ask(method: str, url: str, *, headers: Mapping[str, str], seconds: float, body: bytes = b"") -> Answer:
    """Send one request as it is, unsigned, and read its answer, all within ``seconds``.

    Raises nothing that a server can cause; ValueError where the address is none.
    """
    try:
        request = httpx.Request(method, url, headers=headers, content=body or None)
    except httpx.InvalidURL as error:
        raise ValueError(str(error)) from None
    if request.url.scheme not in {"http", "https"} or not request.url.host:
        raise ValueError("neither http:// nor https://")
    return _exchange(request, url, seconds)


def _exchange(request: httpx.Request, url: str, seconds: float) -> Answer:
    try:
        with deadline(seconds), closing(_transport().handle_request(request)) as response:
            return _read(response)
    except _UNOPENED as error:
        return Answer(Phase.UNOPENED, code="unreachable", trouble=f"nothing was sent to {_host(url)}: {error}")
    except httpx.TimeoutException:
        trouble = f"no whole answer from {_host(url)} within {seconds:g} s; the request may have been carried out"
        return Answer(Phase.SENT, code="timeout", trouble=trouble)
    except httpx.HTTPError as error:
        trouble = f"the connection to {_host(url)} broke ({error}); the request may have been carried out"
        return Answer(Phase.SENT, code="connection_lost", trouble=trouble)


def _sign(request: httpx.Request, body: bytes, credentials: Credentials, stamp: Stamp) -> None:
    """Add the signature's headers; what is signed is read back from the request as it will travel."""
    path, _, query = request.url.raw_path.decode("ascii").partition("?")
    request.headers.update(
        sign(
            request.method,
            path,
            parse_qsl(query, keep_blank_values=True),
            headers=dict(request.headers),
            body=body,
            credentials=credentials,
            stamp=stamp,
        )
    )


def _read(response: httpx.Response) -> Answer:
    body = bytearray()
    for chunk in response.iter_bytes():
        body += chunk
        if len(body) > BODY_LIMIT:
            trouble = f"the answer is longer than {BODY_LIMIT} bytes"
            return Answer(Phase.UNREADABLE, response.status_code, code="unreadable_answer", trouble=trouble)
    return Answer(Phase.ANSWERED, response.status_code, dict(response.headers), bytes(body))


def _host(url: str) -> str:
    return httpx.URL(url).netloc.decode("ascii")


def _transport() -> httpx.HTTPTransport:
    """This process's connections; the TLS context costs tens of milliseconds, so it is built at the first request."""
    with _lock:
        if not _transports:
            _transports.append(_Transport())
            atexit.register(_transports[0].close)
        return _transports[0]


class _Transport(httpx.HTTPTransport):
    """httpx's own, on connections that keep the deadline.

    It is used without a client around it, which would only add what must not happen here (redirects, proxies,
    cookies, challenges answered) for nearly half of a call's CPU.
    """

    def __init__(self) -> None:
        super().__init__(trust_env=False)
        self._pool = httpcore.ConnectionPool(
            ssl_context=httpx.create_ssl_context(trust_env=False),
            max_connections=None,
            max_keepalive_connections=_KEPT,
            keepalive_expiry=IDLE_LIMIT,
            retries=0,
            network_backend=Backend(),
        )
