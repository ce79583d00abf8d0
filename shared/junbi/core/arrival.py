"""What an object event does to the arrival of its prefix."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import TYPE_CHECKING

from junbi.core.facts import Arrival, ArrivalState
from junbi.core.model import EventKind, Reason
from junbi.core.places import located
from junbi.core.reasons import Code

if TYPE_CHECKING:
    from datetime import datetime

    from junbi.core.model import Event, ObjectRef
    from junbi.core.plan import Complete, DatasetSpec, Watch

#: An open arrival noted so short ago takes further events without a write: they would say nothing new.
FRESH = timedelta(seconds=5)

#: Characters of a placeholder's text, whatever ``allow`` says: a file's name holds no more on any system in use, and
#: ``allow`` need not be tried on what is longer.
LONGEST_CAPTURE = 255


@dataclass(frozen=True, slots=True)
class Place:
    """Which version's prefix an object belongs to."""

    prefix: str
    captures: dict[str, str]


@dataclass(frozen=True, slots=True)
class Noted:
    """What an event made of its arrival.

    Attributes:
        arrival: the row to save; None for nothing to write.
        wake_at: when to look at it.
        reason: why the event did nothing, or why the arrival cannot go on.
        news: code and sentence for the story.
    """

    arrival: Arrival | None = None
    wake_at: datetime | None = None
    reason: Reason | None = None
    news: tuple[str, str] | None = None


def place(watch: Watch, key: str) -> Place | None:
    """Where a key lies under a watch, or None where it lies outside."""
    found = located(watch, key)
    return Place(*found) if found else None


def key(dataset: str, bucket: str, prefix: str) -> str:
    """The identity of an upload's row: one prefix of one bucket, for one dataset."""
    return f"{dataset}:{bucket}/{prefix}"


def refused_captures(watch: Watch, captures: dict[str, str]) -> dict[str, str]:
    """The captures that are not acceptable: names come from strangers and end up in commands, ids and paths."""
    return {name: text for name, text in captures.items() if not _acceptable(watch, text)}


def _acceptable(watch: Watch, text: str) -> bool:
    # A path would climb on ".." and a command would read "-x" as an option, however well it is quoted.
    if len(text) > LONGEST_CAPTURE or text in {".", ".."} or text.startswith("-"):
        return False
    return bool(re.fullmatch(watch.allow, text))


def opened(dataset: DatasetSpec, spot: Place, now: datetime, *, found: bool = False) -> Arrival:
    """The arrival of a prefix that was not known: open, or refused for its name."""
    fresh = Arrival(
        key=key(dataset.name, dataset.watch.bucket, spot.prefix),
        dataset=dataset.name,
        bucket=dataset.watch.bucket,
        prefix=spot.prefix,
        captures=spot.captures,
        state=ArrivalState.OPEN,
        opened_at=now,
        noted_at=now,
        found=found,
    )
    return refused(fresh, dataset) if refused_captures(dataset.watch, spot.captures) else fresh


def refused(known: Arrival, dataset: DatasetSpec) -> Arrival:
    """An arrival whose name is not acceptable, with the reason; ``known`` itself where it is acceptable."""
    bad = refused_captures(dataset.watch, dict(known.captures))
    if not bad:
        return replace(known, dirty=False)
    return replace(known, state=ArrivalState.REFUSED, dirty=False, reason=_capture_refused(dataset.watch, bad))


def emptied(known: Arrival) -> Arrival:
    """An arrival of which nothing is left."""
    reason = Reason(Code.NO_OBJECT_YET, "Nothing lies under the prefix.")
    return replace(known, state=ArrivalState.IGNORED, dirty=False, reason=reason)


def note(known: Arrival | None, dataset: DatasetSpec, spot: Place, event: Event[ObjectRef], now: datetime) -> Noted:
    """What an event does to the arrival of its prefix.

    The event is a hint: it opens the arrival or brings the next look forward, and decides nothing else.
    """
    idle = _says_nothing(known, dataset, event)
    if idle is not None:
        return Noted(reason=idle)
    if known is None:
        return _open_first(opened(dataset, spot, now), dataset.complete, event, now)
    return _note_known(known, dataset, event, now)


def _note_known(known: Arrival, dataset: DatasetSpec, event: Event[ObjectRef], now: datetime) -> Noted:
    if known.state in _NAMED_BADLY and refused_captures(dataset.watch, dict(known.captures)):
        return _note_refused(known, dataset, event, now)
    return _note_acceptable(known, dataset.complete, event, now)


def _note_acceptable(known: Arrival, complete: Complete, event: Event[ObjectRef], now: datetime) -> Noted:
    if known.state is ArrivalState.CLOSING:
        return Noted() if known.dirty else Noted(replace(known, dirty=True, noted_at=now))
    if event.kind is EventKind.OBJECT_REMOVED:
        return _note_removed(known, event, now)
    if known.state is ArrivalState.OPEN:
        return _note_open(known, complete, event, now)
    return _open_again(known, complete, event, now)


def _open_first(arrival: Arrival, complete: Complete, event: Event[ObjectRef], now: datetime) -> Noted:
    if arrival.reason is not None:
        return Noted(arrival, None, arrival.reason, (arrival.reason.code, arrival.reason.message))
    news = ("ArrivalOpened", f"An upload began under {arrival.uri}.")
    return Noted(arrival, _first_look(arrival, complete, event, now), news=news)


#: States in which an upload's name may be what stands in its way.
_NAMED_BADLY = frozenset({ArrivalState.REFUSED, ArrivalState.IGNORED})


def _note_refused(known: Arrival, dataset: DatasetSpec, event: Event[ObjectRef], now: datetime) -> Noted:
    """Refused again with a new object; looked at when one went away, for it may have been the last."""
    if event.kind is EventKind.OBJECT_REMOVED:
        return Noted() if known.dirty else Noted(replace(known, dirty=True), now)
    if known.state is ArrivalState.REFUSED:
        return Noted(reason=known.reason)
    again = replace(refused(known, dataset), noted_at=now)
    return _open_first(again, dataset.complete, event, now)


def _open_again(known: Arrival, complete: Complete, event: Event[ObjectRef], now: datetime) -> Noted:
    opened_again = reopened(known, now)
    what = "after it was closed" if known.state is ArrivalState.CLOSED else f"while it was {known.state}"
    news = ("ArrivalReopened", f"{event.subject} came {what}: the next round of {known.uri} began.")
    return Noted(opened_again, _first_look(opened_again, complete, event, now), news=news)


def reopened(known: Arrival, now: datetime, *, found: bool = False) -> Arrival:
    """An arrival at the beginning of its next round. A call that came since it was closed speaks for that round."""
    return replace(
        known,
        state=ArrivalState.OPEN,
        opened_at=now,
        noted_at=now,
        called_at=known.called_at if known.state is ArrivalState.CLOSED else None,
        found=found,
        dirty=False,
        reason=None,
    )


def _says_nothing(known: Arrival | None, dataset: DatasetSpec, event: Event[ObjectRef]) -> Reason | None:
    if event.kind is EventKind.NOTHING:
        return Reason(Code.NO_OBJECT_YET, f"{event.name} leaves no new object behind.")
    if event.kind is EventKind.OBJECT_REMOVED and not _removal_counts(known, dataset.complete, event):
        return Reason(Code.NO_OBJECT_YET, "An object that went away opens no upload.")
    return None


def _removal_counts(known: Arrival | None, complete: Complete, event: Event[ObjectRef]) -> bool:
    """Whether a removal may change what is known: of what is being listed, compared with a manifest, or closed."""
    if known is None:
        return False
    if known.state is ArrivalState.CLOSED:
        return not (event.subject.key.endswith("/") or _is_sign(known, complete, event))
    if known.state is ArrivalState.REFUSED:
        return True
    return known.state is ArrivalState.CLOSING or (known.state is ArrivalState.OPEN and complete.manifest is not None)


def _note_removed(known: Arrival, event: Event[ObjectRef], now: datetime) -> Noted:
    """An open upload is looked at soon; a closed one is compared with its prefix, for the event may be an old one."""
    if known.state is ArrivalState.OPEN:
        fresh = now - known.noted_at < FRESH
        return Noted() if fresh else Noted(replace(known, noted_at=now), now + FRESH)
    if known.dirty:
        return Noted()
    news = ("ArrivalDoubted", f"{event.subject} went away after {known.uri} was closed: it is compared once more.")
    return Noted(replace(known, dirty=True), now, news=news)


def _note_open(known: Arrival, complete: Complete, event: Event[ObjectRef], now: datetime) -> Noted:
    look_now = _calls_for_a_look(known, complete, event)
    if now - known.noted_at < FRESH and not known.found and not _is_sign(known, complete, event):
        return Noted()
    return Noted(replace(known, noted_at=now, found=False), now if look_now else None)


def _first_look(arrival: Arrival, complete: Complete, event: Event[ObjectRef], now: datetime) -> datetime | None:
    if arrival.state is ArrivalState.REFUSED:
        return None
    if complete.quiet is not None:
        return now + timedelta(seconds=complete.quiet)
    return now if _calls_for_a_look(arrival, complete, event) else now + FRESH


def _calls_for_a_look(arrival: Arrival, complete: Complete, event: Event[ObjectRef]) -> bool:
    return complete.count is not None or _is_sign(arrival, complete, event)


def _is_sign(arrival: Arrival, complete: Complete, event: Event[ObjectRef]) -> bool:
    return complete.sign is not None and event.subject.key == arrival.prefix + complete.sign


def _capture_refused(watch: Watch, bad: dict[str, str]) -> Reason:
    said = ", ".join(f"{{{name}}} = {text!r}" for name, text in bad.items())
    return Reason(
        Code.CAPTURE_REFUSED,
        f"The folder's name is not acceptable: {said} does not match {watch.allow}, is '.' or '..', begins with '-', "
        f"or has more than {LONGEST_CAPTURE} characters. Nothing was registered.",
        fix="Upload under a name of letters, digits, '.', '_' and '-', or widen 'allow' of the dataset.",
    )
