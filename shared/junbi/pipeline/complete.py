"""Makes a revision of an upload that is complete, and lets the plans that name it know."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from junbi.core import identity
from junbi.core.facts import Arrival, ArrivalState, Revision
from junbi.pipeline import expect, trigger

if TYPE_CHECKING:
    from datetime import datetime

    from junbi.core.digest import Listing
    from junbi.core.model import Reason
    from junbi.core.plan import DatasetSpec
    from junbi.ledger.ledger import Ledger
    from junbi.pipeline.wiring import Ports


def complete(
    ports: Ports,
    arrival: Arrival,
    dataset: DatasetSpec,
    revision: Revision,
    *,
    remark: Reason | None = None,
    adopted: bool = False,
) -> None:
    """Close an arrival as the revision that was listed just now. Stale where an event came; call it in a transaction.

    ``remark`` is what is to be known of it although it is closed; ``adopted`` is one that was there before its watch.
    """
    ledger, now = ports.ledger, revision.created_at
    added = ledger.revisions.add(revision)
    closed = replace(arrival, state=ArrivalState.CLOSED, reason=remark, revision=revision.id, called_at=None)
    ledger.arrivals.save(closed)
    said = "is complete" if added else "holds exactly what it held before"
    ledger.tell(
        f"arrival:{arrival.key}",
        "ArrivalClosed",
        f"{arrival.uri} {said}: {_count(revision.members)}, {revision.size:,} bytes, digest {revision.digest[:12]}.",
        now,
    )
    if remark is not None:
        ledger.tell(f"arrival:{arrival.key}", remark.code, remark.message, now)
    expect.delivered(ledger, dataset.name, now)
    if arrival.found and not adopted:
        ledger.sightings.missed(dataset.name, now)
    if added:
        ledger.worklist.ask("revision", revision.id, now)
    if added or arrival.revision != revision.id:
        _is_there_now(ledger, dataset, revision)
    revision = ledger.revisions.get(revision.id)
    if adopted and dataset.backfill == "register":
        launch_newest(ports, arrival, now)
    else:
        trigger.evaluate(ports, revision, now)


def _is_there_now(ledger: Ledger, dataset: DatasetSpec, revision: Revision) -> None:
    """A prefix began to hold a revision, new or known: it may be its dataset's newest, and replaces what was there."""
    ledger.returns.note(revision.id, revision.created_at)
    head = ledger.revisions.head(dataset.name)
    if (
        head is None
        or head.bucket != revision.bucket
        or head.prefix == revision.prefix
        or identity.newest([revision, head], dataset.newest) == revision
    ):
        ledger.revisions.put_head(revision)


def launch_newest(ports: Ports, arrival: Arrival, now: datetime) -> None:
    """Of many versions that were there before, the newest alone is launched: once all of them were looked at."""
    ledger = ports.ledger
    head = ledger.revisions.head(arrival.dataset)
    if left := ledger.arrivals.adopting(arrival.dataset, arrival.key):
        said = f"It was there before the first apply. What is newest is launched once {left} more were looked at."
        ledger.tell(f"arrival:{arrival.key}", "ArrivalAdopted", said, now)
    elif head is not None:
        trigger.evaluate(ports, head, now)


def revision_of(arrival: Arrival, dataset: DatasetSpec, listing: Listing, now: datetime) -> Revision:
    """What a listing makes of an arrival."""
    digest = listing.digest
    return Revision(
        id=identity.revision_id(dataset.name, arrival.bucket, digest),
        dataset=dataset.name,
        label="/".join(arrival.captures[name] for name in dataset.watch.captures) or _label(now),
        bucket=arrival.bucket,
        prefix=arrival.prefix,
        captures=dict(arrival.captures),
        digest=digest,
        members=listing.members,
        size=listing.size,
        newest_at=listing.newest_at or now,
        created_at=now,
    )


def _label(now: datetime) -> str:
    """What a version is called that has no folder of its own: the time at which it was closed, UTC."""
    return f"{now:%Y-%m-%dT%H-%M-%SZ}"


def _count(members: int) -> str:
    return "1 object" if members == 1 else f"{members:,} objects"
