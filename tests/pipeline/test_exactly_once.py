"""A launch has at most one job and a revision one dataset version, whatever is lost, late, refused or killed."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import pytest
from tests.pipeline.crash import die_everywhere, run_and_die

from junbi.core.facts import CreateState, LaunchState

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.pipeline.conftest import World

CREATES = ("aiworkspace.CreateDataset", "dlc.CreateJob")


def assert_once(world: World, name: str = "digits") -> None:
    """One dataset version for the revision, one job for the launch, and both known."""
    revision = world.ledger.revisions.of(name)[0]
    registration = world.ledger.revisions.registration(revision.id)
    assert (registration.state, registration.version_name) == (CreateState.DONE, "v1"), world.ledger.stories()
    assert len(world.datasets(name)) == 1
    assert len(world.versions(registration.dataset_id)) == 1
    (launch,) = (one for one in world.launches if name in one.pins)
    (job,) = world.jobs_of(launch)
    assert (launch.state, launch.job_id) == (LaunchState.SUBMITTED, job.job_id)


SHARDS = 4


@pytest.mark.parametrize("shard", range(SHARDS))
def test_crash_at_every_moment_of_the_flow(world: World, shard: int) -> None:
    """Killed before or after any call to PAI, OSS or the ledger, and started again, everything is made exactly once."""
    die_everywhere(partial(crash_at, world), shard, SHARDS, least=100)


def crash_at(world: World, fatal: int) -> int:
    """The whole flow for a dataset of its own, killed at a moment and started again; the moments it came through."""
    name = f"set{fatal}"
    job = world.plan().job.model_copy(update={"command": "true"})
    world.apply(world.generation([world.dataset(name)], [world.plan(on=(name,), job=job)]))
    world.deliver(world.upload(name=name, files=1))
    moments = run_and_die(world, fatal)
    world.settle(ticks=5, step=300)
    assert_once(world, name)
    return moments


@pytest.mark.parametrize("point", CREATES)
@pytest.mark.parametrize("effect", ["close", "error"])
def test_bc_121_an_answer_lost_after_the_effect_makes_no_second_one(world: World, point: str, effect: str) -> None:
    """BC-121: the create happened and its answer was lost; what it made is found and adopted, never made again."""
    world.fault(point, when="after", effect=effect, status=500)
    world.deliver(world.upload())
    world.settle(ticks=3, step=10)
    assert_once(world)


@pytest.mark.parametrize("point", CREATES)
@pytest.mark.parametrize("effect", ["close", "error"])
def test_an_answer_lost_before_the_effect_is_tried_again_after_settling(world: World, point: str, effect: str) -> None:
    """The create did not happen and nobody said so: it is made once the first try can no longer take effect."""
    world.fault(point, when="before", effect=effect, status=500)
    world.deliver(world.upload())
    world.settle(ticks=3, step=10)
    assert not world.jobs, "nothing may be sent again before the settling time is over"
    world.settle()
    assert_once(world)


@pytest.mark.parametrize("point", CREATES)
def test_throttling_is_waited_out(world: World, point: str) -> None:
    """A throttled create was surely not carried out: it is sent again, soon, as a new try."""
    world.fault(point, effect="error", status=429, code="Throttling.User", times=2)
    world.deliver(world.upload())
    world.settle(ticks=5, step=10)
    assert_once(world)


@pytest.mark.parametrize("point", CREATES)
def test_a_refusal_waits_for_a_change_and_says_why(world: World, point: str) -> None:
    """A clear no is shown with PAI's own text; nothing is sent again until junbi.yaml changes."""
    world.fault(point, effect="error", status=400, code="InvalidParameter", message="the image is odd", times=1)
    world.deliver(world.upload())
    world.settle(ticks=6)
    assert not world.jobs
    reason = world.launches[0].reason
    assert reason is not None
    assert "the image is odd" in reason.message
    world.apply(world.generation([world.dataset()], [world.plan(tags={"cost": "1"})]))
    world.settle(ticks=2)
    assert_once(world)


def test_a_late_listing_is_waited_for(world: World) -> None:
    """The job was created, its answer lost, and ListJobs shows it only a minute later: it is still the only one."""
    world.cloud.dlc.list_lag = 45.0
    world.fault("dlc.CreateJob", when="after", effect="close")
    world.deliver(world.upload())
    world.settle(ticks=8, step=15)
    assert_once(world)


def test_two_workers_on_the_same_work_make_one(world: World) -> None:
    """A worker that was paused past its lease acts on what it had read: the row versions stop it."""
    world.deliver(world.upload())
    ports = world.ports()
    paused = Pausing(ports.dlc, lambda: (world.advance(61), world.reconcile()))
    world.reconcile(world.ports(dlc=paused))
    world.settle()
    assert_once(world)


class Pausing:
    """A DLC client whose process is stopped for a minute right before it sends CreateJob."""

    def __init__(self, client: Any, meanwhile: Callable[[], object]) -> None:
        self._client, self._meanwhile = client, meanwhile

    def create_job(self, *args: Any, **kwargs: Any) -> str:
        """Send it late."""
        self._meanwhile()
        return str(self._client.create_job(*args, **kwargs))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._client, name)


def test_bc_38_a_job_that_was_stopped_is_final(world: World) -> None:
    """BC-38: a job that somebody stopped is not launched again, however often the events come again."""
    records = world.upload()
    world.deliver(records)
    world.reconcile()
    world.ports().dlc.stop_job(world.launches[0].job_id)
    launch = world.until(LaunchState.STOPPED)
    world.deliver(records)
    world.settle(ticks=3)
    assert [(one.id, one.state) for one in world.launches] == [(launch.id, LaunchState.STOPPED)]
    assert len(world.jobs) == 1


def test_a_job_that_fails_says_so(world: World) -> None:
    """The exit code of the command decides: a failed job is failed here, with PAI's reason and where to read on."""
    job = world.plan().job.model_copy(update={"command": "echo broken >&2; exit 3"})
    world.apply(world.generation([world.dataset()], [world.plan(job=job)]))
    world.deliver(world.upload())
    launch = world.until(LaunchState.FAILED)
    assert launch.reason is not None
    assert "code 3" in launch.reason.message
    assert launch.job_id in launch.reason.fix


def test_a_plan_that_changes_its_inputs_blocks_what_waits(world: World) -> None:
    """A waiting launch follows the plan in force; where it no longer fits, it says so instead of failing."""
    world.fault("dlc.CreateJob", effect="error", status=400, code="InvalidParameter", times=1)
    world.deliver(world.upload())
    world.settle(ticks=2)
    datasets = [world.dataset(), world.dataset("labels")]
    world.apply(world.generation(datasets, [world.plan(datasets=("digits", "labels"))]))
    world.settle(ticks=2)
    reason = world.launches[0].reason
    assert reason is not None
    assert reason.code == "PlanChanged"
    world.apply(world.generation(datasets, []))
    world.settle(ticks=2)
    assert [one.reason.code for one in world.launches if one.reason] == ["PlanRemoved"]
    assert not world.jobs
