"""Goes round the uploads that have ended, a few at a time: what changes there is found with every event lost."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from junbi.core import arrival as arrivals
from junbi.core.facts import ArrivalState
from junbi.core.reasons import Code
from junbi.errors import Stale
from junbi.pipeline.scan import begin

if TYPE_CHECKING:
    from datetime import datetime

    from junbi.core.facts import Arrival
    from junbi.ledger.ledger import Ledger
    from junbi.pipeline.wiring import Ports

#: Uploads that one turn has listed, whatever their number: with a turn each 15 seconds the cost has a limit.
AT_ONCE = 5


def sweep(ports: Ports, now: datetime) -> int:
    """Have the next few ended uploads compared with what their prefixes hold; how many.

    Where it went on from is kept in the ledger. A round begins ten minutes after the one before at the earliest.
    """
    ledger = ports.ledger
    with ledger.transaction():
        after = ledger.worklist.swept_until()
        if not after and not ledger.worklist.may_begin_sweep(now):
            return 0
        found = ledger.arrivals.ended(after, AT_ONCE)
        ledger.worklist.sweep_from(found[-1].key if len(found) == AT_ONCE else "")
    return sum(_doubt(ports, one, now) for one in found)


def _doubt(ports: Ports, arrival: Arrival, now: datetime) -> bool:
    if not _worth_a_look(ports.ledger, arrival):
        return False
    try:
        with ports.ledger.transaction():
            if arrival.state is not ArrivalState.CLOSED:
                ports.ledger.arrivals.save(_judged_anew(arrival, now))
            elif ports.ledger.scans.get(f"arrival:{arrival.key}", str(arrival.row)) is None:
                # Not dirty, which an event alone makes it: a row that did not change stays as it is.
                begin(ports, f"arrival:{arrival.key}", str(arrival.row))
            ports.ledger.worklist.ask("arrival", arrival.key, now)
    except Stale:
        return False  # an event was faster
    return True


def _worth_a_look(ledger: Ledger, arrival: Arrival) -> bool:
    watched = ledger.generations.watched(arrival.dataset)
    if arrival.dirty or watched is None:
        return False
    spot = arrivals.place(watched.dataset.watch, arrival.prefix)
    if spot is None or (watched.dataset.watch.bucket, spot.prefix) != (arrival.bucket, arrival.prefix):
        return False  # another apply may watch it again
    return arrival.reason is None or arrival.reason.code != Code.NOT_WATCHED


def _judged_anew(arrival: Arrival, now: datetime) -> Arrival:
    """What was given up is judged by the deadline it had; where nothing was, an upload would begin now."""
    if arrival.state is ArrivalState.IGNORED:
        return replace(arrival, dirty=True, opened_at=now)
    return replace(arrival, dirty=True)
