"""The lines before quotas on both engines: their order, what is held, and that nothing is held by what has ended."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING

import pytest

from junbi.core import lifecycle
from junbi.core.admission import Reservation
from junbi.core.facts import Launch, LaunchState
from junbi.core.plan import JobTemplate, PlanSpec, Queue, Resource, Workers
from junbi.ledger.reservations import LOOKED_AT
from junbi.pipeline import quota_views

if TYPE_CHECKING:
    from junbi.ledger.ledger import Ledger

NOW = datetime(2026, 3, 1, tzinfo=UTC)
HOUR = timedelta(hours=1)
HERE = "cn-hangzhou"
PLAN = PlanSpec(
    name="train",
    on=("digits",),
    datasets=("digits",),
    mounts={},
    image="torch",
    resource=Resource(name="team", quota="q"),
    job=JobTemplate(type="PyTorchJob", workers=Workers(cpu=8, memory="8Gi"), command="train"),
)


def launch(ledger: Ledger, name: str, state: LaunchState = LaunchState.WAITING) -> Launch:
    """A launch of that name in a state."""
    made = Launch(name, "train", name, 0, name, {}, {}, PLAN, 1, state, NOW, NOW, since=NOW)
    assert ledger.launches.add(made)
    found = ledger.launches.get(name)
    assert found is not None
    return found


def asking(name: str, *, age: int = 0, priority: int = 1, quota: str = "q") -> Reservation:
    """What a launch of that age in seconds asks for."""
    need = {"CPU": Decimal(8), "Memory": Decimal(8 * 1024**3), "GPU": Decimal("0.5")}
    made_at = NOW - timedelta(seconds=age)
    return Reservation(name, 1, 0, quota, need, Queue(waits=True), priority, made_at, asked_at=NOW)


def test_what_is_asked_for_comes_back_with_where_its_launch_stands(ledger: Ledger) -> None:
    """Amounts to the last digit, and the launch's state and since when."""
    launch(ledger, "a", LaunchState.QUEUED)
    wanted = replace(asking("a"), held_at=NOW)
    ledger.reservations.put(HERE, wanted)
    assert ledger.reservations.of("a") == replace(wanted, state=LaunchState.QUEUED, since=NOW)
    assert ledger.reservations.of("b") is None


def test_the_line_goes_by_priority_and_then_by_age(ledger: Ledger) -> None:
    """And each is told how many come before it; other quotas and regions, and what is held, are other lines."""
    line = [asking("c"), asking("a", age=9), asking("b", priority=9), asking("x", quota="r"), asking("h", age=99)]
    for one in line:
        launch(ledger, one.launch)
        ledger.reservations.put(HERE, one)
    ledger.reservations.hold(HERE, line[4], NOW)
    launch(ledger, "far")
    ledger.reservations.put("cn-beijing", asking("far", age=9))
    waiting = ledger.reservations.waiting(HERE, "q")
    assert [one.launch for one in waiting] == ["b", "a", "c"]
    assert waiting == sorted(waiting, key=lambda one: one.rank)
    assert [ledger.reservations.ahead(HERE, one) for one in waiting] == [0, 1, 2]
    assert ledger.reservations.in_line(HERE, "q") == 3
    assert [one.launch for one in ledger.reservations.held(HERE, "q")] == ["h"]


@pytest.mark.parametrize("state", sorted(lifecycle.FINAL | {LaunchState.REFUSED}))
def test_bc_106_a_launch_that_has_ended_holds_nothing_whatever_ended_it(ledger: Ledger, state: LaunchState) -> None:
    """BC-106: the save that ends it frees what it held, in the same transaction, and wakes who waits behind it."""
    before = next(one for one in LaunchState if one is not state and lifecycle.may_move(one, state))
    made = launch(ledger, "a", before)
    ledger.reservations.put(HERE, replace(asking("a"), held_at=NOW))
    ledger.launches.save(made.to(state, NOW + timedelta(seconds=1)))
    assert ledger.reservations.of("a") is None
    assert ledger.worklist.entry("quota", "q") is not None


@pytest.mark.parametrize("state", sorted(set(LaunchState) - lifecycle.FINAL - {LaunchState.REFUSED}))
def test_a_launch_that_goes_on_keeps_what_it_holds(ledger: Ledger, state: LaunchState) -> None:
    """While its job exists, or may, or is about to be submitted."""
    made = launch(ledger, "a", state)
    ledger.reservations.put(HERE, replace(asking("a"), held_at=NOW))
    ledger.launches.save(made.to(state, NOW + timedelta(seconds=1)))
    assert ledger.reservations.of("a") is not None


def test_a_new_attempt_asks_anew(ledger: Ledger) -> None:
    """What the first attempt held is free while the second waits for its time."""
    made = launch(ledger, "a", LaunchState.RUNNING)
    ledger.reservations.put(HERE, replace(asking("a"), held_at=NOW))
    ledger.launches.save(replace(made.to(LaunchState.WAITING, NOW), attempt=2))
    assert ledger.reservations.of("a") is None


def test_a_job_that_leaves_pais_queue_wakes_who_waits(ledger: Ledger) -> None:
    """A launch that only goes on waiting wakes nobody."""
    waits, queued = launch(ledger, "a"), launch(ledger, "b", LaunchState.QUEUED)
    for one in (waits, queued):
        ledger.reservations.put(HERE, replace(asking(one.id), held_at=NOW))
    ledger.launches.save(waits.to(LaunchState.WAITING, NOW))
    assert ledger.worklist.entry("quota", "q") is None
    ledger.launches.save(replace(queued.to(LaunchState.PREPARING, NOW), updated_at=NOW + HOUR))
    assert ledger.worklist.entry("quota", "q") is not None


def test_what_is_given_back_wakes_who_waits(ledger: Ledger) -> None:
    """A launch that is not ready any more."""
    launch(ledger, "a")
    ledger.reservations.put(HERE, asking("a"))
    ledger.reservations.free("a", NOW)
    assert ledger.reservations.of("a") is None
    assert ledger.worklist.entry("quota", "q") is not None


def test_a_launch_that_ends_leaves_the_line_though_its_plan_runs_in_no_quota_by_now(ledger: Ledger) -> None:
    """What it asked for goes with it, whatever its spec says at the end: nobody would ever free it afterwards."""
    made = launch(ledger, "a")
    ledger.reservations.put(HERE, asking("a"))
    moved = PLAN.model_copy(update={"resource": Resource(name="burst", public="ecs.g7.large")})
    ledger.launches.save(replace(made, spec=moved).to(LaunchState.SKIPPED, NOW))
    assert ledger.reservations.of("a") is None
    assert ledger.worklist.entry("quota", "q") is not None


def test_of_a_long_line_the_first_are_shown_and_all_are_counted(ledger: Ledger) -> None:
    """What people see of a quota tells how many wait, though it names only so many of them."""
    with ledger.transaction():
        for number in range(LOOKED_AT + 1):
            launch(ledger, f"l-{number}")
            ledger.reservations.put(HERE, asking(f"l-{number}"))
    line = quota_views.line(ledger, HERE, "q")
    assert (len(line["waiting"]), line["counts"]) == (LOOKED_AT, {"in": 0, "waiting": LOOKED_AT + 1})
