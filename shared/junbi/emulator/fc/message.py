"""One asynchronous call while it waits, and the rules by which it is tried again."""

from __future__ import annotations

import base64
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from junbi.emulator.records import Document

#: Tries after a function error. Source: Function Compute 3.0 documentation (default; 0 to 8).
RETRIES = 3
#: Seconds before the first of them, doubled for each; emulated time. Assumed: the real delays are not documented.
RETRY_SECONDS = 1.0
#: Seconds before the first try after throttling or a platform error, doubled for each. Source: documentation.
BACKOFF_SECONDS = 0.5
#: Seconds at which the doubling stops. Assumed.
BACKOFF_MOST = 60.0
#: How long such tries go on. Source: documentation ("up to 5 h").
AGE_LIMIT = timedelta(hours=5)


@dataclass(frozen=True, slots=True)
class Message:
    """One asynchronous call.

    Attributes:
        id: unique, and in the order of arrival when sorted.
        function: whom it calls.
        request_id: the same in every try.
        body: the payload.
        born: when it was queued, emulated time.
        due: when it may be tried, emulated time.
        failures: function errors so far.
        setbacks: tries so far in which the function was not at fault.
        last_error: of the last try, for a person.
    """

    id: str
    function: str
    request_id: str
    body: bytes
    born: datetime
    due: datetime
    failures: int = 0
    setbacks: int = 0
    last_error: str = ""

    def after_function_error(self, error: str, now: datetime) -> Self | None:
        """The message as it is to be tried again; None where it has had its tries."""
        if self.failures >= RETRIES:
            return None
        due = now + timedelta(seconds=RETRY_SECONDS * 2**self.failures)
        return replace(self, failures=self.failures + 1, due=due, last_error=error)

    def after_setback(self, error: str, now: datetime) -> Self | None:
        """The same where the function was not at fault; None where the message has become too old."""
        wait = timedelta(seconds=min(BACKOFF_SECONDS * 2 ** min(self.setbacks, 30), BACKOFF_MOST))
        if now + wait - self.born > AGE_LIMIT:
            return None
        return replace(self, setbacks=self.setbacks + 1, due=now + wait, last_error=error)

    def to_document(self) -> Document:
        """As it is stored."""
        return {
            "Id": self.id,
            "Function": self.function,
            "RequestId": self.request_id,
            "Body": base64.b64encode(self.body).decode(),
            "Born": self.born.isoformat(),
            "Due": self.due.isoformat(),
            "Failures": self.failures,
            "Setbacks": self.setbacks,
            "LastError": self.last_error,
        }

    @classmethod
    def from_document(cls, document: Document) -> Self:
        """What ``to_document`` stored."""
        return cls(
            id=document["Id"],
            function=document["Function"],
            request_id=document["RequestId"],
            body=base64.b64decode(document["Body"]),
            born=datetime.fromisoformat(document["Born"]),
            due=datetime.fromisoformat(document["Due"]),
            failures=document["Failures"],
            setbacks=document["Setbacks"],
            last_error=document["LastError"],
        )
