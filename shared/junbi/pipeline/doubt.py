"""Compares a closed upload with what its prefix holds now: an event, or nothing but time, gave reason to."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from junbi.core import arrival as arrivals
from junbi.core.facts import LaunchState
from junbi.core.model import Reason
from junbi.core.reasons import Code
from junbi.errors import Stale
from junbi.pipeline.scan import begin, scan

if TYPE_CHECKING:
    from datetime import datetime

    from junbi.core.digest import Listing
    from junbi.core.facts import Arrival, Revision
    from junbi.core.plan import DatasetSpec
    from junbi.pipeline.wiring import Ports


def look(ports: Ports, arrival: Arrival, dataset: DatasetSpec) -> datetime | None:
    """List a closed arrival's prefix; when to look again.

    Holding what it was closed with, it stays as it is. With a newer object a new round begins, as if its event had
    come. Else something went away, or is older than what it replaced: the arrival says so, and stays closed.
    """
    ledger, owner = ports.ledger, f"arrival:{arrival.key}"
    if arrival.dirty:
        arrival = _hold(ports, arrival, owner)
    elif ledger.scans.get(owner, str(arrival.row)) is None:
        return None  # nobody doubts it
    place = (arrival.bucket, arrival.prefix, dataset.complete.sign)
    listing = scan(ports, owner, str(arrival.row), place)
    now = ledger.now()
    if listing is None:
        return now
    revision = ledger.revisions.get(arrival.revision)
    try:
        with ledger.transaction():
            ledger.scans.drop(owner)
            return _compared(ports, arrival, revision, listing, now)
    except Stale:
        return now


def _hold(ports: Ports, arrival: Arrival, owner: str) -> Arrival:
    """Take the doubt up: an event from now on sets ``dirty`` anew, and what is listed now counts no more."""
    held = replace(arrival, dirty=False)
    with ports.ledger.transaction():
        ports.ledger.arrivals.save(held)
        begin(ports, owner, str(held.row + 1))
    return replace(held, row=held.row + 1)


def _compared(ports: Ports, arrival: Arrival, revision: Revision, listing: Listing, now: datetime) -> datetime | None:
    ledger = ports.ledger
    if listing.digest == revision.digest:
        ledger.arrivals.save(replace(arrival, dirty=False, reason=None))
        return None
    if listing.newest_at is not None and listing.newest_at > revision.newest_at:
        ledger.arrivals.save(arrivals.reopened(arrival, now))
        said = f"A listing found newer objects in {arrival.uri}, of which no event told: the next round began."
        ledger.tell(f"arrival:{arrival.key}", "ArrivalReopened", said, now)
        return now
    reason = _changed(arrival, revision, listing)
    ledger.arrivals.save(replace(arrival, dirty=False, reason=reason))
    if reason != arrival.reason:
        ledger.tell(f"arrival:{arrival.key}", reason.code, reason.message, now)
        for launch in ledger.launches.pinning(revision.id):
            if launch.state is LaunchState.WAITING:
                ledger.worklist.ask("launch", launch.id, now)
    return None


def _changed(arrival: Arrival, revision: Revision, listing: Listing) -> Reason:
    return Reason(
        Code.DATASET_CHANGED,
        f"{arrival.uri} no longer holds what it was closed with: {revision.members:,} objects then, "
        f"{listing.members:,} now. The version is still registered; launches that wait for it do not start.",
        fix="Put the former objects back; or upload what is right, with what closes it: that makes a new version.",
        wakes="the next object, or the next one that goes away",
        facts={"closed with": revision.digest, "now": listing.digest},
    )
