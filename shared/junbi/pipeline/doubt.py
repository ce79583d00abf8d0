"""Compares a closed upload with what its prefix holds now: an event, or nothing but time, gave reason to."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from junbi.core import arrival as arrivals
from junbi.core.facts import ArrivalState, LaunchState
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
    come, and so with anything else where somebody said since that everything is there. Else something went away, or
    is older than what it replaced: the arrival says so, and stays closed.
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


def is_refused(arrival: Arrival, dataset: DatasetSpec) -> bool:
    """Whether nothing is known of an upload but that its name is not acceptable, whatever lies there."""
    at_rest = arrival.state in {ArrivalState.REFUSED, ArrivalState.IGNORED}
    return at_rest and bool(arrivals.refused_captures(dataset.watch, dict(arrival.captures)))


def look_at_refused(ports: Ports, arrival: Arrival, dataset: DatasetSpec) -> None:
    """Whether anything lies under a name that is not acceptable: nobody need be told of an empty folder."""
    page = ports.objects.list_page(arrival.bucket, arrival.prefix, limit=1)
    after = arrivals.refused(arrival, dataset) if page.objects else arrivals.emptied(arrival)
    ledger, now = ports.ledger, ports.ledger.now()
    with ledger.transaction():
        ledger.arrivals.save(after)
        if after.reason is not None and after.state is not arrival.state:
            ledger.tell(f"arrival:{arrival.key}", after.reason.code, f"{arrival.uri}: {after.reason.message}", now)


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
        _keep(ports, arrival, None if _says_changed(arrival) else arrival.reason)
        return None
    if arrival.called_at is not None:
        ledger.arrivals.save(arrivals.reopened(arrival, now))
        ledger.worklist.ask("arrival", arrival.key, now)
        said = f"The call found other objects in {arrival.uri} than it was closed with: the next round began."
        ledger.tell(f"arrival:{arrival.key}", "ArrivalReopened", said, now)
        return now
    if listing.newest_at is not None and listing.newest_at > revision.newest_at:
        ledger.arrivals.save(arrivals.reopened(arrival, now))
        ledger.sightings.missed(arrival.dataset, now)
        # Not left to what this look answers: a worker that was paused past its lease may have lost the row by now.
        ledger.worklist.ask("arrival", arrival.key, now)
        said = f"A listing found newer objects in {arrival.uri}, of which no event told: the next round began."
        ledger.tell(f"arrival:{arrival.key}", "ArrivalReopened", said, now)
        return now
    reason = _changed(arrival, revision, listing)
    _keep(ports, arrival, reason)
    if reason != arrival.reason:
        ledger.tell(f"arrival:{arrival.key}", reason.code, reason.message, now)
        for launch in ledger.launches.pinning(revision.id):
            if launch.state is LaunchState.WAITING:
                ledger.worklist.ask("launch", launch.id, now)
    return None


def _keep(ports: Ports, arrival: Arrival, reason: Reason | None) -> None:
    """It stays closed, for this reason. Stale where an event came while its prefix was listed."""
    if arrival.dirty or reason != arrival.reason or arrival.called_at is not None:
        ports.ledger.arrivals.save(replace(arrival, dirty=False, reason=reason, called_at=None))
        return
    known = ports.ledger.arrivals.get(arrival.key)
    if known is None or known.row != arrival.row:
        raise Stale(f"arrival {arrival.key} was changed meanwhile")


def _says_changed(arrival: Arrival) -> bool:
    return arrival.reason is not None and arrival.reason.code == Code.DATASET_CHANGED


def _changed(arrival: Arrival, revision: Revision, listing: Listing) -> Reason:
    return Reason(
        Code.DATASET_CHANGED,
        f"{arrival.uri} no longer holds what it was closed with: {revision.members:,} objects then, "
        f"{listing.members:,} now. The version is still registered; launches that wait for it do not start.",
        fix="Put the former objects back; or upload what is right, with what closes it: that makes a new version.",
        wakes="the next object, or the next one that goes away",
        facts={"closed with": revision.digest, "now": listing.digest},
    )
