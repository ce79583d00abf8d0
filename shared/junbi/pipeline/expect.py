"""Watches over the days on which a dataset is to be delivered: deadlines are rows, and lateness is told."""

from __future__ import annotations

from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from junbi.core import expectation as expectations

if TYPE_CHECKING:
    from datetime import datetime

    from junbi.core.model import Reason
    from junbi.core.plan import Expect, Generation
    from junbi.ledger.ledger import Ledger
    from junbi.pipeline.wiring import Ports


def plan(ledger: Ledger, generation: Generation, now: datetime) -> None:
    """Expect what a generation declares from now on. Call it in the transaction that puts the generation in force."""
    daily = {name: one.expect for name, one in generation.datasets.items() if one.expect and one.expect.daily}
    ledger.expectations.drop_but(daily)
    for name, expect in daily.items():
        known = ledger.expectations.get(name)
        planned = expectations.planned(known, name, expect, ZoneInfo(expect.timezone), now)
        if planned != known:
            ledger.expectations.save(planned)
        ledger.worklist.ask("expectation", name, expectations.deadline(expect, planned))


def look(ports: Ports, dataset: str) -> datetime | None:
    """Judge a deadline that has passed; when the next one does."""
    ledger, now = ports.ledger, ports.ledger.now()
    watched, known = ledger.generations.watched(dataset), ledger.expectations.get(dataset)
    expect = watched.dataset.expect if watched else None
    if known is None or expect is None or expect.daily is None:
        return None
    if now < expectations.deadline(expect, known):
        return expectations.deadline(expect, known)
    zone = ZoneInfo(expect.timezone)
    after = expectations.passed(known, expect, zone)
    with ledger.transaction():
        ledger.expectations.save(after)
        reason = expectations.late(after, expect, zone)
        if reason is not None:
            ledger.tell(f"dataset:{dataset}", reason.code, reason.message, now)
    return expectations.deadline(expect, after)


def delivered(ledger: Ledger, dataset: str, now: datetime) -> None:
    """An upload of a dataset was completed. Call it in the transaction that closes the upload."""
    known = ledger.expectations.get(dataset)
    if known is None:
        return
    ledger.expectations.save(expectations.delivered(known, now))
    if known.missed:
        ledger.tell(f"dataset:{dataset}", "DatasetArrived", f"{dataset} was late, and is there now.", now)


def late(ledger: Ledger, dataset: str, expect: Expect | None) -> Reason | None:
    """Why a dataset is late, for people; None where it is not."""
    known = ledger.expectations.get(dataset) if expect and expect.daily else None
    return expectations.late(known, expect, ZoneInfo(expect.timezone)) if known and expect else None
