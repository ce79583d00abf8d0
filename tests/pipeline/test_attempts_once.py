"""Every attempt of a launch has at most one job, wherever a process dies: retries, replacing, cancelling, doubles."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import pytest
from tests.pipeline.crash import die_everywhere, run_and_die
from tests.pipeline.test_policies import arrive, declare, end, of

from junbi.core.facts import LaunchState
from junbi.core.policy import Policy, Retries
from junbi.pipeline import acts

if TYPE_CHECKING:
    from tests.pipeline.conftest import World

SHARDS = 3


def attempts(world: World) -> list[str]:
    """The attempt that each job says it is, by launch."""
    return sorted(job.request["DisplayName"].removeprefix("train-") for job in world.jobs)


@pytest.mark.parametrize("shard", range(SHARDS))
def test_bc_119_crash_at_every_moment_of_a_second_attempt(world: World, shard: int) -> None:
    """BC-49, BC-119: killed before or after any call while the second attempt is made, it has exactly one job."""
    die_everywhere(partial(crash_in_second_attempt, world), shard, SHARDS, least=30)


def crash_in_second_attempt(world: World, fatal: int) -> int:
    """A launch whose first attempt failed, and whose second one is killed at a moment; how many it came through."""
    name = f"set{fatal}"
    declare(world, datasets=(name,), command="true", policy=Policy(retries=Retries(max=1, backoff=1)))
    arrive(world, "v1", name=name)
    launch = of(world, "v1", name)
    end(world, launch, "Failed", "JobPreempted")
    world.advance(10)
    moments = run_and_die(world, fatal)
    world.settle(ticks=5, step=300)
    (again,) = [one for one in world.launches if name in one.pins]
    first, second = sorted(world.jobs_of(again), key=lambda job: job.created)
    assert [one.job_id for one in world.ledger.policies.attempts(again.id)] == [first.job_id, second.job_id]
    assert (again.state, again.attempt, again.job_id) == (LaunchState.SUBMITTED, 2, second.job_id)
    end(world, again, "Succeeded", "")
    return moments


@pytest.mark.parametrize("shard", range(SHARDS))
def test_crash_at_every_moment_of_a_replacement(world: World, shard: int) -> None:
    """Killed anywhere while one run takes another's place: the older is stopped, the newer runs, each with one job."""
    die_everywhere(partial(crash_in_replacement, world), shard, SHARDS, least=30)


def crash_in_replacement(world: World, fatal: int) -> int:
    """A run that another one replaces, killed at a moment; how many it came through."""
    name = f"set{fatal}"
    declare(world, datasets=(name,), policy=Policy(overlap="replace"))
    arrive(world, "v1", name=name)
    world.deliver(world.upload("v2", files=1, name=name))
    moments = run_and_die(world, fatal)
    for _ in range(30):
        world.reconcile()
        world.advance(120)
        world.cloud.dlc.scheduler.step()
        world.job_change()
        mine = [one for one in world.launches if name in one.pins]
        if len(mine) == 2 and mine[-1].job_id:
            break
    first, second = of(world, "v1", name), of(world, "v2", name)
    assert first.state is LaunchState.STOPPED, world.ledger.story_of(f"launch:{first.id}")
    assert first.reason
    assert first.reason.facts["by"] == second.id
    assert len(world.jobs_of(first)) == len(world.jobs_of(second)) == 1
    acts.cancel(world.ledger, second.id, "test")
    return moments


@pytest.mark.parametrize("when", ["before", "after"])
def test_a_second_attempt_whose_answer_is_lost(world: World, when: Any) -> None:
    """The job of the first attempt is no evidence for the second: each is looked for by its own tag."""
    declare(world, command="true", policy=Policy(retries=Retries(max=1, backoff=1)))
    arrive(world, "v1")
    end(world, of(world, "v1"), "Failed", "JobPreempted")
    world.fault("dlc.CreateJob", when=when, effect="close")
    world.advance(10)
    world.settle(ticks=14)
    launch = of(world, "v1")
    assert attempts(world) == [launch.id, f"{launch.id}-2"]
    assert launch.job_id == max(world.jobs, key=lambda job: job.created).job_id


def double(world: World, *, by: str | None = None, later: float = 0.0, attempt: str = "1") -> Any:
    """A job with the tags of the first one, as a copy of its request that left late would make it."""
    from junbi.wire.dlc import CreateJobRequest

    world.advance(later)
    job = world.jobs[0]
    request = CreateJobRequest.from_wire(job.request)
    assert request.settings
    assert request.settings.tags is not None
    tags = {**request.settings.tags, "junbi.attempt": attempt}
    request = request.model_copy(update={"settings": request.settings.model_copy(update={"tags": tags})})
    return world.cloud.dlc.create(request, by or job.user_id, world.cloud.clock.now())


@pytest.fixture
def unclear(world: World) -> World:
    """A launch whose submission was unclear for a moment, and was found."""
    declare(world)
    world.fault("dlc.CreateJob", when="after", effect="close")
    arrive(world, "v1")
    world.settle(ticks=1, step=6)
    assert of(world, "v1").state is LaunchState.SUBMITTED
    return world


def status(world: World, job: Any) -> str:
    """Where a job stands."""
    return str(world.cloud.dlc.jobs.get(job.job_id).status)


def test_a_double_of_ours_is_stopped_and_told_once(unclear: World) -> None:
    """Made by our user while our submission could take effect: it is stopped; the one that is followed goes on."""
    other = double(unclear, later=60)
    unclear.advance(600)
    unclear.reconcile()
    assert status(unclear, other) in {"Stopping", "Stopped"}
    assert status(unclear, unclear.cloud.dlc.jobs.get(of(unclear, "v1").job_id)) not in {"Stopping", "Stopped"}
    unclear.settle(ticks=3, step=3600)
    assert unclear.codes().count("DuplicateJobFound") == 1


@pytest.mark.parametrize("how", [{"by": "200000000000000009", "later": 60}, {"later": 7200}])
def test_a_copy_that_somebody_made_is_left_alone(unclear: World, how: dict[str, Any]) -> None:
    """Another user, or another time: it is told of and never stopped."""
    other = double(unclear, **how)
    unclear.settle(ticks=3, step=3600)
    assert status(unclear, other) not in {"Stopping", "Stopped"}
    assert unclear.codes().count("DuplicateJobFound") == 1


def test_another_attempt_is_no_double(unclear: World) -> None:
    """Each attempt has a job of its own."""
    double(unclear, later=60, attempt="2")
    unclear.settle(ticks=3, step=3600)
    assert "DuplicateJobFound" not in unclear.codes()


def test_the_audit_ends_after_a_day(unclear: World) -> None:
    """It is a row of the worklist for 24 hours after the last try, and then it is gone."""
    launch = of(unclear, "v1")
    unclear.settle(ticks=20, step=3600)
    assert unclear.ledger.worklist.entry("audit", launch.id)
    unclear.settle(ticks=6, step=3600)
    assert unclear.ledger.worklist.entry("audit", launch.id) is None


def test_no_audit_where_the_answer_was_clear(world: World) -> None:
    """A plain yes needs none."""
    declare(world)
    arrive(world, "v1")
    assert world.ledger.worklist.entry("audit", of(world, "v1").id) is None
