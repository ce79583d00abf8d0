"""Makes a function of junbi an HTTP server as Function Compute expects it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flask import Flask, Response, g, request
from werkzeug.exceptions import HTTPException, RequestEntityTooLarge

from junbi import log
from junbi.errors import JunbiError, MalformedPayload
from junbi.events.parsed import Parsed
from junbi.runtime import contract

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from werkzeug.wrappers import Response as WSGIResponse

    from junbi.pipeline.invocation import Invocation

    Parse = Callable[[bytes], Parsed[Any]]
    Handle = Callable[[Parsed[Any], Invocation], Mapping[str, object]]
    Refuse = Callable[[bytes, MalformedPayload, Invocation], object]
    Routes = Callable[[Flask], object]
    Hook = Callable[[], object]

_log = log.logger("runtime")


class NotAnEventFunction(JunbiError):
    """This function answers HTTP requests only; an event reached it."""


def create_app(
    name: str,
    *,
    parse: Parse | None = None,
    handle: Handle | None = None,
    refuse: Refuse | None = None,
    routes: Routes | None = None,
    initialize: Hook | None = None,
    stop: Hook | None = None,
) -> Flask:
    """The application of one function.

    Args:
        name: the function's name, for its log.
        parse: makes events of a payload; without it the payload is ignored and ``handle`` gets no events.
            Raises MalformedPayload where the payload as a whole cannot be read.
        handle: does the work of one event call and returns what the caller is told. What it raises is a function
            error: FC tries again.
        refuse: keeps a payload that ``parse`` could not read, whole or in part; the call then counts as handled.
            Without it a payload that cannot be read at all is a function error, so that FC keeps it.
        routes: registers the Flask routes of an HTTP trigger; a view finds its Invocation in ``g.invocation``.
        initialize: called once in an instance, before its first request.
        stop: called before an instance ends.
    """
    app = Flask(name, static_folder=None, template_folder=None)
    app.config["MAX_CONTENT_LENGTH"] = contract.BODY_LIMIT
    calls: dict[str, Callable[[Invocation], Response]] = {
        contract.INVOKE: lambda call: _event(call, parse, handle or _no_events, refuse),
        contract.INITIALIZE: lambda call: _hook(call, initialize),
        contract.PRE_STOP: lambda call: _hook(call, stop),
    }

    # Before Flask looks at the path, and before the hooks and error handlers that the routes may bring.
    app.before_request(lambda: _enter(name, calls))
    app.teardown_request(_leave)
    app.register_error_handler(HTTPException, _http_error)
    app.register_error_handler(Exception, _view_failed)
    if routes:
        routes(app)
    return app


_MARKS = {contract.INITIALIZE: "FC Initialize", contract.PRE_STOP: "FC PreStop"}


def _enter(name: str, calls: Mapping[str, Callable[[Invocation], Response]]) -> Response | None:
    """Answer FC's own calls; let the requests of an HTTP trigger pass on to the routes."""
    control = request.headers.get(contract.CONTROL_PATH)
    if control is None:
        why = f"no {contract.CONTROL_PATH} header: this port is for Function Compute alone; call the function's trigger"
        return contract.refusal(400, "NotFunctionCompute", why)
    if control not in calls and control != contract.HTTP_INVOKE:
        return contract.refusal(400, "UnknownControlPath", f"{contract.CONTROL_PATH} {control!r} is unknown")
    call = g.invocation = contract.invocation(name, request.headers)
    g.scope = log.for_request(call.request_id)
    g.scope.__enter__()
    g.mark = _MARKS.get(control, "FC Invoke")
    log.line(f"{g.mark} Start RequestId: {call.request_id}")
    return calls[control](call) if control in calls else None


def _leave(_error: BaseException | None) -> None:
    if "scope" in g:
        log.line(f"{g.mark} End RequestId: {g.invocation.request_id}")
        g.scope.__exit__(None, None, None)


def _no_events(_parsed: Parsed[Any], call: Invocation) -> Mapping[str, object]:
    raise NotAnEventFunction(f"{call.function} answers HTTP requests only; check the trigger that called it")


def _event(call: Invocation, parse: Parse | None, handle: Handle, refuse: Refuse | None) -> Response:
    try:
        raw = request.get_data(cache=False)
        try:
            parsed = parse(raw) if parse else Parsed((), ())
        except MalformedPayload as error:
            if refuse is None:
                raise
            refuse(raw, error, call)
            _log.warning("payload refused and kept", type=type(error).__name__, message=str(error), size=len(raw))
            return contract.success({"refused": {"type": type(error).__name__, "message": str(error)}})
        if refuse and parsed.malformed:
            # Once, however many they are: keeping a payload takes a hash of it and a commit.
            refuse(raw, _together(parsed.malformed), call)
        return contract.success(handle(parsed, call))
    except RequestEntityTooLarge:
        return _too_large(call.request_id)
    except Exception as error:  # noqa: BLE001 - whatever it is, FC must hear of it: a silent 500 would count as success
        return _failed(error, call.request_id)


def _together(problems: tuple[MalformedPayload, ...]) -> MalformedPayload:
    """One problem that names the first and counts the others."""
    first, more = problems[0], len(problems) - 1
    return MalformedPayload(first.path, first.expected, f"{first.got}; and {more} more" if more else first.got)


def _hook(call: Invocation, hook: Hook | None) -> Response:
    try:
        if hook:
            hook()
    except Exception as error:  # noqa: BLE001 - as for events
        return _failed(error, call.request_id)
    return contract.success({})


def _failed(error: Exception, request_id: str, status: int = 404) -> Response:
    _log.error("function failed", type=type(error).__name__, exc_info=error)
    return contract.failure(error, request_id, status)


def _view_failed(error: Exception) -> Response:
    # The client of an HTTP trigger is a stranger, who is told no more than what to quote.
    _log.error("request failed", type=type(error).__name__, exc_info=error)
    request_id = g.invocation.request_id
    told = RuntimeError(f"the request failed; quote {request_id} to whoever runs this function")
    return contract.failure(told, request_id, 500)


def _http_error(error: HTTPException) -> WSGIResponse:
    if isinstance(error, RequestEntityTooLarge):
        return _too_large(g.invocation.request_id)
    if error.response is not None:
        return error.get_response(request.environ)
    kind = (error.name or "Error").replace(" ", "")
    answer = contract.refusal(error.code or 500, kind, error.description or "", g.invocation.request_id)
    answer.headers.extend((key, value) for key, value in error.get_headers() if key != "Content-Type")
    return answer


def _too_large(request_id: str) -> Response:
    limit = contract.BODY_LIMIT >> 20
    return contract.refusal(413, "BodyTooLarge", f"the body is above {limit} MB; nothing was kept of it", request_id)
