"""The one place that sends HTTP requests: signed, once, within a deadline.

Proxies named in the environment are ignored and redirects are not followed: a signed request goes where it was
meant to go or nowhere.
"""

from __future__ import annotations

import atexit
import threading
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl

import httpcore
import httpx

from junbi.clients.answer import Answer
from junbi.clients.outcome import Phase
from junbi.clients.signing import sign
from junbi.clients.sockets import IDLE_LIMIT, Backend, deadline

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from junbi.clients.credentials import Credentials
    from junbi.clients.signing import Stamp

#: Bytes of a body that are read at most; the largest answers (pages of 100 jobs) stay far below.
BODY_LIMIT = 32 << 20

#: Connections kept open for the next call.
_KEPT = 8

_UNOPENED = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout, httpx.LocalProtocolError)

_lock = threading.Lock()
_clients: list[httpx.Client] = []


class Acs3(httpx.Auth):
    """Signs a request just before it is sent, exactly once: it never answers a challenge with another one."""

    requires_request_body = True

    def __init__(self, credentials: Credentials, stamp: Stamp) -> None:
        self._credentials, self._stamp = credentials, stamp

    def auth_flow(self, request: httpx.Request) -> Iterator[httpx.Request]:  # type: ignore[override]
        """Add the signature's headers; what is signed is read back from the request as it will travel."""
        path, _, query = request.url.raw_path.decode("ascii").partition("?")
        headers = {name.lower(): value for name, value in request.headers.items()}
        pairs = parse_qsl(query, keep_blank_values=True)
        request.headers.update(
            sign(
                request.method,
                path,
                pairs,
                headers=headers,
                body=request.content,
                credentials=self._credentials,
                stamp=self._stamp,
            )
        )
        yield request


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
    client = _client()
    try:
        with (
            deadline(seconds),
            client.stream(
                method, url, headers=dict(headers), content=body or None, auth=Acs3(credentials, stamp)
            ) as response,
        ):
            return _read(response)
    except _UNOPENED as error:
        return Answer(Phase.UNOPENED, code="unreachable", trouble=f"nothing was sent to {_host(url)}: {error}")
    except httpx.TimeoutException:
        trouble = f"no whole answer from {_host(url)} within {seconds:g} s; the request may have been carried out"
        return Answer(Phase.SENT, code="timeout", trouble=trouble)
    except httpx.HTTPError as error:
        trouble = f"the connection to {_host(url)} broke ({error}); the request may have been carried out"
        return Answer(Phase.SENT, code="connection_lost", trouble=trouble)


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


def _client() -> httpx.Client:
    """This process's client; its TLS context costs tens of milliseconds, so it is built at the first request."""
    with _lock:
        if not _clients:
            client = httpx.Client(transport=_Transport(), trust_env=False, timeout=None)  # noqa: S113 - see sockets
            atexit.register(client.close)
            _clients.append(client)
        return _clients[0]


class _Transport(httpx.HTTPTransport):
    """httpx's own, on connections that keep the deadline; it never sends a request twice."""

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
