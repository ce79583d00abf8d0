"""What came back of an exchange with a cloud API, and the error that says it. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from html import unescape
from typing import TYPE_CHECKING

from pydantic import ValidationError

from junbi.clients.outcome import Phase, classify, retry_after
from junbi.wire.error import ErrorBody

if TYPE_CHECKING:
    from collections.abc import Mapping

    from junbi.clients.credentials import Credentials
    from junbi.errors import CallFailed

_XML = re.compile(r"<(Code|Message|RequestId)>(.*?)</\1>", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Answer:
    """One exchange, over.

    Attributes:
        phase: how far it came.
        status: the HTTP status; 0 where no whole answer came.
        headers: names in lower case.
        body: as received.
        code: the service's, where the body does not tell it; ours, in lower case, where no whole answer came:
            ``timeout``, ``unreachable``, ``connection_lost``, ``unreadable_answer``.
        trouble: what went wrong, where the body does not tell it.
    """

    phase: Phase
    status: int = 0
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""
    code: str = ""
    trouble: str = ""


def failure(operation: str, answer: Answer, credentials: Credentials) -> CallFailed | None:
    """What to raise for an answer, None for a clear yes; no part of the credentials is ever in its text."""
    if classify(answer.phase, answer.status) is None:
        return None
    said = _error_body(answer)
    code = answer.code or said.code
    kind = classify(answer.phase, answer.status, code)
    if kind is None:
        return None
    return kind(
        operation,
        code or f"http_{answer.status}",
        _hide(_message(answer, said), credentials),
        status=answer.status,
        request_id=said.request_id or _request_id(answer.headers),
        retry_after=retry_after(answer.headers),
    )


def _message(answer: Answer, said: ErrorBody) -> str:
    if answer.trouble:
        return answer.trouble
    text = said.message or f"HTTP {answer.status} without an explanation"
    action = (said.access_denied_detail or {}).get("AuthAction")
    return f"{text} (RAM action {action})" if action else text


def _request_id(headers: Mapping[str, str]) -> str:
    names = ("x-acs-request-id", "x-oss-request-id", "x-fc-request-id")
    return next((headers[name] for name in names if name in headers), "")


def _error_body(answer: Answer) -> ErrorBody:
    """The error that the body tells, empty where it tells none."""
    if answer.phase is not Phase.ANSWERED or not answer.body:
        return ErrorBody()
    if answer.body.lstrip().startswith(b"<"):
        text = answer.body.decode(errors="replace")
        return ErrorBody.from_wire({name: unescape(value) for name, value in _XML.findall(text)})
    try:
        return ErrorBody.model_validate_json(answer.body, by_alias=True, by_name=False)
    except ValidationError:
        return ErrorBody()


def _hide(text: str, credentials: Credentials) -> str:
    """Services quote what they were sent; the caller's secrets must not reach a log that way."""
    for secret in (credentials.secret, credentials.token):
        text = text.replace(secret, "[hidden]") if secret else text
    return text
