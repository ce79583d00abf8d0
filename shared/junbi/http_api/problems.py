"""Errors of the API as problem details (RFC 9457), each with one of the codes below."""

from __future__ import annotations

import json
from enum import StrEnum
from typing import TYPE_CHECKING

from flask import Response

if TYPE_CHECKING:
    from collections.abc import Mapping
    from http import HTTPStatus


class Code(StrEnum):
    """What went wrong with a request; a code never changes its meaning."""

    TOKEN_MISSING = "TokenMissing"  # noqa: S105 - a code, no password
    TOKEN_UNKNOWN = "TokenUnknown"  # noqa: S105 - the same
    NOT_FOUND = "NotFound"
    READ_ONLY = "ReadOnly"
    NOT_CLOSED_BY_CALL = "NotClosedByCall"
    PARAMETER_INVALID = "ParameterInvalid"
    LEDGER_UNAVAILABLE = "LedgerUnavailable"


class Problem(Exception):
    """A request that gets a problem for its answer.

    Attributes:
        status: the HTTP status.
        code: which problem it is, for programs.
        detail: what is wrong and what to do, for people.
        headers: what the answer carries besides.
    """

    def __init__(self, status: HTTPStatus, code: Code, detail: str, headers: Mapping[str, str] | None = None) -> None:
        self.status, self.code, self.detail, self.headers = status, code, detail, headers or {}
        super().__init__(detail)


def answer(problem: Problem) -> Response:
    """The problem as a response. Its ``type`` is ``about:blank``: ``code`` tells which problem it is."""
    body = {
        "type": "about:blank",
        "title": problem.status.phrase,
        "status": problem.status.value,
        "detail": problem.detail,
        "code": problem.code.value,
    }
    return Response(
        json.dumps(body, ensure_ascii=False),
        problem.status,
        dict(problem.headers),
        mimetype="application/problem+json",
    )
