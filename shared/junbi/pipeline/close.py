"""Closes an arrival: lists its prefix, decides whether it is complete, and makes it a revision."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING

from junbi.core import arrival as arrivals
from junbi.core import closing, identity
from junbi.core.digest import Listing, Member
from junbi.core.facts import Arrival, ArrivalState, Revision
from junbi.core.model import Reason
from junbi.core.reasons import Code
from junbi.errors import Stale
from junbi.pipeline import trigger

if TYPE_CHECKING:
    from datetime import datetime

    from junbi.clients.objects import ObjectStore
    from junbi.core.plan import DatasetSpec
    from junbi.pipeline.wiring import Ports

#: How soon a listing that events made worthless is made again.
RESTART = timedelta(seconds=1)


def list_prefix(objects: ObjectStore, bucket: str, prefix: str, marker: str | None) -> Listing:
    """What a prefix holds now, page by page, in memory that does not grow with it."""
    listing = Listing(prefix, marker)
    after: str | None = None
    while True:
        page = objects.list_page(bucket, prefix, after)
        for info in page.objects:
            listing.add(Member(info.key, info.size, info.etag, info.last_modified))
        if page.next is None:
            return listing
        after = page.next


def look(ports: Ports, key: str) -> datetime | None:
    """List an arrival and act on what is there; when to look again."""
    ledger = ports.ledger
    arrival = ledger.arrivals.get(key)
    if arrival is None or arrival.state not in {ArrivalState.OPEN, ArrivalState.CLOSING}:
        return None
    watched = ledger.generations.watched(arrival.dataset)
    place = arrivals.place(watched.dataset.watch, arrival.prefix) if watched else None
    if watched is None or place is None or place.prefix != arrival.prefix:
        reason = Reason(Code.NOT_WATCHED, f"junbi.yaml no longer watches {arrival.uri} for {arrival.dataset}.")
        ledger.arrivals.save(replace(arrival, state=ArrivalState.IGNORED, reason=reason))
        return None
    arrival = replace(arrival, captures=place.captures)  # the placeholders may have been renamed
    # From here on every event sets "dirty", so that none falls between the first page and the decision.
    ledger.arrivals.save(replace(arrival, state=ArrivalState.CLOSING, dirty=False))
    held = replace(arrival, state=ArrivalState.CLOSING, dirty=False, row=arrival.row + 1)
    listing = list_prefix(ports.objects, arrival.bucket, arrival.prefix, watched.dataset.complete.marker)
    now = ledger.now()
    decision = closing.close(held, watched.dataset.complete, listing, now, watched.since)
    try:
        with ledger.transaction():
            if decision.state is ArrivalState.CLOSED:
                _complete(ports, held, watched.dataset, listing, now)
            else:
                _not_complete(ports, held, decision, now)
    except Stale:
        return _restart(ports, key)
    return decision.wake_at


def _not_complete(ports: Ports, arrival: Arrival, decision: closing.Closing, now: datetime) -> None:
    ports.ledger.arrivals.save(replace(arrival, state=decision.state, reason=decision.reason))
    if decision.reason is not None and decision.reason != arrival.reason:
        said = f"{arrival.uri}: {decision.reason.message}"
        ports.ledger.tell(f"arrival:{arrival.key}", decision.reason.code, said, now)


def _complete(ports: Ports, arrival: Arrival, dataset: DatasetSpec, listing: Listing, now: datetime) -> None:
    ledger = ports.ledger
    revision = _revision(arrival, dataset, listing, now)
    added = ledger.revisions.add(revision)
    ledger.arrivals.save(replace(arrival, state=ArrivalState.CLOSED, reason=None, revision=revision.id))
    said = "is complete" if added else "holds exactly what it held before"
    ledger.tell(
        f"arrival:{arrival.key}",
        "ArrivalClosed",
        f"{arrival.uri} {said}: {_count(revision.members)}, {revision.size:,} bytes, digest {revision.digest[:12]}.",
        now,
    )
    if added:
        ledger.worklist.ask("revision", revision.id, now)
        head = ledger.revisions.head(dataset.name)
        if identity.newest([revision, *([head] if head else [])], dataset.newest) == revision:
            ledger.revisions.put_head(revision)
    trigger.evaluate(ports, ledger.revisions.get(revision.id), now)


def _revision(arrival: Arrival, dataset: DatasetSpec, listing: Listing, now: datetime) -> Revision:
    digest = listing.digest
    return Revision(
        id=identity.revision_id(dataset.name, digest),
        dataset=dataset.name,
        label="/".join(arrival.captures[name] for name in dataset.watch.captures),
        bucket=arrival.bucket,
        prefix=arrival.prefix,
        captures=dict(arrival.captures),
        digest=digest,
        members=listing.members,
        size=listing.size,
        newest_at=listing.newest_at or now,
        created_at=now,
    )


def _count(members: int) -> str:
    return "1 object" if members == 1 else f"{members:,} objects"


def _restart(ports: Ports, key: str) -> datetime:
    """An event came while the prefix was listed: what was listed may be old, so list again."""
    ledger = ports.ledger
    now = ledger.now()
    arrival = ledger.arrivals.get(key)
    if arrival is not None and arrival.state is ArrivalState.CLOSING:
        ledger.arrivals.save(replace(arrival, state=ArrivalState.OPEN, dirty=False))
    return now + RESTART
