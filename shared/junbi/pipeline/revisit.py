"""Looks whether a folder that is uploaded to again and again began a next round of which no event told.

A version's own folder is found because it is new; this one is known for ever, so it is looked at once more.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING

from junbi.core import arrival as arrivals
from junbi.core.facts import ArrivalState
from junbi.errors import Stale

if TYPE_CHECKING:
    from datetime import datetime

    from junbi.core.facts import Arrival
    from junbi.core.plan import DatasetSpec
    from junbi.pipeline.wiring import Ports

#: How long a folder rests that only a whole listing can tell of: no object closes it.
REST = timedelta(minutes=10)

_AT_REST = frozenset({ArrivalState.CLOSED, ArrivalState.INCOMPLETE, ArrivalState.IGNORED})


def revisit(ports: Ports, dataset: DatasetSpec, now: datetime) -> bool:
    """Have the one folder of a watch without placeholders compared with what is known of it, where it may differ."""
    ledger, watch = ports.ledger, dataset.watch
    arrival = ledger.arrivals.get(arrivals.key(dataset.name, watch.bucket, watch.root))
    if (
        arrival is None
        or arrival.dirty
        or arrival.state not in _AT_REST
        or not _may_differ(ports, arrival, dataset, now)
    ):
        return False
    try:
        with ledger.transaction():
            ledger.arrivals.save(replace(arrival, dirty=True, noted_at=now))
            ledger.worklist.ask("arrival", arrival.key, now)
    except Stale:
        return False  # an event was faster
    return True


def _may_differ(ports: Ports, arrival: Arrival, dataset: DatasetSpec, now: datetime) -> bool:
    complete = dataset.complete
    if complete.call:
        return False  # whoever calls opens it again
    if complete.sign is None:
        return now - arrival.noted_at >= REST
    found = ports.objects.head(arrival.bucket, arrival.prefix + complete.sign)
    # Of the object that closes it, the time has whole seconds.
    return found is not None and found.last_modified >= arrival.noted_at.replace(microsecond=0)
