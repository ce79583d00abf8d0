"""What an answer of a cloud API means for the caller: done, a clear no, not done, or nobody knows. One table. Pure.

The code decides before the status, because Alibaba Cloud throttles with 400, 403, 429 and 503 alike.

A 5xx that is no throttling is "nobody knows", ``ServiceUnavailable`` (503) among them: the gateway answers it
also when the service behind it had the request and did not answer in time, and nothing in the answer tells that
apart from a request that never got through. A create may therefore have happened; for a read it does not matter.
"""

from __future__ import annotations

from enum import StrEnum
from http import HTTPStatus
from typing import TYPE_CHECKING

from junbi.errors import CallFailed, NotDone, OutcomeUnknown, Refused

if TYPE_CHECKING:
    from collections.abc import Mapping

#: Refused before anything was done because of too many requests. Prefixes: ``Throttling.User`` and so on.
#: Source: common error codes; OSS (QpsLimitExceeded and the like) and Function Compute (ResourceExhausted).
_THROTTLED = (
    "Throttling",
    "QpsLimitExceeded",
    "TrafficRateLimitExceeded",
    "DownloadTrafficRateLimitExceeded",
    "UploadTrafficRateLimitExceeded",
    "TooManyRequests",
    "ResourceExhausted",
)

#: The signature was good once or will be again, but not now. Source: common error codes; OSS error codes.
_EXPIRED = frozenset(
    {
        "InvalidSecurityToken.Expired",
        "SecurityTokenExpired",
        "InvalidTimeStamp.Expired",
        "RequestTimeTooSkewed",
    }
)

#: An earlier copy of this very request arrived; what became of it must be looked up.
_NONCE_USED = frozenset({"SignatureNonceUsed"})


class Phase(StrEnum):
    """How far an exchange came."""

    UNOPENED = "unopened"  #: no connection, so no byte of the request left
    SENT = "sent"  #: the request left in whole or in part, and no whole answer came
    ANSWERED = "answered"  #: a whole answer came
    UNREADABLE = "unreadable"  #: a success came whose body is not what it must be


def classify(phase: Phase, status: int = 0, code: str = "") -> type[CallFailed] | None:
    """What kind of failure an exchange is; None for a clear yes.

    Args:
        phase: how far it came.
        status: the HTTP status, where a whole answer came.
        code: the API's error code, empty where the answer named none.
    """
    if phase is not Phase.ANSWERED:
        return NotDone if phase is Phase.UNOPENED else OutcomeUnknown
    if HTTPStatus.OK <= status < HTTPStatus.MULTIPLE_CHOICES:
        return None
    return _by_code(code) or _by_status(status)


def ask_again(failure: CallFailed) -> bool:
    """Whether the same question may be asked again at once. For reads: a create decides from its own record.

    A refusal stays one, and neither credentials nor a clock get better within a call.
    """
    return not isinstance(failure, Refused) and failure.code not in _EXPIRED


def _by_code(code: str) -> type[CallFailed] | None:
    if code in _EXPIRED or code.startswith(_THROTTLED):
        return NotDone
    return OutcomeUnknown if code in _NONCE_USED else None


def _by_status(status: int) -> type[CallFailed]:
    if status == HTTPStatus.TOO_MANY_REQUESTS:
        return NotDone
    if status == HTTPStatus.REQUEST_TIMEOUT:
        return OutcomeUnknown
    if HTTPStatus.BAD_REQUEST <= status < HTTPStatus.INTERNAL_SERVER_ERROR:
        return Refused
    return OutcomeUnknown  # 5xx, and 1xx or 3xx, which no API of these answers with


def retry_after(headers: Mapping[str, str]) -> float | None:
    """The seconds a service asked us to wait, if it did; header names in lower case.

    ``x-acs-retry-after`` counts milliseconds (Source: OpenAPI SDK core 0.4), ``Retry-After`` seconds; its form
    as a date is not used by these services and is passed over.
    """
    for name, unit in (("x-acs-retry-after", 0.001), ("retry-after", 1.0)):
        value = headers.get(name, "").strip()
        if value.isascii() and value.isdigit():
            return int(value) * unit
    return None
