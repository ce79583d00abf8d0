"""Every error that junbi raises on purpose.

    JunbiError
    ├── ConfigInvalid          junbi.yaml says something that cannot be; carries every problem found
    ├── MalformedPayload       a verified caller sent what we cannot read: quarantined, never retried
    ├── LedgerError
    │   ├── LedgerUnavailable  the database did not answer or could not write (full disk, lock): retry
    │   ├── LedgerUnknown      a schema or a row written by a newer junbi: left alone
    │   ├── LedgerNotShared    a file as the ledger of functions that share no disk
    │   └── Stale              another worker changed the row since it was read: reload, decide again
    └── CallFailed             an answer of a cloud API, or the lack of one
        ├── Refused            a clear no: asking again changes nothing
        ├── NotDone            surely not carried out, and worth another try (throttled, never connected)
        └── OutcomeUnknown     it may have happened: look before doing anything

The mapping to HTTP lives in the runtime, never here. A message tells what happened, what was kept and what
to do next.
"""

from __future__ import annotations

from dataclasses import dataclass


class JunbiError(Exception):
    """The root: anything junbi raises on purpose."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One mistake in a file: where it stands (1-based) and what would be right."""

    path: str
    message: str
    line: int | None = None
    column: int | None = None
    file: str | None = None

    def __str__(self) -> str:
        """``junbi.yaml:12:7: plans.train.image: …``, as compilers and editors write it."""
        place = ":".join(str(part) for part in (self.file, self.line, self.column) if part is not None)
        return ": ".join(part for part in (place, self.path, self.message) if part)


class ConfigInvalid(JunbiError):
    """junbi.yaml says something that cannot be."""

    def __init__(self, problems: list[Problem]) -> None:
        self.problems = problems
        super().__init__("\n".join(str(problem) for problem in problems))


class MalformedPayload(JunbiError):
    """A payload that does not have the shape its source promises."""

    def __init__(self, path: str, expected: str, got: str) -> None:
        self.path, self.expected, self.got = path, expected, got
        super().__init__(f"{path or 'payload'}: expected {expected}, got {got}")


class LedgerError(JunbiError):
    """Something about the database."""


class LedgerUnavailable(LedgerError):
    """The database did not answer or could not write."""


class LedgerUnknown(LedgerError):
    """The database holds a schema or a row that this version of junbi does not know."""


class LedgerNotShared(LedgerError):
    """A file cannot be the ledger of functions: their instances share no disk."""


class Stale(LedgerError):
    """Another worker changed the row since it was read."""


class CallFailed(JunbiError):
    """An answer of a cloud API that is no success, or the lack of an answer.

    Attributes:
        operation: the API's own name for it, such as ``CreateJob``.
        code: the API's error code, or one of ours in lower case where no answer came (``timeout``).
        status: the HTTP status, 0 where no answer came.
        request_id: Alibaba Cloud's id of the request, to quote in a ticket.
        retry_after: seconds the service asked us to wait, if it did.
    """

    def __init__(
        self,
        operation: str,
        code: str,
        message: str,
        *,
        status: int = 0,
        request_id: str = "",
        retry_after: float | None = None,
    ) -> None:
        self.operation, self.code, self.message = operation, code, message
        self.status, self.request_id, self.retry_after = status, request_id, retry_after
        suffix = f" (request {request_id})" if request_id else ""
        super().__init__(f"{operation}: {code}: {message}{suffix}")


class Refused(CallFailed):
    """A clear no."""


class NotDone(CallFailed):
    """Surely not carried out; another try may succeed."""


class OutcomeUnknown(CallFailed):
    """It may have happened."""
