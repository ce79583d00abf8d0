"""When an arrival is complete, judged by a listing of what its prefix really holds."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

from junbi.core.arrival import FRESH
from junbi.core.conditions import quiet_at, too_short, unmet
from junbi.core.facts import ArrivalState
from junbi.core.model import Reason
from junbi.core.reasons import Code

if TYPE_CHECKING:
    from datetime import datetime

    from junbi.core.digest import Listing
    from junbi.core.facts import Arrival
    from junbi.core.plan import Complete, Expect

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


def close(
    arrival: Arrival,
    complete: Complete,
    listing: Listing,
    now: datetime,
    since: datetime,
    *,
    mismatch: Reason | None = None,
    expect: Expect | None = None,
    adopt: bool = False,
) -> Closing:
    """Whether an arrival is complete, judged by what its prefix really holds.

    Args:
        arrival: the arrival, ``found`` if only a listing told of it.
        complete: the dataset's closing condition.
        listing: the whole prefix, listed after the arrival was set to closing.
        now: the ledger's time.
        since: when the watch was first applied: what is older was there before and is left alone.
        mismatch: what the manifest finds wrong with the members.
        expect: the least that a delivery holds.
        adopt: whether what was there before is taken in all the same.
    """
    if listing.members == 0 and listing.marker_at is None:
        return _ignored(Code.NO_OBJECT_YET, "Nothing lies under the prefix.")
    newest = _newest(listing)
    if was_there_before(arrival, listing, since) and not adopt:
        return _ignored(
            Code.BEFORE_DEPLOYMENT,
            "All objects are older than the first apply of this watch.",
            fix="To train on it, upload its marker (or any object of it) again; or see 'initial'.",
        )
    waiting = unmet(arrival, complete, listing, now, mismatch)
    deadline = _deadline(arrival, complete)
    if waiting is None or (complete.quiet is not None and deadline is not None and now >= deadline):
        short = too_short(expect, listing) if expect else None
        return Closing(ArrivalState.INCOMPLETE if short else ArrivalState.CLOSED, short)
    if deadline is not None and now >= deadline:
        return Closing(ArrivalState.INCOMPLETE, _incomplete(complete, waiting))
    look = _next_look(complete, listing, newest, now)
    return Closing(ArrivalState.OPEN, waiting, min(look, deadline) if deadline else look)


def was_there_before(arrival: Arrival, listing: Listing, since: datetime) -> bool:
    """Whether all of an upload is older than the first apply of its watch, and no event told of it."""
    # Listings have whole seconds; an upload in the very second of the first apply counts as new.
    return arrival.found and _newest(listing) < since.replace(microsecond=0)


def _newest(listing: Listing) -> datetime:
    return max(filter(None, (listing.newest_at, listing.marker_at)))


def _ignored(code: Code, message: str, fix: str = "") -> Closing:
    return Closing(ArrivalState.IGNORED, Reason(code, message, fix))


def _deadline(arrival: Arrival, complete: Complete) -> datetime | None:
    return None if complete.max_wait is None else arrival.opened_at + timedelta(seconds=complete.max_wait)


def _next_look(complete: Complete, listing: Listing, newest: datetime, now: datetime) -> datetime:
    rest = min(max((now - newest) / 2, FRESH), LONGEST_REST)
    return quiet_at(complete, listing) or now + rest


def _incomplete(complete: Complete, waiting: Reason) -> Reason:
    return Reason(
        Code.DATASET_INCOMPLETE,
        f"{complete.max_wait:g} s passed since the first object. {waiting.message} It is not trained on.",
        fix=waiting.fix or "Upload what is missing: the next object opens it again.",
        wakes="the next object",
        facts=waiting.facts,
    )
