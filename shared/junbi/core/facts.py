"""What the ledger remembers, as frozen values: arrivals, revisions, registrations, launches and their tries."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from junbi.core.model import Check, Reason
    from junbi.core.plan import PlanSpec, Scalar


class ArrivalState(StrEnum):
    """Where an upload under a watched prefix stands."""

    OPEN = "open"  #: objects may still come
    CLOSING = "closing"  #: its members are being listed
    CLOSED = "closed"  #: it became a revision (or was found to be one already)
    INCOMPLETE = "incomplete"  #: ``max_wait`` passed before it was complete; the next object reopens it
    REFUSED = "refused"  #: its name is not acceptable
    IGNORED = "ignored"  #: nothing to train on: it was there before the deployment, or is empty again


@dataclass(frozen=True, slots=True)
class Arrival:
    """An upload under one version's prefix. There is one row for each, however many objects it has.

    Attributes:
        key: ``<dataset>:<bucket>/<prefix>``, the row's identity.
        prefix: the version's own prefix in the bucket, ending in a slash.
        captures: what the placeholders of the watch took from the prefix.
        found: whether a listing and no event told of it.
        dirty: whether an event came while its members were being listed; on one that is not open, whether it is to
            be compared with its prefix once more.
        opened_at: when the first object of the present round was noted.
        noted_at: when the newest object was noted.
        called_at: when somebody said that everything is there; None where nobody did since it was closed last.
        row: version of the row; every save names the one it read.
    """

    key: str
    dataset: str
    bucket: str
    prefix: str
    captures: Mapping[str, str]
    state: ArrivalState
    opened_at: datetime
    noted_at: datetime
    found: bool = False
    dirty: bool = False
    reason: Reason | None = None
    revision: str = ""
    called_at: datetime | None = None
    row: int = 0

    @property
    def uri(self) -> str:
        """``oss://bucket/prefix/``, as people write it."""
        return f"oss://{self.bucket}/{self.prefix}"


class InputKind(StrEnum):
    """What an input is."""

    DATASET = "dataset"
    CODE = "code"
    IMAGE = "image"


@dataclass(frozen=True, slots=True)
class Revision:
    """An immutable state of an input: of a dataset, the members that one version's prefix held when it was closed;
    of code, a commit; of an image, what a tag named.

    Attributes:
        dataset: the input's name, whatever its kind.
        label: the captures in their order, joined by slashes; for people, and for ``newest``.
        bucket, prefix: where a dataset's members lie; of code, its repository as ``host/path`` and the ref;
            of an image, its repository and the tag.
        digest: SHA-256 (hex) over the members, see ``core.digest``; of code, the commit; of an image, ``sha256:…``.
        size: bytes of all members.
        members: their number.
        newest_at: the newest LastModified among them.
    """

    id: str
    dataset: str
    label: str
    bucket: str
    prefix: str
    captures: Mapping[str, str]
    digest: str
    members: int
    size: int
    newest_at: datetime
    created_at: datetime
    kind: InputKind = InputKind.DATASET


class CreateState(StrEnum):
    """Where a create on an API without idempotency tokens stands."""

    PENDING = "pending"  #: nothing sent, or surely not carried out
    SUBMITTING = "submitting"  #: a try is stored and may have been sent
    UNKNOWN = "unknown"  #: sent, and no clear answer: look before anything else
    DONE = "done"
    REFUSED = "refused"  #: a clear no; waits for somebody to change something


@dataclass(frozen=True, slots=True)
class Registration:
    """A revision's dataset version in AIWorkSpace. ``dataset_id`` and ``version_name`` are PAI's.

    One that is DONE and has no ``dataset_id`` was there and is gone. ``region`` and ``workspace`` are where it is.
    """

    revision: str
    state: CreateState
    dataset_id: str = ""
    version_name: str = ""
    reason: Reason | None = None
    row: int = 0
    region: str = ""
    workspace: str = ""


@dataclass(frozen=True, slots=True)
class Pinned:
    """A dataset of a launch: the revision it is pinned to, and where that one's registration stands."""

    revision: Revision
    registration: Registration


class LaunchState(StrEnum):
    """Where a launch stands. The picture of the moves is in the README beside ``core.lifecycle``."""

    WAITING = "waiting"  #: not all checks are ready
    SUBMITTING = "submitting"  #: a try of CreateJob is stored and may have been sent
    SUBMIT_UNKNOWN = "submit_unknown"  #: sent, and no clear answer
    REFUSED = "refused"  #: PAI said a clear no
    SUBMITTED = "submitted"  #: the job exists
    QUEUED = "queued"
    PREPARING = "preparing"
    RUNNING = "running"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    STOPPED = "stopped"
    CANCELLED = "cancelled"  #: somebody took it back before it had a job
    SUPERSEDED = "superseded"  #: a newer launch of its plan took its place while it waited
    SKIPPED = "skipped"  #: a policy of its plan let it go by


@dataclass(frozen=True, slots=True)
class Stop:
    """Our own wish that a launch's job ends, stored before StopJob is sent: any other stop is somebody else's.

    Attributes:
        reason: why, as the ended launch will say.
        by: who wished it; empty for a policy.
        retry: whether a new attempt follows.
    """

    reason: Reason
    at: datetime
    by: str = ""
    retry: bool = False


@dataclass(frozen=True, slots=True)
class Launch:
    """One intended job: a plan with a pinned revision of every input.

    Attributes:
        id: derived from identity and rerun, so that no two workers can name one launch differently.
        identity: plan + parameters + revisions of the inputs in ``on``.
        trigger: plan + revisions of the inputs in ``on``, whatever the parameters.
        pins: revision id by input name.
        spec: the plan as resolved for this launch; frozen from ``submitting`` on.
        job_id, job_status: PAI's id and PAI's own word for the job's status, both of the present attempt.
        checks: as evaluated last.
        made_by: who asked for it; empty where an arrival did.
        approved_by: who approved it, where its plan asks for that.
        attempt: which one this is, from 1; each has a job of its own.
        not_before: when the present attempt may be submitted, after the pause that follows a failure.
        since: since when it is in its state; None where an earlier version stored it.
        stop: our wish that its job ends.
    """

    id: str
    plan: str
    identity: str
    rerun: int
    trigger: str
    pins: Mapping[str, str]
    params: Mapping[str, Scalar]
    spec: PlanSpec
    generation: int
    state: LaunchState
    created_at: datetime
    updated_at: datetime
    job_id: str = ""
    job_status: str = ""
    reason: Reason | None = None
    checks: tuple[Check, ...] = field(default=())
    made_by: str = ""
    approved_by: str = ""
    attempt: int = 1
    not_before: datetime | None = None
    since: datetime | None = None
    stop: Stop | None = None
    row: int = 0

    @property
    def owner(self) -> str:
        """What the tries of the present attempt are stored under."""
        return self.owner_of(self.attempt)

    def owner_of(self, attempt: int) -> str:
        """What the tries of an attempt are stored under."""
        return f"launch:{self.id}" if attempt == 1 else f"launch:{self.id}:{attempt}"

    def to(self, state: LaunchState, now: datetime, reason: Reason | None = None) -> Launch:
        """The launch in a state, since now."""
        since = self.since if state is self.state else now
        return replace(self, state=state, reason=reason, updated_at=now, since=since)


@dataclass(frozen=True, slots=True)
class Attempt:
    """One attempt of a launch: ``begun_at`` is when its first try was stored."""

    launch: str
    number: int
    plan: str
    begun_at: datetime
    job_id: str = ""
    job_status: str = ""


@dataclass(frozen=True, slots=True)
class Freeze:
    """Somebody's word that a plan launches nothing for now; an empty name stands for all plans."""

    plan: str
    frozen_by: str
    frozen_at: datetime


@dataclass(frozen=True, slots=True)
class Try:
    """One sending of a create, stored before it is sent: its nonce, its date and its body never change.

    Attributes:
        owner: ``launch:<id>``, from the second attempt on ``launch:<id>:<attempt>``, or ``revision:<id>``.
        operation: the API's name, such as ``CreateJob``.
        nonce, date: what the request is signed with.
        body: the JSON that is sent.
        outcome: empty while unanswered, else a ``CreateState``; ``gone`` where what was made is of no use any more.
        detail: the id that was created, or the code and message of the answer.
        region, workspace: where it was sent; empty where an earlier version stored it and nothing changed since.
    """

    number: int
    owner: str
    operation: str
    nonce: str
    date: str
    body: str
    stored_at: datetime
    outcome: str = ""
    detail: str = ""
    region: str = ""
    workspace: str = ""
