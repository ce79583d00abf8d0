"""Makes a function of junbi an HTTP server as Function Compute expects it."""

from __future__ import annotations

from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any

from flask import Flask, Response, g, request
from werkzeug import Request
from werkzeug.exceptions import HTTPException, RequestEntityTooLarge

from junbi import log
from junbi.errors import JunbiError, MalformedPayload
from junbi.events.parsed import Parsed
from junbi.runtime import contract

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

    from werkzeug.wrappers import Response as WSGIResponse

    from junbi.pipeline.invocation import Invocation

    Parse = Callable[[bytes], Parsed[Any]]
    Handle = Callable[[Parsed[Any], Invocation], Mapping[str, object]]
    Refuse = Callable[[bytes, MalformedPayload, Invocation], object]
    Routes = Callable[[Flask], object]
    Hook = Callable[[], object]
    Call = Callable[[Invocation, Request], Response]

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
    calls: dict[str, Call] = {
        contract.INVOKE: lambda call, asked: _event(call, asked, parse, handle or _no_events, refuse),
        contract.INITIALIZE: lambda call, _: _hook(call, initialize),
        contract.PRE_STOP: lambda call, _: _hook(call, stop),
    }

    # Before Flask looks at the path, and before the hooks and error handlers that the routes may bring.
    app.before_request(lambda: _enter(name))
    app.teardown_request(_leave)
    app.register_error_handler(HTTPException, _http_error)
    app.register_error_handler(Exception, _view_failed)
    if routes:
        routes(app)
    app.wsgi_app = _FcCalls(app.wsgi_app, name, calls)  # type: ignore[method-assign]  # as Flask says to wrap it
    return app


_MARKS = {contract.INITIALIZE: "FC Initialize", contract.PRE_STOP: "FC PreStop"}


class _FcCalls:
    """Answers FC's own calls, and passes every other request on to Flask, whose contexts an event can do without."""

    def __init__(self, other: WSGIApplication, name: str, calls: Mapping[str, Call]) -> None:
        self._other, self._name, self._calls = other, name, calls

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        control = contract.header(environ, contract.CONTROL_PATH)
        if control not in self._calls:
            return self._other(environ, start_response)
        asked = Request(environ)
        asked.max_content_length = contract.BODY_LIMIT
        call = contract.invocation(self._name, environ)
        with log.for_request(call.request_id), _marked(_MARKS.get(control, "FC Invoke"), call.request_id):
            answer = self._calls[control](call, asked)
        start_response(answer.status, answer.headers.to_wsgi_list())
        return [answer.get_data()]


@contextmanager
def _marked(mark: str, request_id: str) -> Iterator[None]:
    log.line(f"{mark} Start RequestId: {request_id}")
    try:
        yield
    finally:
        log.line(f"{mark} End RequestId: {request_id}")


def _enter(name: str) -> Response | None:
    """Let the requests of an HTTP trigger pass on to the routes, and nothing else."""
    control = contract.header(request.environ, contract.CONTROL_PATH)
    if not control:
        why = f"no {contract.CONTROL_PATH} header: this port is for Function Compute alone; call the function's trigger"
        return contract.refusal(400, "NotFunctionCompute", why)
    if control != contract.HTTP_INVOKE:
        return contract.refusal(400, "UnknownControlPath", f"{contract.CONTROL_PATH} {control!r} is unknown")
    call = g.invocation = contract.invocation(name, request.environ)
    g.scopes = ExitStack()
    g.scopes.enter_context(log.for_request(call.request_id))
    g.scopes.enter_context(_marked("FC Invoke", call.request_id))
    return None


def _leave(_error: BaseException | None) -> None:
    if "scopes" in g:
        g.scopes.close()


def _no_events(_parsed: Parsed[Any], call: Invocation) -> Mapping[str, object]:
    raise NotAnEventFunction(f"{call.function} answers HTTP requests only; check the trigger that called it")


def _event(call: Invocation, asked: Request, parse: Parse | None, handle: Handle, refuse: Refuse | None) -> Response:
    try:
        raw = asked.get_data(cache=False)
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
