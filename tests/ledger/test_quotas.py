"""Quotas as they were read last, on both engines."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from junbi.core.quotas import Snapshot
from junbi.errors import Stale
from junbi.ledger.quotas import Reading

if TYPE_CHECKING:
    from junbi.ledger.ledger import Ledger

NOW = datetime(2026, 11, 30, 12, 0, 0, 1, tzinfo=UTC)
LATER = NOW + timedelta(minutes=1)
HERE, THERE = "cn-hangzhou", "cn-beijing"
DECLARED = {"QuotaName": "組 a10", "Min": {"NodeSpecs": [{"Count": 2, "Type": "ml.x"}]}}
QUOTA = Snapshot("quota1", "ECS", DECLARED, {"AllocatedQuota": {"CPU": "4"}}, NOW, NOW)


def test_what_was_read_is_kept_as_it_was(ledger: Ledger) -> None:
    """Every member comes back, by region; another reading stands in its place."""
    ledger.quotas.save(HERE, Reading("ECS", NOW), [QUOTA])
    assert ledger.quotas.all(HERE) == [QUOTA]
    assert ledger.quotas.all(THERE) == []
    lost = replace(QUOTA, details={}, gone_at=LATER)
    ledger.quotas.save(HERE, Reading("ECS", LATER, row=1), [lost])
    assert ledger.quotas.all(HERE) == [lost]
    assert ledger.quotas.readings(HERE) == {"ECS": Reading("ECS", LATER, row=2)}


def test_one_id_in_two_regions_is_two_quotas(ledger: Ledger) -> None:
    """Neither overwrites the other."""
    ledger.quotas.save(HERE, Reading("ECS", NOW), [QUOTA])
    other = replace(QUOTA, declared={"QuotaName": "other"})
    ledger.quotas.save(THERE, Reading("ECS", NOW), [other])
    assert (ledger.quotas.all(HERE), ledger.quotas.all(THERE)) == ([QUOTA], [other])


def test_a_reading_that_failed_is_kept_with_its_problem(ledger: Ledger) -> None:
    """Before the first one that did not, and after: when it was read as a whole stays."""
    ledger.quotas.save(HERE, Reading("ACS", problem="Forbidden"))
    assert ledger.quotas.readings(HERE) == {"ACS": Reading("ACS", None, "Forbidden", 1)}
    ledger.quotas.save(HERE, Reading("ACS", NOW, "", 1))
    ledger.quotas.save(HERE, Reading("ACS", NOW, "Throttling", 2))
    assert ledger.quotas.readings(HERE)["ACS"] == Reading("ACS", NOW, "Throttling", 3)


@pytest.mark.parametrize("first", [True, False])
def test_the_slower_of_two_readings_is_dropped(ledger: Ledger, *, first: bool) -> None:
    """It read before the other one stored, so it may show what is old: nothing of it is kept."""
    if not first:
        ledger.quotas.save(HERE, Reading("ECS", NOW), [])
    last = ledger.quotas.readings(HERE).get("ECS", Reading("ECS"))
    ledger.quotas.save(HERE, replace(last, read_at=LATER), [QUOTA])
    with pytest.raises(Stale, match="ECS"), ledger.transaction():
        ledger.quotas.save(HERE, replace(last, read_at=NOW), [replace(QUOTA, gone_at=NOW)])
    assert ledger.quotas.all(HERE) == [QUOTA]


def test_kinds_are_read_beside_each_other(ledger: Ledger) -> None:
    """A reading of one kind is no reason to drop one of another."""
    for kind in ("ECS", "Lingjun"):
        ledger.quotas.save(HERE, Reading(kind, NOW), [replace(QUOTA, id=kind, kind=kind)])
    assert [one.id for one in ledger.quotas.all(HERE)] == ["ECS", "Lingjun"]
    assert set(ledger.quotas.readings(HERE)) == {"ECS", "Lingjun"}
