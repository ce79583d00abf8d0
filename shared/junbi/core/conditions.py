"""What an upload still waits for, by each closing condition, judged by a listing of what is really there."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from junbi.core import identity
from junbi.core.model import Reason
from junbi.core.reasons import Code

if TYPE_CHECKING:
    from datetime import datetime

    from junbi.core.digest import Listing
    from junbi.core.facts import Arrival
    from junbi.core.plan import Complete, Expect

#: How far OSS's clock may be ahead of the ledger's, which calls are dated by.
SKEW = timedelta(minutes=1)


def unmet(
    arrival: Arrival, complete: Complete, listing: Listing, now: datetime, mismatch: Reason | None = None
) -> Reason | None:
    """Why an arrival is not complete yet, None where it is. ``mismatch`` is what its manifest finds wrong."""
    if complete.sign is not None:
        return _sign_unmet(complete.sign, listing) or mismatch
    if complete.count is not None:
        return _count_unmet(complete.count, listing)
    if complete.call:
        return _call_unmet(arrival, listing)
    return _quiet_unmet(complete, listing, now)


def too_short(expect: Expect, listing: Listing) -> Reason | None:
    """Why a delivery that is complete holds less than is expected; None where it holds enough."""
    least = {"files": (expect.min_files, listing.members), "bytes": (expect.min_size, listing.size)}
    short = [f"{have:,} of {need:,} {what}" for what, (need, have) in least.items() if need and have < need]
    if not short:
        return None
    return Reason(
        Code.DATASET_SHORT,
        f"It is complete by what closes it, and has only {' and '.join(short)} expected. It is not trained on.",
        fix="Upload what is missing, with what closes it; or lower 'expect' of the dataset and run 'junbi apply'.",
        wakes="the next object, or the next apply",
    )


def quiet_at(complete: Complete, listing: Listing) -> datetime | None:
    """When the quiet time ends if nothing more comes; None where it does not count."""
    if complete.quiet is None or listing.newest_at is None:
        return None
    return listing.newest_at + timedelta(seconds=complete.quiet)


def objects(count: int) -> str:
    """``1 object is`` or ``5 objects are``."""
    return "1 object is" if count == 1 else f"{count} objects are"


def _sign_unmet(name: str, listing: Listing) -> Reason | None:
    if listing.marker_at is None:
        return Reason(
            Code.DATASET_OPEN,
            f"{objects(listing.members)} there, and no {name} yet.",
            fix=f"Upload {name} last, when everything else is there.",
            wakes=f"the upload of {name}",
        )
    if listing.newest_at is not None and listing.newest_at > listing.marker_at:
        return Reason(
            Code.MARKER_STALE,
            f"An object is newer than {name}: it came at {listing.newest_at:%H:%M:%S}, the marker at "
            f"{listing.marker_at:%H:%M:%S} UTC, so the marker does not speak for it.",
            fix=f"Upload {name} again when everything is there.",
            wakes=f"the next upload of {name}",
        )
    if listing.members == 0:
        return Reason(
            Code.DATASET_OPEN,
            f"{name} is there, and nothing else.",
            fix="Upload the data, then the marker again.",
            wakes="the next object",
        )
    return None


def _count_unmet(count: int, listing: Listing) -> Reason | None:
    if listing.members >= count:
        return None
    return Reason(
        Code.DATASET_OPEN,
        f"{listing.members} of {objects(count)} there.",
        wakes="the next object",
        facts={"need": str(count), "have": str(listing.members)},
    )


def _call_unmet(arrival: Arrival, listing: Listing) -> Reason | None:
    if arrival.revision == identity.revision_id(arrival.dataset, arrival.bucket, listing.digest):
        # An event that came late or twice reopened it. What the call before spoke for needs no other.
        return None
    how = f"Run 'junbi close {arrival.uri}', or POST /v1/arrivals/<key>/close, when everything is there."
    if arrival.called_at is None:
        said = f"{objects(listing.members)} there, and nobody has said yet that this is all."
        return Reason(Code.DATASET_OPEN, said, fix=how, wakes="the call")
    if listing.newest_at is not None and listing.newest_at > arrival.called_at + SKEW:
        return Reason(
            Code.MARKER_STALE,
            f"An object is newer than the call that closed this upload: it came at {listing.newest_at:%H:%M:%S}, the "
            f"call at {arrival.called_at:%H:%M:%S} UTC, so the call does not speak for it.",
            fix=how,
            wakes="the next call",
        )
    return None


def _quiet_unmet(complete: Complete, listing: Listing, now: datetime) -> Reason | None:
    ends = quiet_at(complete, listing)
    if ends is None or now >= ends:
        return None
    return Reason(
        Code.DATASET_OPEN,
        f"The newest object is younger than the quiet time of {complete.quiet:g} s.",
        wakes=f"at {ends:%Y-%m-%d %H:%M:%S} UTC, if nothing more comes",
    )
