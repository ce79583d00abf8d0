"""When an arrival is complete, judged by a listing of what its prefix really holds."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

from junbi.core.arrival import FRESH
from junbi.core.facts import ArrivalState
from junbi.core.model import Reason
from junbi.core.reasons import Code

if TYPE_CHECKING:
    from datetime import datetime

    from junbi.core.digest import Listing
    from junbi.core.facts import Arrival
    from junbi.core.plan import Complete

#: The longest an open arrival rests before it is listed again although no event called for it. Until then the
#: rest is half the age of its newest object: an upload under way is looked at often, a forgotten one seldom.
LONGEST_REST = timedelta(minutes=10)


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
