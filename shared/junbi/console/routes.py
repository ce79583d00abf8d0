"""The paths of the console: the page, signing in and out, and its two files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flask import Blueprint, Response, g, request

from junbi import log
from junbi.console import assets, page, session
from junbi.errors import LedgerError
from junbi.pipeline import wiring

if TYPE_CHECKING:
    from flask import Flask

_log = log.logger("console")

#: Nothing but our own files, no script in the page, no frame around it, no form to elsewhere. ``same-origin`` and
#: not ``no-referrer``: under the latter browsers send no origin with our own forms either.
HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self'; "
        "form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
    ),
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}

WRONG_TOKEN = "This token was never issued by this deployment, or was taken back."  # noqa: S105 - a sentence

_console = Blueprint("console", __name__)


def routes(app: Flask) -> None:
    """Put the console's paths under an application."""
    app.register_blueprint(_console)


@_console.get("/")
def _home() -> Response:
    if "token" in request.args:
        return _sign_in(request.args["token"])
    if session.owner() is None:
        # A link elsewhere led here, and the browser kept the cookie back: come again as from our own page.
        return _html("enter.html") if session.from_another_site() else _see("/login")
    return Response(page.console(wiring.ledger()), mimetype="text/html")


@_console.get("/login")
def _login_page() -> Response:
    return _html("login.html", problem="")


@_console.post("/login")
def _login() -> Response:
    return _sign_in(request.form.get("token", "")) if session.from_our_own_page() else _foreign_form()


@_console.post("/logout")
def _logout() -> Response:
    return session.end(_see("/login")) if session.from_our_own_page() else _foreign_form()


@_console.get("/assets/<name>")
def _asset(name: str) -> Response:
    return assets.answer(name) or _nothing_here(name)


@_console.get("/<path:_path>")
def _nothing_here(_path: str) -> Response:
    message = "There is no such page. The console is one page."
    return _html("notice.html", 404, title="Nothing here", message=message)


def _sign_in(token: str) -> Response:
    """To the clean address, so that the token stays in no history and no bookmark."""
    token = token.strip()
    if session.owner_of(token) is None:
        return _html("login.html", 401, problem=WRONG_TOKEN if token else "Paste a token first.")
    return session.begin(_see("/"), token)


def _foreign_form() -> Response:
    message = "This form was not sent from the console's own page, so nothing was done. Open the console and try again."
    return _html("notice.html", 403, title="Not from here", message=message)


@_console.errorhandler(LedgerError)
def _ledger_failed(error: LedgerError) -> Response:
    _log.error("request failed", type=type(error).__name__, message=str(error))
    message = (
        "The ledger could not be read, so there is nothing to show; nothing was changed. Look into the log of the "
        f"function http_api for request {g.invocation.request_id or '(no id)'}, then reload."
    )
    return _html("notice.html", 503, title="The ledger does not answer", message=message)


@_console.after_request
def _guard(response: Response) -> Response:
    response.headers.setdefault("Cache-Control", "no-store")
    for name, value in HEADERS.items():
        response.headers[name] = value
    return response


def _see(path: str) -> Response:
    return Response(status=303, headers={"Location": path})


def _html(template: str, status: int = 200, **values: object) -> Response:
    return Response(page.render(template, **values), status, mimetype="text/html")
