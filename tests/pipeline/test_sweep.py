"""With every event lost, the timer alone notices what changes in folders that were closed or given up."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any

from junbi.core.facts import ArrivalState
from junbi.pipeline import sweep as sweeping

if TYPE_CHECKING:
    from tests.pipeline.conftest import World

JOB = {"command": "true"}


def quick(world: World, **complete: Any) -> None:
    """A plan whose job does nothing, and a dataset closed in some way."""
    job = world.plan().job.model_copy(update=JOB)
    world.apply(world.generation([world.dataset(**complete)], [world.plan(job=job)]))


def lost(world: World, minutes: int = 25) -> None:
    """Ticks for so long; of what was uploaded no event came."""
    world.records.clear()
    for _ in range(minutes):
        world.reconcile()
        world.advance(60)
    world.reconcile()


def test_bc_8_an_upload_again_under_a_closed_version_becomes_a_revision(world: World) -> None:
    """BC-8: with every event lost, other content with its marker under a closed version is another revision."""
    quick(world)
    world.upload()
    lost(world, 2)
    assert [one.state for one in world.ledger.arrivals.newest()] == [ArrivalState.CLOSED]
    world.upload(text="second")
    lost(world)
    assert world.arrival().state is ArrivalState.CLOSED
    assert len(world.ledger.revisions.newest()) == len(world.launches) == 2
    assert "ArrivalReopened" in world.codes()


def test_bc_8_a_late_file_opens_a_closed_version(world: World) -> None:
    """BC-8: with every event lost, a file after the closing begins the next round, which waits for its marker."""
    quick(world)
    world.upload()
    lost(world, 2)
    world.put("digits/v1/late.csv", b"late")
    lost(world)
    assert world.arrival().state is ArrivalState.OPEN
    assert world.arrival().reason.code == "MarkerStale"  # type: ignore[union-attr]
    assert len(world.launches) == 1


def test_bc_8_a_removal_is_noticed_once_and_forgotten_when_it_is_put_back(world: World) -> None:
    """BC-8: with every event lost, a member that went away is told once, however many rounds there are."""
    quick(world)
    world.upload()
    lost(world, 2)
    world.delete("digits/v1/part-00.csv")
    lost(world, 45)
    assert (world.arrival().state, world.arrival().reason.code) == (  # type: ignore[union-attr]
        ArrivalState.CLOSED,
        "DatasetChanged",
    )
    assert world.codes().count("DatasetChanged") == 1
    assert len(world.ledger.revisions.newest()) == 1


def test_bc_8_what_was_given_up_and_is_complete_now_is_taken(world: World) -> None:
    """BC-8: with every event lost, the marker of a folder that was given up closes it all the same."""
    quick(world, marker="_SUCCESS", max_wait=120.0)
    world.upload(marker=None)
    lost(world, 5)
    assert world.arrival().state is ArrivalState.INCOMPLETE
    world.put("digits/v1/_SUCCESS", b"")
    lost(world)
    assert world.arrival().state is ArrivalState.CLOSED
    assert len(world.launches) == 1
    assert world.codes().count("DatasetIncomplete") == 1


def test_bc_8_what_was_there_before_is_taken_once_it_is_uploaded_anew(world: World) -> None:
    """BC-8: with every event lost, a folder from before the first apply counts from its next upload on."""
    world.upload(name="other")
    world.advance(5)
    job = world.plan(on=("other",)).job.model_copy(update=JOB)
    world.apply(world.generation([world.dataset("other")], [world.plan(on=("other",), job=job)]))
    lost(world, 15)
    assert world.arrival().state is ArrivalState.IGNORED
    assert world.launches == []
    world.upload(name="other", text="anew")
    lost(world)
    assert world.arrival().state is ArrivalState.CLOSED
    assert len(world.launches) == 1


def test_a_version_that_did_not_change_costs_no_write(world: World) -> None:
    """Round after round, what is as it was keeps its row and tells nothing."""
    quick(world)
    world.upload()
    lost(world, 2)
    before, told = world.arrival().row, world.codes()
    lost(world, 45)
    assert (world.arrival().row, world.codes()) == (before, told)


def test_a_turn_has_a_limit_and_a_round_comes_to_all(world: World) -> None:
    """However many uploads have ended: five at a time, each once in a round, and a round in ten minutes at most."""
    for number in range(12):
        world.upload(f"v{number:02}", files=1)
    world.records.clear()
    for _ in range(3):
        world.reconcile()
        world.advance(1)
    world.advance(3600)
    ports, start = world.ports(), world.ledger.now()
    while sweeping.sweep(ports, start):
        pass
    again = start + timedelta(minutes=10, seconds=1)
    counts = [sweeping.sweep(ports, start + timedelta(minutes=9)), *(sweeping.sweep(ports, again) for _ in range(5))]
    assert counts == [0, 5, 5, 2, 0, 0]
