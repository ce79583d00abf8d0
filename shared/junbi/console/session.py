"""Who is looking: a cookie that holds the token, out of reach of scripts and of other sites."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flask import request

from junbi.pipeline import wiring

if TYPE_CHECKING:
    from flask import Response

COOKIE = "junbi_token"  #: it holds the token itself, so that taking a token back ends its sessions

#: Seconds a person stays signed in: a week.
LIFETIME = 7 * 24 * 3600

#: No issued token is longer; what is longer would not fit a cookie.
LONGEST_TOKEN = 1024


def owner() -> str | None:
    """Who is signed in; None for nobody."""
    return owner_of(request.cookies.get(COOKIE, ""))


def owner_of(token: str) -> str | None:
    """Who a token belongs to; None for one that was never issued. Found by digest, so no comparison leaks time."""
    if not 0 < len(token) <= LONGEST_TOKEN:
        return None
    return wiring.ledger().owner_of_token(token)


def begin(response: Response, token: str) -> Response:
    """Keep the token in the browser that gets this response."""
    response.set_cookie(COOKIE, token, max_age=LIFETIME, httponly=True, samesite="Strict", secure=_over_https())
    return response


def end(response: Response) -> Response:
    """Forget the token."""
    response.delete_cookie(COOKIE, httponly=True, samesite="Strict", secure=_over_https())
    return response


def from_our_own_page() -> bool:
    """Whether a POST comes from a page of ours: browsers always send its origin, and no other site can forge it."""
    return request.headers.get("Origin", "").partition("://")[2] == request.host


def from_another_site() -> bool:
    """Whether a link of another site led here: the browser then keeps our cookie back."""
    return request.headers.get("Sec-Fetch-Site") == "cross-site"


def _over_https() -> bool:
    # The gateway speaks TLS and tells us with this header. Who forges it only loses the own cookie.
    return request.is_secure or request.headers.get("X-Forwarded-Proto", "").lower() == "https"
