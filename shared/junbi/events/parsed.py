"""What a payload comes to: the events that could be read, what it holds beside events, and what was wrong."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Generic

from junbi.core.model import Subject
from junbi.errors import MalformedPayload

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from junbi.core.model import Event


class IgnoredCode(StrEnum):
    """Why a part of a payload is no event. A code never changes its meaning."""

    PING = "Ping"  #: the sender only tried whether we are there
    TOLD_TWICE = "ToldTwice"  #: another event of the same source tells the same
    NOT_A_PUSH = "NotAPush"  #: a real event, after which no ref, image or object is another
    NO_CHANGE = "NoChange"  #: a push that leaves its ref where it was
    NO_QUOTA = "NoQuota"  #: a real event, after which no quota is another
    NO_JOB = "NoJob"  #: a real event that names no job of PAI
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
        source: who sent it, such as ``github``, where there is more than one; no part of what it says.
    """

    events: tuple[Event[Subject], ...] = ()
    malformed: tuple[MalformedPayload, ...] = ()
    ignored: tuple[Ignored, ...] = ()
    source: str = field(default="", compare=False)


def together(reads: Iterable[Callable[[], Event[Subject] | Ignored]]) -> Parsed[Subject]:
    """What the parts of a delivery come to; one that cannot be read costs the others nothing.

    Args:
        reads: one for each part, in the payload's order.

    Raises:
        MalformedPayload: not one part can be read.
    """
    events: dict[str, Event[Subject]] = {}
    ignored: list[Ignored] = []
    malformed: list[MalformedPayload] = []
    for read in reads:
        try:
            told = read()
        except MalformedPayload as problem:
            malformed.append(problem)
            continue
        if isinstance(told, Ignored):
            ignored.append(told)
        else:
            events.setdefault(told.id, told)
    if malformed and not events and not ignored:
        raise malformed[0]
    return Parsed(tuple(events.values()), tuple(malformed), tuple(ignored))
