"""The paths of the API; every answer is one of the views in ``pipeline``. It reads, and closes uploads."""

from __future__ import annotations

import json
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from flask import Blueprint, Response, g, request

from junbi import log
from junbi.errors import LedgerError
from junbi.http_api.problems import Code, Problem, answer
from junbi.pipeline import call, delivery_views, input_views, launch_views, line_views, quota_views, views, wiring

if TYPE_CHECKING:
    from collections.abc import Mapping

    from flask import Flask

_log = log.logger("http_api")

#: The largest number a row of the ledger can have (SQLite and PostgreSQL: 64 bits, signed).
_LARGEST_NUMBER = 2**63 - 1

_api = Blueprint("api", __name__, url_prefix="/v1")
_open = Blueprint("health", __name__)


def routes(app: Flask) -> None:
    """Put the API's paths under an application."""
    app.register_blueprint(_open)
    app.register_blueprint(_api)


@_open.get("/healthz")
def _healthz() -> Response:
    """Whether this process answers; says nothing about what the ledger holds, so it needs no token."""
    return _json({"status": "ok"})


@_api.get("/launches")
def _launches() -> Response:
    return _json(launch_views.launches(wiring.ledger()))


@_api.get("/launches/<launch_id>")
def _launch(launch_id: str) -> Response:
    found = launch_views.launch(wiring.ledger(), launch_id)
    if found is None:
        detail = f"There is no launch {launch_id}. GET /v1/launches lists the newest."
        raise Problem(HTTPStatus.NOT_FOUND, Code.NOT_FOUND, detail)
    return _json(found)


@_api.get("/datasets")
def _datasets() -> Response:
    return _json({"datasets": input_views.watched(wiring.ledger())})


@_api.get("/arrivals")
def _arrivals() -> Response:
    return _json(input_views.arrivals(wiring.ledger()))


@_api.post("/arrivals/<path:key>/close")
def _close(key: str) -> Response:
    ledger = wiring.ledger()
    try:
        arrival = call.close(ledger, key, g.owner)
    except call.NoSuchUpload as error:
        raise Problem(HTTPStatus.NOT_FOUND, Code.NOT_FOUND, str(error)) from None
    except call.NotClosedByCall as error:
        raise Problem(HTTPStatus.CONFLICT, Code.NOT_CLOSED_BY_CALL, str(error)) from None
    if ledger.worklist.may_poke(ledger.now()):
        wiring.poke(g.invocation)
    return _json(input_views.arrival(ledger, arrival.key) or {})


@_api.get("/revisions")
def _revisions() -> Response:
    return _json(input_views.revisions(wiring.ledger()))


@_api.get("/code")
def _code() -> Response:
    return _json({"code": line_views.code(wiring.ledger())})


@_api.get("/images")
def _images() -> Response:
    return _json({"images": line_views.images(wiring.ledger())})


@_api.get("/quotas")
def _quotas() -> Response:
    return _json(quota_views.quotas(wiring.ledger()))


@_api.get("/deliveries")
def _deliveries() -> Response:
    return _json(delivery_views.deliveries(wiring.ledger()))


@_api.get("/story")
def _story() -> Response:
    return _json(views.story(wiring.ledger(), _after()))


@_api.get("/quarantine")
def _quarantine() -> Response:
    return _json(views.quarantine(wiring.ledger()))


@_api.route("/<path:path>", methods=["GET", "POST", "PUT", "PATCH", "DELETE"])
def _anything_else(path: str) -> Response:
    if request.method not in {"GET", "HEAD"}:
        detail = (
            "All that may be sent is POST /v1/arrivals/<key>/close. For anything else change junbi.yaml and apply it."
        )
        raise Problem(HTTPStatus.METHOD_NOT_ALLOWED, Code.READ_ONLY, detail, {"Allow": "GET, HEAD"})
    raise Problem(HTTPStatus.NOT_FOUND, Code.NOT_FOUND, f"The API has no path /v1/{path}.")


@_api.before_request
def _admit() -> None:
    """Let in who shows a token that was issued. The ledger finds it by its digest, so no comparison leaks time."""
    scheme, _, token = request.headers.get("Authorization", "").partition(" ")
    if scheme.lower() != "bearer" or not token.strip():
        detail = "Send the header 'Authorization: Bearer <token>'. 'junbi token create NAME' issues one."
        raise _unauthorized(Code.TOKEN_MISSING, detail, "Bearer")
    owner = wiring.ledger().owner_of_token(token.strip())
    if owner is None:
        detail = (
            "This token was never issued by this deployment, or was taken back. 'junbi token create NAME' issues one."
        )
        raise _unauthorized(Code.TOKEN_UNKNOWN, detail, 'Bearer error="invalid_token"')
    g.owner = owner


def _unauthorized(code: Code, detail: str, challenge: str) -> Problem:
    return Problem(HTTPStatus.UNAUTHORIZED, code, detail, {"WWW-Authenticate": challenge})


def _after() -> int:
    text = request.args.get("after", "0")
    if text.isascii() and text.isdigit() and int(text) <= _LARGEST_NUMBER:
        return int(text)
    detail = "'after' must be the number of a story entry, such as the 'next' of the answer before; 0 begins."
    raise Problem(HTTPStatus.BAD_REQUEST, Code.PARAMETER_INVALID, detail)


@_api.errorhandler(Problem)
def _problem(problem: Problem) -> Response:
    return answer(problem)


@_api.errorhandler(LedgerError)
def _ledger_failed(error: LedgerError) -> Response:
    _log.error("request failed", type=type(error).__name__, message=str(error))
    detail = f"The ledger could not be read; nothing was changed. Try again; request {g.invocation.request_id}."
    return answer(Problem(HTTPStatus.SERVICE_UNAVAILABLE, Code.LEDGER_UNAVAILABLE, detail, {"Retry-After": "5"}))


@_api.after_request
@_open.after_request
def _guard(response: Response) -> Response:
    """No cache keeps an answer, and no browser takes one for a page."""
    response.headers["Cache-Control"] = "no-store"
    response.headers["X-Content-Type-Options"] = "nosniff"
    response.headers["Content-Security-Policy"] = "default-src 'none'; frame-ancestors 'none'"
    return response


def _json(body: Mapping[str, Any]) -> Response:
    return Response(json.dumps(body, ensure_ascii=False), mimetype="application/json")
