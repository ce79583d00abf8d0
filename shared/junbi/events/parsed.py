"""What a payload comes to: the events that could be read, what it holds beside events, and what was wrong."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Generic

from junbi.core.model import Subject

if TYPE_CHECKING:
    from junbi.core.model import Event
    from junbi.errors import MalformedPayload


class IgnoredCode(StrEnum):
    """Why a part of a payload is no event. A code never changes its meaning."""

    PING = "Ping"  #: the sender only tried whether we are there
    TOLD_TWICE = "ToldTwice"  #: another event of the same source tells the same
    NOT_A_PUSH = "NotAPush"  #: a real event, after which no ref, image or object is another
    NO_CHANGE = "NoChange"  #: a push that leaves its ref where it was
    NO_QUOTA = "NoQuota"  #: a real event, after which no quota is another
    RENAMED = "Renamed"  #: a repository has another address now


@dataclass(frozen=True, slots=True)
class Ignored:
    """A part of a payload that we understood and that changes nothing here.

    Attributes:
        name: the source's own name for it, such as ``ping``.
        message: one sentence for a person.
    """

    name: str
    code: IgnoredCode
    message: str


@dataclass(frozen=True, slots=True)
class Parsed(Generic[Subject]):
    """A payload, read.

    Attributes:
        events: in the payload's order, each id once.
        malformed: one problem for every record that could not be read; such a record costs the others nothing.
        ignored: what it holds that is no event, with the reason.
    """

    events: tuple[Event[Subject], ...] = ()
    malformed: tuple[MalformedPayload, ...] = ()
    ignored: tuple[Ignored, ...] = ()
