"""Policies at work: each holds, skips, replaces or tries again exactly as declared, and says so."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest

from junbi.core.facts import Launch, LaunchState
from junbi.core.policy import FailureClass, Limit, Limits, Policy, Retries, Window
from junbi.pipeline import acts

if TYPE_CHECKING:
    from tests.pipeline.conftest import World

SLEEP = "sleep 60"


def declare(world: World, *, command: str = SLEEP, datasets: tuple[str, ...] = ("digits",), **more: Any) -> None:
    """Put a plan with these policies in force."""
    job = world.plan().job.model_copy(update={"command": command})
    policy = more.pop("policy", Policy())
    plan = world.plan(on=datasets, job=job, policy=policy, **more)
    world.apply(world.generation([world.dataset(name) for name in datasets], [plan]))


def arrive(world: World, *versions: str, name: str = "digits") -> None:
    """Versions come, one after another, and are looked at."""
    for version in versions:
        world.deliver(world.upload(version, files=1, name=name))
        world.reconcile()
        world.advance(1)


def of(world: World, label: str, name: str = "digits") -> Launch:
    """The launch that trains on a version."""
    mine = [one for one in world.launches if name in one.pins]
    found = [one for one in mine if world.ledger.revisions.get(one.pins[name]).label == label]
    assert found, [entry["message"] for entry in world.ledger.stories()]
    return found[-1]


def code(launch: Launch) -> str:
    """The code of a launch's reason."""
    return launch.reason.code if launch.reason else ""


def end(world: World, launch: Launch, status: str = "Failed", reason: str = "JobFailed") -> None:
    """A job of the local PAI ends so, and ``job_change`` sees it."""
    now = world.cloud.clock.now()
    world.cloud.dlc.jobs.change(launch.job_id, lambda job: job.move(status, now, reason, "as ordered"))
    world.job_change()


def test_attempts_write_apart_where_the_plan_says_so(world: World) -> None:
    """``{attempt}`` is filled in command, environment and outputs: the second attempt writes elsewhere."""
    job = world.plan().job.model_copy(update={"command": "echo {launch}/{attempt}", "env": {"TRY": "{attempt}"}})
    output = world.plan().outputs[0].model_copy(update={"uri": "oss://models/{launch}/{attempt}/"})
    policy = Policy(retries=Retries(max=1, on=tuple(FailureClass), backoff=1))
    world.apply(world.generation([world.dataset()], [world.plan(job=job, outputs=(output,), policy=policy)]))
    arrive(world, "v1")
    end(world, world.launches[0])
    world.settle(ticks=2)
    launch = world.launches[0]
    told = {job.request["Envs"]["TRY"]: job.request for job in world.jobs}
    assert set(told) == {"1", "2"}
    for attempt, request in told.items():
        assert request["UserCommand"] == f"echo {launch.id}/{attempt}"
        assert request["Envs"]["JUNBI_ATTEMPT"] == attempt
        written = next(one["Uri"] for one in request["DataSources"] if one["MountPath"] == "/mnt/out")
        assert written.endswith(f"/{launch.id}/{attempt}/")


def test_queue_runs_one_at_a_time_in_order(world: World) -> None:
    """While a run is under way others wait and say for which; the oldest goes on when it ends, at once."""
    declare(world, policy=Policy(overlap="queue"))
    arrive(world, "v1", "v2", "v3")
    assert [one.state.value for one in world.launches] == ["submitted", "waiting", "waiting"]
    second = of(world, "v2")
    assert code(second) == "OverlapPolicy"
    assert second.reason
    assert of(world, "v1").id in second.reason.message
    end(world, of(world, "v1"), "Succeeded")
    world.reconcile()
    assert [one.state.value for one in world.launches] == ["succeeded", "submitted", "waiting"]
    end(world, of(world, "v2"))
    world.reconcile()
    assert len(world.jobs) == 3


def test_skip_lets_go_by_what_comes_during_a_run(world: World) -> None:
    """The launch ends as skipped, with the run that was under way and how to run it all the same."""
    declare(world, policy=Policy(overlap="skip"))
    arrive(world, "v1", "v2")
    skipped = of(world, "v2")
    assert (skipped.state, code(skipped)) == (LaunchState.SKIPPED, "OverlapPolicy")
    end(world, of(world, "v1"))
    world.settle(ticks=2)
    assert len(world.jobs) == 1
    acts.rerun(world.ledger, skipped.id, "alice")
    world.reconcile()
    assert len(world.jobs) == 2


def test_bc_110_replace_stops_the_run_and_takes_its_place(world: World) -> None:
    """BC-110: the older run is stopped by our own wish and is never tried again; then the newer one runs."""
    declare(world, policy=Policy(overlap="replace", retries=Retries(max=3, on=tuple(FailureClass))))
    arrive(world, "v1")
    world.until(LaunchState.RUNNING)  # nothing but the wish itself has it looked at from here on
    arrive(world, "v2")
    assert of(world, "v1").stop
    assert len(world.jobs) == 1, "the newer one waits for the end of the older"
    world.until(LaunchState.RUNNING)
    first, second = of(world, "v1"), of(world, "v2")
    assert (first.state, code(first)) == (LaunchState.STOPPED, "OverlapPolicy")
    assert first.reason
    assert first.reason.facts["by"] == second.id
    world.settle(ticks=4, step=3600)
    assert len(world.jobs) == 2


def test_replace_spares_what_is_old_enough(world: World) -> None:
    """A run older than 'spare' is waited for."""
    declare(world, policy=Policy(overlap="replace", spare=3600))
    arrive(world, "v1")
    world.advance(4000)
    arrive(world, "v2")
    assert of(world, "v1").stop is None
    assert code(of(world, "v2")) == "OverlapPolicy"


def test_waiting_newest_supersedes_and_says_by_which(world: World) -> None:
    """Of those that wait only the newest goes on; what a person asked for keeps its place."""
    declare(world, policy=Policy(overlap="queue", waiting="newest"))
    arrive(world, "v1", "v2")
    acts.cancel(world.ledger, of(world, "v2").id, "alice")
    asked = acts.rerun(world.ledger, of(world, "v2").id, "alice")
    arrive(world, "v3", "v4")
    third = of(world, "v3")
    assert (third.state, code(third)) == (LaunchState.SUPERSEDED, "Superseded")
    assert third.reason
    assert third.reason.facts["by"] == of(world, "v4").id
    assert isinstance(asked, Launch)
    standing = world.ledger.launches.get(asked.id)
    assert standing
    assert standing.state is LaunchState.WAITING


@pytest.mark.parametrize("reason", ["JobPreempted", "ResourceAllocateFailed"])
def test_a_retryable_end_makes_another_attempt(world: World, reason: str) -> None:
    """After its pause the launch has another attempt with a job of its own, and both are remembered."""
    declare(world, policy=Policy(retries=Retries(max=1, backoff=60)))
    arrive(world, "v1")
    first = of(world, "v1")
    end(world, first, "Failed", reason)
    world.reconcile()
    assert (of(world, "v1").state, code(of(world, "v1"))) == (LaunchState.WAITING, "RetryLater")
    assert len(world.jobs) == 1
    world.advance(125)
    world.reconcile()
    second = of(world, "v1")
    assert (second.state, second.attempt) == (LaunchState.SUBMITTED, 2)
    assert [one.job_id for one in world.ledger.policies.attempts(first.id)] == [first.job_id, second.job_id]
    tags = [job.request["Settings"]["Tags"]["junbi.attempt"] for job in world.jobs]
    assert sorted(tags) == ["1", "2"]
    end(world, second, "Failed", reason)
    world.settle(ticks=3, step=3600)
    assert of(world, "v1").state is LaunchState.FAILED
    assert "attempt 2 of 2" in of(world, "v1").reason.message  # type: ignore[union-attr]
    assert len(world.jobs) == 2


@pytest.mark.parametrize(
    ("status", "reason", "said"),
    [
        ("Failed", "JobFailed", "user_code is not in retries.on"),
        ("Failed", "SomethingNew", "does not know the reason code SomethingNew"),
        ("Stopped", "JobStoppedByUser", "Somebody stopped it in PAI"),
        ("Stopped", "ResourceAllocateFailed", "Somebody stopped it in PAI"),
    ],
)
def test_what_is_not_tried_again_says_why(world: World, status: str, reason: str, said: str) -> None:
    """BC-38, BC-40: other classes, unknown codes and other people's stops are final."""
    declare(world, policy=Policy(retries=Retries(max=3)))
    arrive(world, "v1")
    end(world, of(world, "v1"), status, reason)
    world.settle(ticks=3, step=3600)
    launch = of(world, "v1")
    assert launch.state in {LaunchState.FAILED, LaunchState.STOPPED}
    assert launch.reason
    assert said in launch.reason.message
    assert len(world.jobs) == 1


def test_bc_125_a_retry_budget_holds_what_failed_together(world: World) -> None:
    """BC-125: of launches that fail together only as many are tried again in an hour as the budget says."""
    declare(world, policy=Policy(retries=Retries(max=1, backoff=1), retry_budget=1))
    arrive(world, "v1", "v2", "v3")
    for label in ("v1", "v2", "v3"):
        end(world, of(world, label), "Failed", "JobPreempted")
    world.advance(10)
    world.reconcile()
    assert len(world.jobs) == 4
    assert sorted(code(one) for one in world.launches) == ["", "RetryBudget", "RetryBudget"]
    for _ in range(2):
        world.advance(3601)
        world.reconcile()
    assert len(world.jobs) == 6


@pytest.mark.parametrize(("then", "state", "jobs"), [("notify", "queued", 1), ("stop", "stopped", 1)])
def test_a_phase_that_lasts_too_long(world: World, then: Any, state: str, jobs: int) -> None:
    """It is told with PAI's events as evidence, once; and where declared, the job is stopped."""
    declare(world, policy=Policy(limits=Limits(queued=Limit(after=600, then=then))))
    world.cloud.dlc.scheduler.stop()
    arrive(world, "v1")
    world.advance(601)
    world.reconcile()
    world.reconcile()
    launch = of(world, "v1")
    assert code(launch) == "QueuedTooLong"
    assert launch.reason
    assert launch.job_id in launch.reason.message
    assert world.codes().count("QueuedTooLong") == 1
    world.cloud.dlc.scheduler.step()
    world.job_change()
    assert (of(world, "v1").state.value, len(world.jobs)) == (state, jobs)


def test_a_limit_that_tries_again(world: World) -> None:
    """The job that lasted too long is stopped, and the launch has another attempt."""
    limits = Limits(total=Limit(after=600, then="retry"))
    declare(world, policy=Policy(limits=limits, retries=Retries(max=1, on=(), backoff=1)))
    arrive(world, "v1")
    world.advance(601)
    world.reconcile()
    assert of(world, "v1").stop
    end(world, of(world, "v1"), "Stopped", "JobStoppedByUser")
    world.advance(10)
    world.reconcile()
    assert (of(world, "v1").attempt, of(world, "v1").state) == (2, LaunchState.SUBMITTED)
    assert of(world, "v1").stop is None
    assert len(world.jobs) == 2


def test_hourly_cap(world: World) -> None:
    """No more submissions in any hour than declared; the next goes when the first is an hour old."""
    declare(world, policy=Policy(per_hour=2))
    arrive(world, "v1", "v2", "v3")
    assert code(of(world, "v3")) == "HourlyCap"
    world.advance(3500)
    world.reconcile()
    assert len(world.jobs) == 2
    world.advance(110)
    world.reconcile()
    assert len(world.jobs) == 3


def test_outside_the_window_launches_wait_for_it(world: World) -> None:
    """The next opening is a deadline of the launch."""
    opens = world.cloud.clock.now() + timedelta(hours=2)
    closes = opens + timedelta(hours=1)
    days = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
    window = Window(start=f"{opens:%H:%M}", end=f"{closes:%H:%M}", days=days, timezone="UTC")
    declare(world, policy=Policy(window=window))
    arrive(world, "v1")
    assert code(of(world, "v1")) == "OutsideWindow"
    world.advance(7200)
    world.reconcile()
    assert of(world, "v1").state is LaunchState.SUBMITTED


def test_approval(world: World) -> None:
    """Nothing is submitted before somebody approves it, and the story says who did."""
    declare(world, policy=Policy(approve=True))
    arrive(world, "v1")
    world.settle(ticks=3)
    assert code(of(world, "v1")) == "AwaitingApproval"
    acts.approve(world.ledger, of(world, "v1").id, "alice")
    world.reconcile()
    assert of(world, "v1").state is LaunchState.SUBMITTED
    assert any(entry["message"] == "alice approved it." for entry in world.ledger.stories())


def test_shadow_decides_and_submits_nothing(world: World) -> None:
    """Everything is evaluated and recorded; the launch is let go by."""
    declare(world, policy=Policy(mode="shadow"))
    arrive(world, "v1")
    launch = of(world, "v1")
    assert (launch.state, code(launch)) == (LaunchState.SKIPPED, "ShadowMode")
    assert all(check.ready for check in launch.checks)
    assert not world.jobs


def test_priority_is_paid_attention_to_by_pai(world: World) -> None:
    """It is part of the request."""
    declare(world, policy=Policy(priority=7))
    arrive(world, "v1")
    assert world.jobs[0].request["Priority"] == 7


@pytest.mark.parametrize(
    ("meanwhile", "states"),
    [
        ("every", ["submitted", "submitted", "submitted"]),
        ("newest", ["superseded", "superseded", "submitted"]),
        ("skip", ["skipped", "skipped", "skipped"]),
    ],
)
@pytest.mark.parametrize("plan", ["", "train"])
def test_bc_19_a_thaw_says_what_becomes_of_what_came(
    world: World, plan: str, meanwhile: Any, states: list[str]
) -> None:
    """BC-19: what came during a freeze goes on, is compressed or skipped, as the one who thaws says."""
    declare(world)
    acts.freeze(world.ledger, plan, "alice")
    arrive(world, "v1", "v2", "v3")
    assert {code(one) for one in world.launches} == {"Frozen"}
    assert not world.jobs
    told = acts.thaw(world.ledger, plan, "bob", meanwhile)
    assert told == {"go_on": states.count("submitted"), "let_go": 3 - states.count("submitted")}
    world.reconcile()
    assert [of(world, label).state.value for label in ("v1", "v2", "v3")] == states


def test_one_freeze_does_not_end_another(world: World) -> None:
    """A plan that is frozen by itself stays so when all are thawed."""
    declare(world)
    for plan in ("", "train"):
        acts.freeze(world.ledger, plan, "alice")
    arrive(world, "v1")
    acts.thaw(world.ledger, "", "bob")
    world.settle(ticks=2)
    assert not world.jobs
    acts.thaw(world.ledger, "train", "bob")
    world.reconcile()
    assert len(world.jobs) == 1
