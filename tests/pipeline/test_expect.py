"""``expect``: late and short deliveries are seen, told and not trained on."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from junbi.core.facts import ArrivalState
from junbi.core.plan import Expect
from junbi.pipeline import input_views

if TYPE_CHECKING:
    from tests.pipeline.conftest import World

HOUR = 3600.0


def declare(world: World, **expect: Any) -> None:
    """Put a dataset with expectations in force."""
    dataset = world.dataset().model_copy(update={"expect": Expect(**expect)})
    world.apply(world.generation([dataset], [world.plan()]))


def in_hours(world: World, hours: float) -> str:
    """The time of day that comes after so many hours, UTC."""
    return f"{datetime.fromtimestamp(world.ledger.now().timestamp() + hours * HOUR, UTC):%H:%M}"


def shown(world: World) -> str | None:
    """The reason that people are shown on the dataset."""
    (one,) = input_views.watched(world.ledger)
    return one["reason"]["code"] if one["reason"] else None


def test_bc_26_bc_59_lateness_shows_when_the_deadline_passes_and_ends_with_the_delivery(world: World) -> None:
    """BC-26, BC-59: the deadline is a row that wakes the worker; no event is needed to become late."""
    declare(world, daily=in_hours(world, 2), grace=HOUR)
    world.advance(2.5 * HOUR)
    world.reconcile()
    assert shown(world) is None
    world.advance(1 * HOUR)
    world.reconcile()
    assert shown(world) == "DatasetLate"
    world.deliver(world.upload())
    world.reconcile()
    assert shown(world) is None
    assert [code for code in world.codes() if code in {"DatasetLate", "DatasetArrived"}] == [
        "DatasetLate",
        "DatasetArrived",
    ]


def test_a_delivery_in_time_is_not_late(world: World) -> None:
    """What was completed before the deadline meets it, and the next day is expected."""
    declare(world, daily=in_hours(world, 2), grace=HOUR)
    world.deliver(world.upload())
    world.reconcile()
    for hours in (3.5, 20):
        world.advance(hours * HOUR)
        world.reconcile()
        assert shown(world) is None
    world.advance(4 * HOUR)
    world.reconcile()
    assert shown(world) == "DatasetLate"


def test_days_that_passed_while_nothing_worked_are_counted(world: World) -> None:
    """After three days without a tick the lateness counts them all."""
    declare(world, daily=in_hours(world, 2))
    world.advance(75 * HOUR)
    world.reconcile()
    (one,) = input_views.watched(world.ledger)
    assert one["reason"]["facts"] == {"missed": "4"}


def test_what_is_expected_no_more_is_not_late(world: World) -> None:
    """An apply without 'daily' ends the lateness."""
    declare(world, daily=in_hours(world, 2))
    world.advance(3 * HOUR)
    world.reconcile()
    declare(world, min_files=1)
    world.advance(48 * HOUR)
    world.reconcile()
    assert shown(world) is None


def test_a_short_delivery_is_not_trained_on(world: World) -> None:
    """Complete by its marker and below the least: DatasetShort, no revision; the next files complete it."""
    declare(world, min_files=4, min_size=20)
    world.deliver(world.upload(files=3))
    world.settle(ticks=2)
    arrival = world.arrival()
    assert arrival.state is ArrivalState.INCOMPLETE
    assert arrival.reason is not None
    assert arrival.reason.code == "DatasetShort"
    assert "3 of 4 files and 15 of 20 bytes" in arrival.reason.message
    assert not world.ledger.revisions.newest()
    world.deliver(world.upload(files=4))
    world.settle(ticks=2)
    assert world.arrival().state is ArrivalState.CLOSED


def test_a_lower_least_is_judged_anew_by_apply(world: World) -> None:
    """What was short is closed once junbi.yaml expects less, without a new event."""
    declare(world, min_files=4)
    world.deliver(world.upload(files=3))
    world.settle(ticks=2)
    declare(world, min_files=3)
    world.settle(ticks=2)
    assert world.arrival().state is ArrivalState.CLOSED
    assert len(world.jobs) == 1
