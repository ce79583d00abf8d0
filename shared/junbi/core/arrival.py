"""What an object event does to its arrival, and when an arrival is complete."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import TYPE_CHECKING

from junbi.core.facts import Arrival, ArrivalState
from junbi.core.model import EventKind, Reason
from junbi.core.reasons import Code

if TYPE_CHECKING:
    from datetime import datetime

    from junbi.core.digest import Listing
    from junbi.core.model import Event
    from junbi.core.plan import Complete, DatasetSpec, Watch

#: An open arrival noted so short ago takes further events without a write: they would say nothing new.
FRESH = timedelta(seconds=5)

#: The longest an open arrival rests before it is listed again although no event called for it. Until then the
#: rest is half the age of its newest object: an upload under way is looked at often, a forgotten one seldom.
LONGEST_REST = timedelta(minutes=10)


@dataclass(frozen=True, slots=True)
class Place:
    """Which version's prefix an object belongs to."""

    prefix: str
    captures: dict[str, str]


@dataclass(frozen=True, slots=True)
class Noted:
    """What an event made of its arrival: the row to save and when to look at it; None for nothing to write."""

    arrival: Arrival | None = None
    wake_at: datetime | None = None
    reason: Reason | None = None


def place(watch: Watch, key: str) -> Place | None:
    """Where a key lies under a watch, or None where it lies outside."""
    match = re.match(watch.pattern, key)
    return Place(match[0], match.groupdict()) if match else None


def refused_captures(watch: Watch, captures: dict[str, str]) -> dict[str, str]:
    """The captures that are not acceptable: names come from strangers and end up in commands, ids and paths."""
    return {name: text for name, text in captures.items() if text in {".", ".."} or not re.fullmatch(watch.allow, text)}


def opened(dataset: DatasetSpec, spot: Place, now: datetime, *, found: bool = False) -> Arrival:
    """The arrival of a prefix that was not known: open, or refused for its name."""
    fresh = Arrival(
        key=f"{dataset.name}:{spot.prefix}",
        dataset=dataset.name,
        bucket=dataset.watch.bucket,
        prefix=spot.prefix,
        captures=spot.captures,
        state=ArrivalState.OPEN,
        opened_at=now,
        noted_at=now,
        found=found,
    )
    bad = refused_captures(dataset.watch, spot.captures)
    if not bad:
        return fresh
    return replace(fresh, state=ArrivalState.REFUSED, reason=_capture_refused(dataset.watch, bad))


def note(known: Arrival | None, dataset: DatasetSpec, spot: Place, event: Event, now: datetime) -> Noted:
    """What an event does to the arrival of its prefix.

    The event is a hint: it opens the arrival or brings the next look forward, and decides nothing else.
    """
    idle = _says_nothing(known, dataset.watch, event)
    if idle is not None:
        return Noted(reason=idle)
    if known is None:
        arrival = opened(dataset, spot, now)
        return Noted(arrival, _first_look(arrival, dataset.complete, event, now), arrival.reason)
    if known.state is ArrivalState.CLOSING:
        return Noted() if known.dirty else Noted(replace(known, dirty=True, noted_at=now))
    if known.state is ArrivalState.OPEN:
        return _note_open(known, dataset.complete, event, now)
    reopened = replace(
        known, state=ArrivalState.OPEN, opened_at=now, noted_at=now, found=False, dirty=False, reason=None
    )
    return Noted(reopened, _first_look(reopened, dataset.complete, event, now))


def _says_nothing(known: Arrival | None, watch: Watch, event: Event) -> Reason | None:
    if event.kind is EventKind.NOTHING:
        return Reason(Code.NO_OBJECT_YET, f"{event.name} leaves no new object behind.")
    if known is not None and known.state is ArrivalState.REFUSED and refused_captures(watch, dict(known.captures)):
        return known.reason
    listing = known is not None and known.state is ArrivalState.CLOSING
    if event.kind is EventKind.OBJECT_REMOVED and not listing:
        return Reason(Code.NO_OBJECT_YET, "An object that went away opens no upload.")
    return None


def _note_open(known: Arrival, complete: Complete, event: Event, now: datetime) -> Noted:
    look_now = _calls_for_a_look(known, complete, event)
    if now - known.noted_at < FRESH and not known.found and not _is_marker(known, complete, event):
        return Noted()
    return Noted(replace(known, noted_at=now, found=False), now if look_now else None)


def _first_look(arrival: Arrival, complete: Complete, event: Event, now: datetime) -> datetime | None:
    if arrival.state is ArrivalState.REFUSED:
        return None
    if complete.quiet is not None:
        return now + timedelta(seconds=complete.quiet)
    return now if _calls_for_a_look(arrival, complete, event) else now + FRESH


def _calls_for_a_look(arrival: Arrival, complete: Complete, event: Event) -> bool:
    return complete.count is not None or _is_marker(arrival, complete, event)


def _is_marker(arrival: Arrival, complete: Complete, event: Event) -> bool:
    return complete.marker is not None and event.subject.key == arrival.prefix + complete.marker


def _capture_refused(watch: Watch, bad: dict[str, str]) -> Reason:
    said = ", ".join(f"{{{name}}} = {text!r}" for name, text in bad.items())
    return Reason(
        Code.CAPTURE_REFUSED,
        f"The folder's name is not acceptable: {said} does not match {watch.allow}. Nothing was registered.",
        fix="Upload under a name of letters, digits, '.', '_' and '-', or widen 'allow' of the dataset.",
    )


@dataclass(frozen=True, slots=True)
class Closing:
    """What a full listing says of an arrival.

    ``state`` CLOSED means complete: the listing is a revision. OPEN: look again at ``wake_at``. Any other state
    ends it until the next object.
    """

    state: ArrivalState
    reason: Reason | None = None
    wake_at: datetime | None = None


def close(arrival: Arrival, complete: Complete, listing: Listing, now: datetime, since: datetime) -> Closing:
    """Whether an arrival is complete, judged by what its prefix really holds.

    Args:
        arrival: the arrival, ``found`` if only a listing told of it.
        complete: the dataset's closing condition.
        listing: the whole prefix, listed after the arrival was set to closing.
        now: the ledger's time.
        since: when the watch was first applied: what is older was there before and is left alone.
    """
    if listing.members == 0 and listing.marker_at is None:
        return _ignored(Code.NO_OBJECT_YET, "Nothing lies under the prefix.")
    newest = max(filter(None, (listing.newest_at, listing.marker_at)))
    # Listings have whole seconds; an upload in the very second of the first apply counts as new.
    if arrival.found and newest < since.replace(microsecond=0):
        return _ignored(
            Code.BEFORE_DEPLOYMENT,
            "All objects are older than the first apply of this watch.",
            fix="To train on it, upload its marker (or any object of it) again.",
        )
    waiting = _unmet(complete, listing, now)
    deadline = _deadline(arrival, complete)
    if waiting is None or (complete.quiet is not None and deadline is not None and now >= deadline):
        return Closing(ArrivalState.CLOSED)
    if deadline is not None and now >= deadline:
        return Closing(ArrivalState.INCOMPLETE, _incomplete(complete, waiting))
    look = _next_look(complete, listing, newest, now)
    return Closing(ArrivalState.OPEN, waiting, min(look, deadline) if deadline else look)


def _ignored(code: Code, message: str, fix: str = "") -> Closing:
    return Closing(ArrivalState.IGNORED, Reason(code, message, fix))


def _deadline(arrival: Arrival, complete: Complete) -> datetime | None:
    return None if complete.max_wait is None else arrival.opened_at + timedelta(seconds=complete.max_wait)


def _unmet(complete: Complete, listing: Listing, now: datetime) -> Reason | None:
    if complete.marker is not None:
        return _marker_unmet(complete.marker, listing)
    if complete.count is not None:
        return _count_unmet(complete.count, listing)
    quiet_at = _quiet_at(complete, listing)
    if quiet_at is None or now >= quiet_at:
        return None
    return Reason(
        Code.DATASET_OPEN,
        f"The newest object is younger than the quiet time of {complete.quiet:g} s.",
        wakes=f"at {quiet_at:%Y-%m-%d %H:%M:%S} UTC, if nothing more comes",
    )


def _marker_unmet(marker: str, listing: Listing) -> Reason | None:
    if listing.marker_at is None:
        return Reason(
            Code.DATASET_OPEN,
            f"{_objects(listing.members)} there, and no {marker} yet.",
            fix=f"Upload {marker} last, when everything else is there.",
            wakes=f"the upload of {marker}",
        )
    if listing.newest_at is not None and listing.newest_at > listing.marker_at:
        return Reason(
            Code.MARKER_STALE,
            f"An object is newer than {marker}: it came at {listing.newest_at:%H:%M:%S}, the marker at "
            f"{listing.marker_at:%H:%M:%S} UTC, so the marker does not speak for it.",
            fix=f"Upload {marker} again when everything is there.",
            wakes=f"the next upload of {marker}",
        )
    if listing.members == 0:
        return Reason(
            Code.DATASET_OPEN,
            f"{marker} is there, and nothing else.",
            fix="Upload the data, then the marker again.",
            wakes="the next object",
        )
    return None


def _objects(count: int) -> str:
    return "1 object is" if count == 1 else f"{count} objects are"


def _count_unmet(count: int, listing: Listing) -> Reason | None:
    if listing.members >= count:
        return None
    return Reason(
        Code.DATASET_OPEN,
        f"{listing.members} of {_objects(count)} there.",
        wakes="the next object",
        facts={"need": str(count), "have": str(listing.members)},
    )


def _quiet_at(complete: Complete, listing: Listing) -> datetime | None:
    if complete.quiet is None or listing.newest_at is None:
        return None
    return listing.newest_at + timedelta(seconds=complete.quiet)


def _next_look(complete: Complete, listing: Listing, newest: datetime, now: datetime) -> datetime:
    rest = min(max((now - newest) / 2, FRESH), LONGEST_REST)
    return _quiet_at(complete, listing) or now + rest


def _incomplete(complete: Complete, waiting: Reason) -> Reason:
    return Reason(
        Code.DATASET_INCOMPLETE,
        f"{complete.max_wait:g} s passed since the first object. {waiting.message} It is not trained on.",
        fix=waiting.fix or "Upload what is missing: the next object opens it again.",
        wakes="the next object",
        facts=waiting.facts,
    )
