"""How Function Compute speaks to a custom runtime: the headers it sends and the answers it understands.

Source: Function Compute 3.0 documentation of custom runtimes, unless marked otherwise.
"""

from __future__ import annotations

import json
import os
import time
from functools import cache
from typing import TYPE_CHECKING

from flask import Response

from junbi.clients.credentials import Credentials
from junbi.pipeline.invocation import Invocation

if TYPE_CHECKING:
    from collections.abc import Mapping
    from wsgiref.types import WSGIEnvironment

#: The only thing that tells FC's own calls from the requests of an HTTP trigger's clients, who may ask for any path.
CONTROL_PATH = "x-fc-control-path"
STATUS = "x-fc-status"
INVOKE, INITIALIZE, PRE_STOP, HTTP_INVOKE = "/invoke", "/initialize", "/pre-stop", "/http-invoke"

#: Bytes of a synchronous request's body; FC refuses more by itself.
BODY_LIMIT = 32 << 20
#: Seconds, where FC does not send the function's own timeout (assumed; FC's own default is 3).
DEFAULT_TIMEOUT = 60.0
LONGEST_TIMEOUT = 86400.0


def header(request: WSGIEnvironment, name: str) -> str:
    """A header of a request as WSGI hands it over; empty where it was not sent."""
    return str(request.get(_wsgi_name(name), ""))


@cache
def _wsgi_name(name: str) -> str:
    return f"HTTP_{name.upper().replace('-', '_')}"


def invocation(function: str, request: WSGIEnvironment, environment: Mapping[str, str] = os.environ) -> Invocation:
    """The call that a request's headers describe, its deadline counted from now."""
    return Invocation(
        function=function,
        request_id=header(request, "x-fc-request-id"),
        credentials=_credentials(request, environment),
        deadline=time.monotonic() + _timeout(header(request, "x-fc-function-timeout")),
        region=header(request, "x-fc-region") or environment.get("FC_REGION", ""),
    )


def success(result: Mapping[str, object]) -> Response:
    """The answer FC counts as a success."""
    return _answer(200, result, "200")


def failure(error: BaseException, request_id: str, status: int = 404) -> Response:
    """The answer FC counts as a function error and, for an asynchronous event, tries again.

    The caller learns what happened, never how: the traceback is for the log.
    """
    body = {"message": str(error) or type(error).__name__, "type": type(error).__name__, "requestId": request_id}
    return _answer(status, body, "404")


def refusal(status: int, kind: str, message: str, request_id: str = "") -> Response:
    """The answer to a request that is at fault itself: no function error, so FC does not try again."""
    return _answer(status, {"message": message, "type": kind, "requestId": request_id}, "200")


def _answer(status: int, body: Mapping[str, object], verdict: str) -> Response:
    return Response(json.dumps(body), status, {STATUS: verdict}, mimetype="application/json")


def _credentials(request: WSGIEnvironment, environment: Mapping[str, str]) -> Credentials | None:
    if key_id := header(request, "x-fc-access-key-id"):
        return Credentials(key_id, header(request, "x-fc-access-key-secret"), header(request, "x-fc-security-token"))
    # A function without a role, or one run by hand. Read for each request: FC renews these variables too.
    if own_id := environment.get("ALIBABA_CLOUD_ACCESS_KEY_ID"):
        return Credentials(
            own_id,
            environment.get("ALIBABA_CLOUD_ACCESS_KEY_SECRET", ""),
            environment.get("ALIBABA_CLOUD_SECURITY_TOKEN", ""),
        )
    return None


def _timeout(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        return DEFAULT_TIMEOUT
    return seconds if 0 < seconds <= LONGEST_TIMEOUT else DEFAULT_TIMEOUT
