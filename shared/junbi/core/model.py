"""The words of the decision core: events, references, reasons and checks. Values only, nothing that acts."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime


class EventKind(StrEnum):
    """What an event says changed in the world."""

    OBJECT_CREATED = "object_created"
    OBJECT_REMOVED = "object_removed"
    REF_MOVED = "ref_moved"  #: a branch or tag of a Git repository is at another commit
    REF_REMOVED = "ref_removed"
    IMAGE_PUSHED = "image_pushed"
    NOTHING = "nothing"  #: a real event after which no object is there or gone (a part, a metadata change)


@dataclass(frozen=True, slots=True)
class ObjectRef:
    """An object of OSS. The key is the plain text that OSS itself uses, never percent-encoded."""

    bucket: str
    key: str

    def __str__(self) -> str:
        """``oss://bucket/key``, as people write it."""
        return f"oss://{self.bucket}/{self.key}"


@dataclass(frozen=True, slots=True)
class CommitRef:
    """A branch or tag of a Git repository, and the commit that a push says it is at.

    Attributes:
        repository: where it is, as ``host/path`` in the spelling of ``events.git.address``: without scheme, user, port
            of the scheme or ``.git``, the host in lower case.
        others: the other addresses of the same repository that the payload names, spelled the same way.
        ref: in full, such as ``refs/heads/main`` or ``refs/tags/v1``.
        commit: 40 or 64 hex digits; of an annotated tag it may be the tag object's. Empty where the ref was deleted.
        before: the commit it was at; empty where it is new, or the payload does not tell.
        paths: what the push changed, added and removed since ``before``; None where the payload does not tell it
            all, or where ``commit`` does not follow ``before`` (a forced push).
    """

    repository: str
    ref: str
    commit: str
    before: str = ""
    others: tuple[str, ...] = ()
    paths: frozenset[str] | None = None

    def __str__(self) -> str:
        """``host/path ref``, as people read it."""
        return f"{self.repository} {self.ref}"


@dataclass(frozen=True, slots=True)
class ImageRef:
    """A tag of an image repository, and the manifest that a push says it names.

    Attributes:
        registry: the host in lower case, with a port where one was said; empty where the payload does not tell.
        repository: such as ``vision/torch``.
        tag: empty where only a digest was pushed.
        digest: ``sha256:…``; empty where the payload does not tell.
    """

    registry: str
    repository: str
    tag: str
    digest: str = ""

    def __str__(self) -> str:
        """``host/repository:tag``, as people write it."""
        head = f"{self.registry}/{self.repository}" if self.registry else self.repository
        return f"{head}:{self.tag}" if self.tag else f"{head}@{self.digest}"


#: What an event points at.
Subject = TypeVar("Subject", ObjectRef, CommitRef, ImageRef)


@dataclass(frozen=True, slots=True)
class Event(Generic[Subject]):
    """What every source's payload becomes: a hint that something in the world changed.

    Attributes:
        id: equal for redeliveries of one event, different for any two events.
        kind: what it says changed.
        name: the source's own name for it, such as ``ObjectCreated:PutObject``.
        subject: what it points at.
        at: when the source says it happened, UTC.
        size: bytes, where the source tells.
        etag: the content's tag without quotes, where the source tells.
    """

    id: str
    kind: EventKind
    name: str
    subject: Subject
    at: datetime
    size: int | None = None
    etag: str = ""


class State(StrEnum):
    """Where one check of a launch stands."""

    PENDING = "Pending"  #: not evaluated yet
    READY = "Ready"  #: holds
    RETRY = "Retry"  #: not now; the reason says what will wake it
    BLOCKED = "Blocked"  #: not until somebody changes something; the reason says what
    UNKNOWN = "Unknown"  #: we may not look


@dataclass(frozen=True, slots=True)
class Reason:
    """Why something is not running, or why an event did nothing.

    Attributes:
        code: stable CamelCase name, one of ``core.reasons.Code``.
        message: one sentence for a person.
        fix: what to do about it: a command, a setting, a console page.
        wakes: the change that re-evaluates it.
        facts: figures and names behind the message (need, used, limit, gap…).
    """

    code: str
    message: str
    fix: str = ""
    wakes: str = ""
    facts: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Check:
    """One prerequisite of a launch, evaluated."""

    name: str
    state: State
    reason: Reason | None = None

    @property
    def ready(self) -> bool:
        """Whether this prerequisite holds."""
        return self.state is State.READY
