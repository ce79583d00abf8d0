"""Looks at an upload: lists its prefix, and decides whether it is complete, or whether it is still what it was."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING

from junbi.core import arrival as arrivals
from junbi.core import closing
from junbi.core.facts import Arrival, ArrivalState
from junbi.core.model import Reason
from junbi.core.reasons import Code
from junbi.errors import Stale
from junbi.pipeline import doubt
from junbi.pipeline.complete import complete, launch_newest, revision_of
from junbi.pipeline.scan import scan
from junbi.pipeline.takers import sign_etag, takers

if TYPE_CHECKING:
    from datetime import datetime

    from junbi.core.digest import Listing
    from junbi.core.plan import DatasetSpec
    from junbi.ledger.generations import Watched
    from junbi.pipeline.takers import Takers
    from junbi.pipeline.wiring import Ports

#: How soon a listing that events made worthless is made again.
RESTART = timedelta(seconds=1)

_LOOKED_AT = frozenset({ArrivalState.OPEN, ArrivalState.CLOSING, ArrivalState.CLOSED})


def look(ports: Ports, key: str) -> datetime | None:
    """List an arrival and act on what is there; when to look again."""
    ledger = ports.ledger
    arrival = ledger.arrivals.get(key)
    if arrival is None or not (arrival.state in _LOOKED_AT or arrival.dirty):
        return None
    watched = ledger.generations.watched(arrival.dataset)
    place = arrivals.place(watched.dataset.watch, arrival.prefix) if watched else None
    if watched is None or place is None or not _is_watched(arrival, watched, place):
        reason = Reason(Code.NOT_WATCHED, f"junbi.yaml no longer watches {arrival.uri} for {arrival.dataset}.")
        ledger.arrivals.save(replace(arrival, state=ArrivalState.IGNORED, dirty=False, reason=reason))
        return None
    if arrival.state is ArrivalState.REFUSED or doubt.is_refused(arrival, watched.dataset):
        doubt.look_at_refused(ports, arrival, watched.dataset)
        return None
    if arrival.state is ArrivalState.CLOSED:
        return doubt.look(ports, arrival, watched.dataset)
    return _look(ports, replace(arrival, captures=place.captures), watched)  # placeholders may have been renamed


def _is_watched(arrival: Arrival, watched: Watched, place: arrivals.Place) -> bool:
    return (watched.dataset.watch.bucket, place.prefix) == (arrival.bucket, arrival.prefix)


def _look(ports: Ports, arrival: Arrival, watched: Watched) -> datetime | None:
    dataset = watched.dataset
    sign = sign_etag(ports, arrival, dataset)
    held = _hold(ports, arrival, sign)
    token = _token(held, sign)
    taken = takers(ports, held, dataset, token, sign)
    place = (held.bucket, held.prefix, dataset.complete.sign)
    listing = scan(ports, _owner(held.key), token, place, taken.all)
    if listing is None:
        return ports.ledger.now()  # the time was up: the next look goes on
    return _judge(ports, held, watched, listing, taken)


def _judge(ports: Ports, held: Arrival, watched: Watched, listing: Listing, taken: Takers) -> datetime | None:
    dataset, now = watched.dataset, ports.ledger.now()
    mismatch, remark = taken.found()
    decision = closing.close(
        held,
        dataset.complete,
        listing,
        now,
        watched.since,
        mismatch=mismatch,
        expect=dataset.expect,
        adopt=dataset.initial == "adopt",
    )
    closes = decision.state is ArrivalState.CLOSED
    revision = revision_of(held, dataset, listing, now)
    members_at = taken.write(revision) if closes else ""
    adopted = closes and closing.was_there_before(held, listing, watched.since)
    try:
        with ports.ledger.transaction():
            ports.ledger.scans.drop(_owner(held.key))
            if closes:
                if members_at:
                    ports.ledger.member_lists.put(revision.id, members_at)
                complete(ports, held, dataset, revision, remark=remark, adopted=adopted)
            else:
                _not_complete(ports, held, dataset, decision, now)
    except Stale:
        return _restart(ports, held.key, dataset, decision)
    return decision.wake_at


def _owner(key: str) -> str:
    return f"arrival:{key}"


def _token(arrival: Arrival, sign: str) -> str:
    return f"{arrival.row}:{sign}" if sign else str(arrival.row)


def _hold(ports: Ports, arrival: Arrival, sign: str) -> Arrival:
    """The arrival in ``closing``: from then on every event sets ``dirty``, so that none falls between the first page
    and the decision. What an earlier look began to list is gone on with, if no event came since.
    """
    ledger = ports.ledger
    going_on = arrival.state is ArrivalState.CLOSING and not arrival.dirty
    if going_on and ledger.scans.get(_owner(arrival.key), _token(arrival, sign)) is not None:
        return arrival
    held = replace(arrival, state=ArrivalState.CLOSING, dirty=False)
    ledger.arrivals.save(held)
    return replace(held, row=held.row + 1)


def _not_complete(
    ports: Ports, arrival: Arrival, dataset: DatasetSpec, decision: closing.Closing, now: datetime
) -> None:
    ports.ledger.arrivals.save(replace(arrival, state=decision.state, reason=decision.reason))
    if decision.reason is not None and decision.reason != arrival.reason:
        said = f"{arrival.uri}: {decision.reason.message}"
        ports.ledger.tell(f"arrival:{arrival.key}", decision.reason.code, said, now)
    if arrival.found and arrival.reason is None and dataset.initial == "adopt":
        launch_newest(ports, arrival, now)


def _restart(ports: Ports, key: str, dataset: DatasetSpec, decision: closing.Closing) -> datetime:
    """An event came while the prefix was listed: what was listed may be old, so list again.

    Soon where it would have been the end of the upload. One under way rests, or each event would have it
    listed.
    """
    ledger = ports.ledger
    now = ledger.now()
    arrival = ledger.arrivals.get(key)
    if arrival is not None and arrival.state is ArrivalState.CLOSING:
        ledger.arrivals.save(replace(arrival, state=ArrivalState.OPEN, dirty=False))
    if decision.state is not ArrivalState.OPEN or decision.wake_at is None:
        return now + RESTART
    return decision.wake_at if dataset.complete.quiet is not None else now + arrivals.FRESH
