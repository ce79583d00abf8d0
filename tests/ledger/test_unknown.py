"""Rows that a newer junbi wrote."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Any

import pytest

from junbi.core.facts import Arrival, ArrivalState, CreateState, Launch, LaunchState, Revision
from junbi.core.plan import JobTemplate, PlanSpec, Resource, Workers
from junbi.errors import LedgerUnknown
from junbi.ledger.ledger import open_ledger

if TYPE_CHECKING:
    from collections.abc import Callable

    from junbi.ledger.ledger import Ledger

NOW = datetime(2026, 3, 1, tzinfo=UTC)
REVISION = Revision("rev-1", "d", "v1", "b", "p/", {}, "x", 1, 1, NOW, NOW)
JOB = JobTemplate(type="TFJob", workers=Workers(), command="train")
PLAN = PlanSpec(
    name="p", on=("d",), datasets=("d",), mounts={}, image="i", resource=Resource(name="r", public="x"), job=JOB
)


class Newer(StrEnum):
    """A state that this version has no word for."""

    LATER = "frobnicated"


def arrival(ledger: Ledger, state: Any) -> None:
    """Store an arrival, then move it."""
    ledger.arrivals.save(Arrival("k", "d", "b", "p/", {}, ArrivalState.OPEN, NOW, NOW))
    ledger.arrivals.save(Arrival("k", "d", "b", "p/", {}, state, NOW, NOW, row=1))


def registration(ledger: Ledger, state: Any) -> None:
    """Store a revision, then move its registration."""
    ledger.revisions.add(REVISION)
    ledger.revisions.save_registration(replace(ledger.revisions.registration("rev-1"), state=state))


def launch(ledger: Ledger, state: Any) -> None:
    """Store a launch."""
    ledger.launches.add(Launch("l", "p", "i", 0, "t", {}, {}, PLAN, 1, state, NOW, NOW))


CASES: list[tuple[Callable[[Ledger, Any], None], Callable[[Ledger], Any], str, StrEnum]] = [
    (arrival, lambda ledger: ledger.arrivals.get("k"), "arrival k", ArrivalState.CLOSED),
    (registration, lambda ledger: ledger.revisions.registration("rev-1"), "registration rev-1", CreateState.DONE),
    (launch, lambda ledger: ledger.launches.get("l"), "launch l", LaunchState.RUNNING),
]
KINDS = ["arrival", "registration", "launch"]


@pytest.mark.parametrize(("store", "read", "named"), [case[:3] for case in CASES], ids=KINDS)
def test_an_unknown_state_is_left_alone(
    engine: Any, address: str, store: Callable[[Ledger, Any], None], read: Callable[[Ledger], Any], named: str
) -> None:
    """LedgerUnknown names the row and the word, whoever reads it; the row stays as the newer junbi wrote it."""
    ledger = open_ledger(address)
    store(ledger, Newer.LATER)
    for _ in range(2):
        with pytest.raises(LedgerUnknown, match=f"{named} has the state 'frobnicated'"):
            read(ledger)
    assert b"frobnicated" in engine.text(address)


@pytest.mark.parametrize(("store", "read", "_named", "known"), CASES, ids=KINDS)
def test_a_known_state_is_read(
    ledger: Ledger, store: Callable[[Ledger, Any], None], read: Callable[[Ledger], Any], _named: str, known: StrEnum
) -> None:
    """The same row with a state of ours comes back."""
    store(ledger, known)
    assert read(ledger).state is known


def test_a_launch_in_an_unknown_state_does_not_hide_the_others(ledger: Ledger) -> None:
    """Whoever asks for launches in states it knows gets them: one strange row stops no work."""
    launch(ledger, Newer.LATER)
    ledger.launches.add(Launch("l2", "p", "i2", 0, "t", {}, {}, PLAN, 1, LaunchState.RUNNING, NOW, NOW))
    assert [one.id for one in ledger.launches.standing(LaunchState)] == ["l2"]
