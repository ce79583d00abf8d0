"""Which arrivals start a plan: any, all together, those that match, those that come within a time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.pipeline.test_policies import arrive, declare

from junbi.core.facts import LaunchState
from junbi.core.policy import Policy

if TYPE_CHECKING:
    from typing import Any

    from tests.pipeline.conftest import World

BOTH = ("digits", "labels")


def pins(world: World) -> list[tuple[str, ...]]:
    """What each launch trains on, oldest first."""
    revisions = world.ledger.revisions
    return [tuple(revisions.get(one.pins[name]).label for name in sorted(one.pins)) for one in world.launches]


def test_any_starts_once_all_inputs_exist(world: World) -> None:
    """'on: [a, b]': each new version of either starts a launch, the first when both are there."""
    declare(world, datasets=BOTH)
    arrive(world, "v1")
    arrive(world, "v1", name="labels")
    arrive(world, "v2", name="labels")
    arrive(world, "v2")
    assert pins(world) == [("v1", "v1"), ("v1", "v2"), ("v2", "v2")]


def test_bc_58_all_waits_until_each_is_new(world: World) -> None:
    """BC-17, BC-58: 'on: {all: [a, b]}' starts with versions none of which it has trained on, and never with fewer."""
    declare(world, datasets=BOTH, together=True)
    arrive(world, "v1")
    arrive(world, "v1", name="labels")
    arrive(world, "v2", "v3")
    assert pins(world) == [("v1", "v1")]
    assert "InputsNotNew" in world.codes()
    arrive(world, "v2", name="labels")
    assert pins(world) == [("v1", "v1"), ("v3", "v2")]


def test_join_trains_on_versions_that_agree(world: World) -> None:
    """'join: [version]': each version goes with its partner of the same name, in whatever order they come."""
    declare(world, datasets=BOTH, join=("version",))
    arrive(world, "v2")
    assert "WaitingForMatch" in world.codes()
    arrive(world, "v1", name="labels")
    assert pins(world) == []
    arrive(world, "v2", name="labels")
    arrive(world, "v1")
    assert pins(world) == [("v2", "v2"), ("v1", "v1")]


@pytest.mark.parametrize("join", [(), ("version",)])
def test_bc_59_what_arrives_within_a_time_is_one_launch(world: World, join: tuple[str, ...]) -> None:
    """BC-59: 'settle' merges; its deadline is a row, so no further event is needed to end it."""
    declare(world, datasets=BOTH, settle=600, join=join)
    arrive(world, "v1")
    arrive(world, "v1", name="labels")
    assert pins(world) == []
    assert "Settling" in world.codes()
    world.advance(601)
    world.reconcile()
    assert pins(world) == [("v1", "v1")]
    assert len(world.jobs) == 1


def test_each_settling_time_is_whole(world: World) -> None:
    """What comes after a deadline waits its own time, even if it comes while the plan is being looked at."""
    declare(world, settle=600)
    arrive(world, "v1")
    world.advance(601)
    world.deliver(world.upload("v2", files=1))
    world.reconcile()
    assert pins(world) == [("v1",)] or pins(world) == [("v2",)]
    before = len(world.launches)
    arrive(world, "v3")
    world.advance(300)
    world.reconcile()
    assert len(world.launches) == before
    world.advance(301)
    world.reconcile()
    assert ("v3",) in pins(world)


def test_a_plan_that_is_removed_while_it_settles_says_so(world: World) -> None:
    """Nothing is launched, and what was to start it has the reason in its story."""
    declare(world, settle=600)
    arrive(world, "v1")
    world.apply(world.generation([world.dataset()], []))
    world.advance(601)
    world.reconcile()
    assert "PlanRemoved" in world.codes()
    assert not world.launches


def test_bc_14_two_inputs_that_come_together_start_one_launch(world: World) -> None:
    """BC-5, BC-14: every plan an arrival concerns is evaluated, each once."""
    plans = [world.plan(name, policy=Policy()) for name in ("one", "two", "three")]
    world.apply(world.generation([world.dataset()], plans))
    arrive(world, "v1")
    world.deliver(world.upload("v1", files=1))
    world.settle(ticks=2)
    assert sorted((one.plan, one.state) for one in world.launches) == sorted(
        (one.name, LaunchState.SUBMITTED) for one in plans
    )
    assert len(world.jobs) == 3


def test_a_late_version_takes_no_newer_ones_place(world: World) -> None:
    """BC-46: 'backfill: launch' and 'waiting: newest' together: the late v1 is launched beside v2, not in its place."""
    late = world.dataset().model_copy(update={"backfill": "launch"})
    policy = Policy(waiting="newest", approve=True)
    world.apply(world.generation([late], [world.plan(policy=policy)]))
    arrive(world, "v2", "v1")
    assert [one.state for one in world.launches] == [LaunchState.WAITING, LaunchState.WAITING]
    arrive(world, "v3")
    assert [one.state.value for one in world.launches] == ["superseded", "superseded", "waiting"]


def test_launches_in_force_follow_a_changed_policy(world: World) -> None:
    """A waiting launch is held by the policies that are in force now, not by those it was made under."""
    declare(world, policy=Policy(approve=True))
    arrive(world, "v1")
    assert not world.jobs
    declare(world)
    world.reconcile()
    assert len(world.jobs) == 1


def test_a_look_before_the_deadline_decides_nothing(world: World) -> None:
    """BC-59: a plan that is looked at early, as when something came during a look, waits for its deadline."""
    declare(world, settle=600)
    arrive(world, "v1")
    world.ledger.worklist.ask("plan", "train", world.ledger.now())
    world.reconcile()
    assert not world.launches
    world.advance(601)
    world.reconcile()
    assert pins(world) == [("v1",)]


def test_bc_20_what_comes_between_decision_and_submission_is_another_launch(world: World) -> None:
    """BC-20: a launch trains on what it was pinned to; a version that arrives meanwhile is none of its inputs."""
    world.deliver(world.upload("v1", files=1))
    ports = world.ports()

    class Meanwhile:
        """DLC, right before whose CreateJob a newer version is complete."""

        def create_job(self, *args: Any, **kwargs: Any) -> str:
            """Send it, a little later."""
            if world.ledger.revisions.head("digits").label != "v2":  # type: ignore[union-attr]
                world.deliver(world.upload("v2", files=1))
                world.reconcile()
            return str(ports.dlc.create_job(*args, **kwargs))

        def __getattr__(self, name: str) -> Any:
            return getattr(ports.dlc, name)

    world.reconcile(world.ports(dlc=Meanwhile()))
    world.settle(ticks=3)
    trained = {
        launch.id: world.ledger.revisions.get(launch.pins["digits"]).label for launch in world.launches if launch.job_id
    }
    assert sorted(trained.values()) == ["v1", "v2"]
    for launch in world.launches:
        (job,) = world.jobs_of(launch)
        assert trained[launch.id] in job.request["UserCommand"]


@pytest.mark.parametrize("orders", [1, 3])
def test_bc_25_any_of_several_inputs_fires_once_for_each_new_version(world: World, orders: int) -> None:
    """BC-25: 'on: [a, b]' with every event repeated and every marker put again fires for news alone."""
    plan = world.plan(on=("digits", "labels"))
    world.apply(world.generation([world.dataset(), world.dataset("labels")], [plan]))
    records = [*world.upload("v1", files=2), *world.upload("v1", files=2, name="labels")]
    for _ in range(orders):
        world.deliver(records[::-1])
        world.deliver(records)
        world.reconcile()
        world.advance(30)
    world.deliver(world.upload("v2", files=2))
    for _ in range(orders):
        world.deliver(world.upload("v2", files=0))
        world.settle(ticks=2)
    assert len(world.launches) == 2
