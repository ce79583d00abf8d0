"""The port that the world calls functions through: FC's API, the HTTP triggers and the custom domain."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING
from urllib.parse import unquote

from flask import Flask, Response, request

from junbi.emulator.acs3 import Verifier, target_of
from junbi.emulator.api_error import ApiError
from junbi.emulator.fc import headers as fc_headers
from junbi.emulator.fc.errors import FunctionNotStarted
from junbi.emulator.fc.invoke import HTTP_INVOKE, INVOKE, UNHANDLED, Call

if TYPE_CHECKING:
    from junbi.emulator.clock import Clock
    from junbi.emulator.fc.service import FunctionCompute
    from junbi.emulator.fc.spec import HttpTrigger
    from junbi.emulator.keys import Keys
    from junbi.emulator.records import Records

#: Source: the official SDK (alibabacloud_fc20230330).
API_VERSION, API_ACTION = "2023-03-30", "InvokeFunction"
_API = re.compile(rf"/{API_VERSION}/functions/([^/]+)/invocations")
#: Bytes. Source: Function Compute 3.0 documentation of limits.
SYNC_BODY, ASYNC_BODY = 32 << 20, 128 << 10
TARGET, REQUEST_HEADERS, RESPONSE_HEADERS = 4 << 10, 8 << 10, 8 << 10


def make_gateway(service: FunctionCompute, keys: Keys, clock: Clock, records: Records) -> Flask:
    """The application. It has no routes: paths belong to the functions and must reach them as they were sent."""
    app = Flask(__name__, static_folder=None)
    verifier = Verifier(keys, clock, records)
    app.before_request(lambda: _answer(service, verifier))
    return app


def _answer(service: FunctionCompute, verifier: Verifier) -> Response:
    request_id = fc_headers.request_id()
    try:
        path, query = target_of(request.environ)
        api = _API.fullmatch(path)
        if api:
            answer = _api(service, verifier, unquote(api[1]), request_id)
        else:
            answer = _http(service, path, query, request_id)
    except ApiError as error:
        body = {"RequestId": request_id, "Code": error.code, "Message": error.message}
        answer = Response(json.dumps(body), error.status, mimetype="application/json")
        if error.code in {"FunctionNotStarted", UNHANDLED}:
            answer.headers["X-Fc-Error-Type"] = error.code
    answer.headers["X-Fc-Request-Id"] = request_id
    return answer


def _api(service: FunctionCompute, verifier: Verifier, name: str, request_id: str) -> Response:
    """InvokeFunction, signed. Codes of the refusals are assumed where FC's pages name none."""
    body = request.get_data(cache=False)
    verifier.check(request.environ, body)
    version, action = request.headers.get("x-acs-version"), request.headers.get("x-acs-action")
    if request.method != "POST" or version != API_VERSION or action != API_ACTION:
        asked = f"{request.method} with version {version} and action {action}"
        raise ApiError("InvalidArgument", f"expected POST with {API_VERSION} and {API_ACTION}, got {asked}", 400)
    if request.headers.get("x-fc-invocation-type", "Sync").lower() == "async":
        if len(body) > ASYNC_BODY:
            raise ApiError("InvalidArgument", f"an asynchronous body may have {ASYNC_BODY} bytes, got {len(body)}", 400)
        service.enqueue(name, body, request_id)
        return Response(status=202)
    _check_size(body)
    outcome = service.call(name, Call(INVOKE, request_id, body=body))
    # At the API a function error is an HTTP success that a header tells apart. Source: documentation.
    answer = Response(outcome.reply.body, 200, mimetype="application/octet-stream")
    if outcome.error_type:
        answer.headers["X-Fc-Error-Type"] = outcome.error_type
    return answer


def _http(service: FunctionCompute, path: str, query: str, request_id: str) -> Response:
    """A request of an HTTP trigger's client, or of the custom domain's."""
    functions = service.functions()
    _, first, *rest = path.split("/", 2)
    name = unquote(first)
    trigger = functions[name].http if name in functions else None
    if trigger:
        path = "/" + (rest[0] if rest else "")
    else:
        name = service.domain_function
        trigger = functions[name].http if name in functions else None
    if trigger is None:
        raise ApiError("FunctionNotFound", f"no function answers {path}", 404)
    _check_http(trigger, path, query)
    body = request.get_data(cache=False)
    _check_size(body)
    target = f"{path}?{query}" if query else path
    headers = tuple(fc_headers.from_client(request.headers.items()))
    # A stranger is not told a process's last words; they are in its log.
    try:
        outcome = service.call(name, Call(HTTP_INVOKE, request_id, request.method, target, headers, body))
    except FunctionNotStarted as error:
        raise ApiError(error.code, f"{name} did not start; its log tells why", error.status) from error
    if outcome.error_type == UNHANDLED:
        raise ApiError(UNHANDLED, f"{name} gave no answer; its log tells why", 502)
    reply = outcome.reply
    if fc_headers.size(reply.headers) > RESPONSE_HEADERS:
        raise ApiError("BadResponse", f"the function's headers are above {RESPONSE_HEADERS} bytes", 502)
    answer = Response(reply.body, reply.status)
    answer.headers.clear()
    answer.headers.extend(fc_headers.to_client(reply.headers))
    return answer


def _check_http(trigger: HttpTrigger, path: str, query: str) -> None:
    if request.method not in trigger.methods:
        allowed = ", ".join(trigger.methods)
        raise ApiError("MethodNotAllowed", f"the trigger lets {allowed} through, not {request.method}", 405)
    if len(path) + len(query) > TARGET:
        raise ApiError("InvalidArgument", f"path and query are above {TARGET} bytes", 400)
    if fc_headers.size(request.headers.items()) > REQUEST_HEADERS:
        raise ApiError("InvalidArgument", f"the request's headers are above {REQUEST_HEADERS} bytes", 400)


def _check_size(body: bytes) -> None:
    if len(body) > SYNC_BODY:
        raise ApiError("RequestEntityTooLarge", f"a body may have {SYNC_BODY} bytes, got {len(body)}", 413)
