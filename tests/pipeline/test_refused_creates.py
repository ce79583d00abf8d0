"""Creates that PAI refuses or puts off: what is tried again by itself, when, and what is said of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from junbi.core.facts import CreateState, LaunchState

if TYPE_CHECKING:
    from tests.pipeline.conftest import World

RIGHTS = {"dlc.CreateJob": "paidlc:CreateJob", "aiworkspace.CreateDataset": "paidataset:CreateDataset"}


def lacking(world: World, point: str, code: str = "Forbidden.RAM", times: int = 1) -> None:
    """PAI refuses a create for lack of a right, so many times; a version was uploaded and looked at."""
    world.fault(point, effect="error", status=403, code=code, message="not authorized", times=times)
    world.deliver(world.upload())
    world.settle(ticks=1, step=1)
    assert not world.jobs


@pytest.mark.parametrize("point", RIGHTS)
def test_an_apply_that_changes_nothing_wakes_what_was_refused(world: World, point: str) -> None:
    """The right was granted, junbi.yaml needs no change: 'junbi apply' tries at once all the same."""
    lacking(world, point)
    assert world.apply(world.generation([world.dataset()], [world.plan()])) is None
    world.settle(ticks=1, step=1)
    assert world.launches[0].state is LaunchState.SUBMITTED


def test_an_apply_that_changes_nothing_wakes_what_waits(world: World) -> None:
    """A launch that is blocked is looked at when somebody applies, not minutes later."""
    resource = world.plan().resource.model_copy(update={"public": "ecs.no.large"})
    wanted = world.generation([world.dataset()], [world.plan(resource=resource)])
    world.apply(wanted)
    world.deliver(world.upload())
    world.settle(ticks=1, step=1)
    world.apply(wanted)
    entry = world.ledger.worklist.entry("launch", world.launches[0].id)
    assert entry is not None
    assert world.reconcile()["looked_at"].get("launch") == 1


@pytest.mark.parametrize("code", ["Forbidden.RAM", "NoPermission", "AccessDenied"])
@pytest.mark.parametrize("point", RIGHTS)
def test_a_missing_right_is_named_and_tried_again_with_patience(world: World, point: str, code: str) -> None:
    """Nobody need tell junbi that the right was granted; until then PAI is not asked every few seconds."""
    lacking(world, point, code, times=2)
    reason = world.launches[0].reason
    assert reason is not None
    assert RIGHTS[point] in reason.message + reason.fix
    for _ in range(50):
        world.reconcile()
        world.advance(5)
    assert tries(world).count(CreateState.REFUSED) == 1
    world.settle(ticks=8, step=300)
    assert tries(world).count(CreateState.REFUSED) == 2
    assert world.launches[0].state is LaunchState.SUBMITTED


def test_any_other_refusal_is_not_tried_again_by_itself(world: World) -> None:
    """What PAI finds wrong with the request stays wrong: asking again changes nothing."""
    world.fault("dlc.CreateJob", effect="error", status=400, code="InvalidParameter", times=1)
    world.deliver(world.upload())
    world.settle(ticks=6, step=3600)
    world.ledger.worklist.ask("launch", world.launches[0].id, world.ledger.now())
    world.settle(ticks=1)
    assert world.launches[0].state is LaunchState.REFUSED
    assert len(tries(world)) == 2  # the dataset's and the job's


@pytest.mark.parametrize("point", RIGHTS)
def test_bc_11_throttling_is_met_with_growing_pauses_and_one_line(world: World, point: str) -> None:
    """BC-11: ten minutes of throttling are a handful of tries and one line of the story."""
    world.fault(point, effect="error", status=429, code="Throttling.User", times=10_000)
    world.deliver(world.upload())
    world.deliver(world.upload("v2"))
    for _ in range(120):
        world.reconcile()
        world.advance(5)
    counts = [len(world.ledger.tries.of(owner)) for owner in owners(world)]
    assert max(counts) in range(4, 10), counts
    lines = [one["subject"] for one in world.ledger.stories() if one["code"] == "CallFailed"]
    assert len(lines) == len(set(lines)), lines


def test_launches_that_were_throttled_together_come_back_apart(world: World) -> None:
    """BC-125: the pause has an addition drawn from the launch's id, on top of what the service asked for."""
    plans = [world.plan(f"train{number}") for number in range(4)]
    world.apply(world.generation([world.dataset()], plans))
    world.fault("dlc.CreateJob", effect="error", status=429, code="Throttling.User", seconds=60.0, times=4)
    world.deliver(world.upload())
    world.settle(ticks=1, step=1)
    entries = [world.ledger.worklist.entry("launch", launch.id) for launch in world.launches]
    due = {str(entry["due_at"]) for entry in entries if entry}
    assert len(due) == len(plans)
    world.advance(50)
    world.reconcile()
    assert not world.jobs
    world.settle(ticks=3, step=60)
    assert len(world.jobs) == len(plans)


def owners(world: World) -> list[str]:
    """What tries may be stored under."""
    revisions = [f"revision:{one.id}" for one in world.ledger.revisions.newest()]
    return [*revisions, *(launch.owner for launch in world.launches)]


def tries(world: World) -> list[CreateState]:
    """How every try so far was answered."""
    return [CreateState(one.outcome) for owner in owners(world) for one in world.ledger.tries.of(owner)]
