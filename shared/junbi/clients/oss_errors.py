"""What oss2 raises, as the three errors of every cloud call."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from junbi.clients.answer import Answer, failure
from junbi.clients.outcome import Phase
from junbi.errors import CallFailed, OutcomeUnknown, Refused

if TYPE_CHECKING:
    from collections.abc import Iterator

    from junbi.clients.credentials import Credentials


@contextmanager
def translated(operation: str, credentials: Credentials) -> Iterator[None]:
    """Raise Refused, NotDone or OutcomeUnknown instead of what oss2 raises inside."""
    from xml.etree.ElementTree import ParseError  # oss2 loads it too

    from oss2.exceptions import OssError  # loaded at the first use of OSS only
    from requests import RequestException

    try:
        yield
    except (OssError, RequestException, ParseError, RuntimeError) as error:
        raise _failure(operation, error, credentials) from None


def _failure(operation: str, error: Exception, credentials: Credentials) -> CallFailed:
    from oss2 import exceptions

    if isinstance(error, exceptions.ClientError):
        return Refused(operation, "ClientError", error.body)
    if isinstance(error, exceptions.ServerError):
        answer = _answered(error)
    elif isinstance(error, exceptions.RequestError):
        answer = _unanswered(error.exception)
    else:
        answer = _unanswered(error)
    return failure(operation, answer, credentials) or OutcomeUnknown(
        operation, "unreadable_answer", f"oss2 failed on HTTP {answer.status}"
    )


def _answered(error: Any) -> Answer:
    headers = {name.lower(): value for name, value in error.headers.items()}
    return Answer(Phase.ANSWERED, error.status, headers, code=error.code, trouble=error.message)


def _unanswered(error: Exception) -> Answer:
    import requests

    if _never_opened(error):
        return Answer(Phase.UNOPENED, code="unreachable", trouble=f"nothing was sent: {error}")
    if isinstance(error, requests.Timeout):
        return Answer(Phase.SENT, code="timeout", trouble=f"no whole answer in time: {error}")
    if isinstance(error, requests.RequestException):
        return Answer(Phase.SENT, code="connection_lost", trouble=f"the connection broke: {error}")
    return Answer(Phase.UNREADABLE, code="unreadable_answer", trouble=f"the answer could not be read: {error}")


def _never_opened(error: Exception) -> bool:
    import requests
    from urllib3.exceptions import NewConnectionError

    cause = getattr(error.args[0], "reason", None) if error.args else None
    return isinstance(error, requests.ConnectTimeout | requests.exceptions.SSLError) or isinstance(
        cause, NewConnectionError
    )
