"""The gateway of the emulated PAI: one port for its products, told apart as the real gateway does.

Paths collide between products, so a request is dispatched on ``x-acs-version`` and ``x-acs-action``; method and
path must then agree. Errors are written as Alibaba Cloud's gateway writes them.
"""

from __future__ import annotations

import json
import time
import uuid
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from flask import Flask, Response, request

from junbi.emulator.acs3 import Verifier, target_of
from junbi.emulator.api_error import ApiError
from junbi.emulator.cut import allow_cuts, cut
from junbi.emulator.dlc import routes as dlc_routes
from junbi.emulator.quota import routes as quota_routes
from junbi.emulator.quota.studio import Studio
from junbi.emulator.route import Call, Route
from junbi.emulator.workspace import code_sources, images
from junbi.emulator.workspace import routes as workspace_routes
from junbi.emulator.workspace.account import user_id
from junbi.wire.error import ErrorBody
from junbi.wire.operations import CREATE_JOB

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from junbi.emulator.clock import Clock
    from junbi.emulator.dlc.state import DlcState
    from junbi.emulator.faults import Fault, Faults
    from junbi.emulator.keys import AccessKey, Keys
    from junbi.emulator.records import Records
    from junbi.emulator.workspace.state import WorkspaceState
    from junbi.wire.model import WireModel

#: Every operation answered here, with what it rests on: ``docs/emulator.md`` is generated from it.
ROUTES: tuple[Route[Any], ...] = (
    *workspace_routes.ROUTES,
    *code_sources.ROUTES,
    *images.ROUTES,
    *dlc_routes.ROUTES,
    *quota_routes.ROUTES,
)

#: Bytes of a CreateJob body. Source: documentation for the limit; code and status of the refusal are assumed.
MAX_JOB_BYTES = 65_536


@dataclass
class Cut(Exception):
    """The caller gets no answer: an ordered fault."""

    after_seconds: float = 0.0


@dataclass(frozen=True)
class Gateway:
    """Verifies, dispatches and answers requests."""

    verifier: Verifier
    faults: Faults
    clock: Clock
    states: Mapping[str, tuple[str, Any]]
    routes: Mapping[tuple[str, str], Route[Any]] = field(
        default_factory=lambda: {(route.operation.version, route.operation.name): route for route in ROUTES}
    )

    def answer(self, body: bytes) -> WireModel:
        """Carry the present request out; ApiError or Cut where it is not answered well."""
        key = self.verifier.check(request.environ, body)
        route, segments = self._route()
        service, state = self.states[route.operation.version]
        point = f"{service}.{route.operation.name}"
        if route.operation is CREATE_JOB and len(body) > MAX_JOB_BYTES:
            raise ApiError("RequestTooLarge", f"The body has {len(body)} bytes; {MAX_JOB_BYTES} are allowed.", 413)
        call = self._call(key, segments, body)
        self._strike(self.faults.take(point, "before"))
        answer = route.answer(state, call)
        self._strike(self.faults.take(point, "after"))
        return answer

    def _route(self) -> tuple[Route[Any], dict[str, str]]:
        version, action = request.headers.get("x-acs-version", ""), request.headers.get("x-acs-action", "")
        if version not in self.states:
            raise ApiError("InvalidVersion", f"Specified parameter Version {version!r} is not valid.", 404)
        route = self.routes.get((version, action))
        path, _ = target_of(request.environ)
        segments = route.operation.match(path) if route else None
        if route is None or segments is None or request.method != route.operation.method:
            message = f"Specified api is not found, please check your url and method: {action} {request.method} {path}"
            raise ApiError("InvalidAction.NotFound", message, 404)
        return route, segments

    def _call(self, key: AccessKey, segments: dict[str, str], body: bytes) -> Call:
        return Call(
            segments=segments,
            query=request.args.to_dict(),
            body=_json_object(body),
            key=key,
            user_id=user_id(key),
            now=self.clock.now(),
        )

    @staticmethod
    def _strike(fault: Fault | None) -> None:
        if fault is None:
            return
        if fault.effect == "error":
            raise ApiError(fault.code, fault.message, fault.status, fault.seconds)
        if fault.effect == "delay":
            time.sleep(fault.seconds)
        elif fault.effect in {"hang", "close"}:
            raise Cut(fault.seconds if fault.effect == "hang" else 0.0)
        else:
            raise ApiError("InternalError", f"A fault was ordered that no call can have: {fault.effect}.", 500)


def create_app(
    *,
    records: Records,
    keys: Keys,
    clock: Clock,
    faults: Faults,
    workspace: WorkspaceState,
    dlc: DlcState,
) -> Flask:
    """The WSGI application; it starts no thread (jobs move on by ``dlc.scheduler``)."""
    app = Flask(__name__)
    studio = Studio(dlc.quotas, dlc, workspace.workspaces.name)
    states = {
        workspace_routes.ROUTES[0].operation.version: (workspace_routes.SERVICE, workspace),
        dlc_routes.ROUTES[0].operation.version: (dlc_routes.SERVICE, dlc),
        quota_routes.ROUTES[0].operation.version: (quota_routes.SERVICE, studio),
    }
    gateway = Gateway(Verifier(keys, clock, records), faults, clock, states)
    allow_cuts(app)

    def serve(path: str = "") -> Response:  # noqa: ARG001 - the path as sent decides, not Flask's decoded one
        return _respond(gateway.answer)

    methods = ["GET", "POST", "PUT", "DELETE", "PATCH"]
    app.add_url_rule("/", "root", serve, methods=methods)
    app.add_url_rule("/<path:path>", "any", serve, methods=methods)
    return app


def _respond(answer: Callable[[bytes], WireModel]) -> Response:
    request_id = str(uuid.uuid4()).upper()
    headers = {"x-acs-request-id": request_id}
    try:
        document, status = {**answer(request.get_data()).to_wire(), "RequestId": request_id}, 200
    except ApiError as error:
        body = ErrorBody(code=error.code, message=error.message, host_id=request.host, request_id=request_id)
        document, status = body.to_wire(), error.status
        if error.retry_after > 0:  # in milliseconds. Source: tea_openapi 0.4.6
            headers["x-acs-retry-after"] = str(round(error.retry_after * 1000))
    except Cut as ordered:
        time.sleep(ordered.after_seconds)
        return cut()
    text = json.dumps(document, ensure_ascii=False, separators=(",", ":"))
    return Response(text, status, headers, content_type="application/json;charset=utf-8")


def _json_object(body: bytes) -> dict[str, Any]:
    if not body:
        return {}
    try:
        parsed = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise ApiError("InvalidParameter", "The body is not JSON, or nested too deeply.", 400) from error
    if not isinstance(parsed, dict):
        raise ApiError("InvalidParameter", "The body is not a JSON object.", 400)
    return parsed
