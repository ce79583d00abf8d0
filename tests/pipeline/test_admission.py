"""Launches that run in a quota: ready ones stand in line, are let in as there is room, and give it back."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from junbi.core.admission import LEASE
from junbi.core.facts import LaunchState
from junbi.core.plan import Fallback, JobTemplate, Queue, Resource, Workers
from junbi.core.policy import Policy
from junbi.core.reasons import Code
from junbi.errors import Refused
from junbi.pipeline import acts, admission, quota_views, quotas

if TYPE_CHECKING:
    from collections.abc import Callable

    from junbi.core.facts import Launch

#: All of the quota that the local cloud begins with for a team.
WHOLE = Workers(cpu=16, memory="60Gi", gpu=1)
HALF = Workers(cpu=8, memory="30Gi")
TEAM = Resource(name="team", quota="quotateam01")
HOLD = Queue(waits=True)


def job(workers: Workers = WHOLE, command: str = "echo {digits.version}") -> JobTemplate:
    """A job of those pods."""
    return JobTemplate(type="PyTorchJob", workers=workers, command=command)


def run_in(world: Any, **more: Any) -> None:
    """Put a plan in force that runs in a quota, and read the quotas."""
    wanted = {"resource": TEAM, "queue": HOLD, "job": job()} | more
    world.apply(world.generation([world.dataset()], [world.plan(**wanted)]))
    tick(world)


def tick(world: Any) -> None:
    """One tick of quota_change."""
    quotas.tick(world.ports())


def turn_over(world: Any, seconds: float = 90.0) -> None:
    """Every function's timer comes round once, after so many seconds."""
    world.advance(seconds)
    world.job_change()
    tick(world)
    world.reconcile()


def uploaded(world: Any, *versions: str) -> None:
    """Versions arrive and are closed, one after the other."""
    for version in versions:
        world.deliver(world.upload(version))
        for _ in range(4):
            world.reconcile()
            world.advance(3)


def why(world: Any, number: int = 0) -> tuple[str, str]:
    """The state of a launch, oldest first, and the code of its reason."""
    launch = world.launches[number]
    return launch.state, launch.reason.code if launch.reason else ""


def reaches(world: Any, number: int, *states: LaunchState, patience: float = 30.0) -> Launch:
    """The launch once it is in one of those states; its pods are real processes."""
    end = time.monotonic() + patience
    while time.monotonic() < end:
        launch: Launch = world.launches[number]
        if launch.state in states:
            return launch
        turn_over(world, 5)
        time.sleep(0.1)
    raise AssertionError(f"launch {number} became none of {states}: {world.launches}, {world.ledger.stories()}")


def test_a_job_runs_in_its_quota_as_pai_wants_it(world: Any) -> None:
    """ResourceId and, as texts, what each pod asks for; no instance type beside them."""
    template = job(Workers(count=1, cpu=4, memory="8Gi", shared_memory="4Gi", gpu=1, gpu_type="A10"))
    run_in(world, job=template, policy=Policy(priority=7))
    uploaded(world, "v1")
    assert reaches(world, 0, LaunchState.SUCCEEDED)
    (made,) = world.jobs
    assert made.request["ResourceId"] == "quotateam01"
    assert made.request["Priority"] == 7
    (spec,) = made.request["JobSpecs"]
    asked = {"CPU": "4", "Memory": "8Gi", "SharedMemory": "4Gi", "GPU": "1", "GPUType": "A10"}
    assert (spec["ResourceConfig"], "EcsSpec" in spec) == (asked, False)


def test_the_second_waits_for_room_and_goes_by_itself_when_the_first_has_ended(world: Any) -> None:
    """Nothing is submitted that would not fit; the reading after the end of what was in the way lets it in."""
    run_in(world, job=job(command="sleep 600"))
    uploaded(world, "v1", "v2")
    reaches(world, 0, LaunchState.RUNNING)
    assert why(world, 1) == (LaunchState.WAITING, Code.WAITING_FOR_QUOTA)
    facts = world.launches[1].reason.facts
    assert (facts["position"], facts["gap"]) == ("1", "16 CPU, 60Gi memory, 1 GPU")
    assert len(world.jobs) == 1
    (team,) = [one for one in quota_views.quotas(world.ledger)["quotas"] if one["id"] == "quotateam01"]
    places = {said: [one["launch"] for one in team["line"][said]] for said in ("in", "waiting")}
    assert places == {"in": [world.launches[0].id], "waiting": [world.launches[1].id]}
    world.ports().dlc.stop_job(world.jobs[0].job_id)
    assert reaches(world, 1, LaunchState.QUEUED, LaunchState.PREPARING, LaunchState.RUNNING)
    assert reaches(world, 0, LaunchState.STOPPED)


def test_bc_103_what_a_stopped_job_held_is_free_at_once(world: Any) -> None:
    """BC-103: a job that somebody stopped in the console holds nothing in our books."""
    run_in(world, job=job(command="sleep 600"))
    uploaded(world, "v1")
    launch = reaches(world, 0, LaunchState.RUNNING)
    assert world.ledger.reservations.of(launch.id) is not None
    world.ports().dlc.stop_job(launch.job_id)
    reaches(world, 0, LaunchState.STOPPED)
    assert world.ledger.reservations.of(launch.id) is None


def test_pais_queue_gets_one_of_ours_at_a_time_the_higher_priority_first(world: Any) -> None:
    """submit: though others hold all of it; what comes later with a higher priority goes before what waits."""
    world.cloud.quotas.put({"QuotaId": "quotateam01", "QuotaDetails": _full(world)})
    plans = [
        world.plan(name, resource=TEAM, job=job(command="sleep 600"), policy=Policy(priority=priority))
        for name, priority in (("first", 5), ("low", 1), ("high", 9))
    ]
    for number in (1, 2, 3):
        world.apply(world.generation([world.dataset()], plans[:number]))
        tick(world)
        uploaded(world, f"v{number}")
    queued = [one for one in world.launches if one.state is not LaunchState.WAITING]
    assert [one.plan for one in queued] == ["first"]
    assert {one.reason.code for one in world.launches if one not in queued} == {Code.WAITING_FOR_QUOTA}
    world.cloud.quotas.put({"QuotaId": "quotateam01", "QuotaDetails": _empty(world)})
    reaches(world, 0, LaunchState.RUNNING)
    turn_over(world)
    submitted = [one.plan for one in world.launches if one.state is not LaunchState.WAITING]
    assert submitted == ["first", "high"]


UNFIT: dict[str, tuple[dict[str, Any], Callable[[Any], Any], Code]] = {
    "not attached": (
        {"Workspaces": None},
        lambda _: {"Workspaces": [{"WorkspaceId": "104231", "WorkspaceName": "vision"}]},
        Code.QUOTA_NOT_ATTACHED,
    ),
    "not ready": ({"Status": "Creating"}, lambda _: {"Status": "Ready"}, Code.QUOTA_NOT_READY),
    "too small": (
        {"QuotaDetails": {"AllocatableQuota": {"CPU": "8", "Memory": "60Gi", "GPU": "1"}}},
        lambda details: {"QuotaDetails": details},
        Code.EXCEEDS_QUOTA,
    ),
    "of another kind": ({"ResourceType": "Lingjun"}, lambda _: {"ResourceType": "ECS"}, Code.QUOTA_KIND_MISMATCH),
}


@pytest.mark.parametrize("case", UNFIT)
def test_a_quota_that_cannot_take_the_job_is_told_and_the_launch_goes_by_itself_once_it_can(
    world: Any, case: str
) -> None:
    """Each with its reason and what to do; nothing is submitted meanwhile, and no hand is needed after the fix."""
    bad, good, code = UNFIT[case]
    details = world.cloud.quotas.get("quotateam01").to_wire()["QuotaDetails"]
    world.cloud.quotas.put({"QuotaId": "quotateam01", **bad})
    run_in(world)
    uploaded(world, "v1")
    turn_over(world)
    launch = world.launches[0]
    assert why(world) == (LaunchState.WAITING, code)
    assert launch.reason.wakes
    assert launch.reason.fix or code is Code.QUOTA_NOT_READY
    assert world.jobs == []
    world.cloud.quotas.put({"QuotaId": "quotateam01", **good(details)})
    assert reaches(world, 0, LaunchState.SUCCEEDED)


def test_bc_113_what_never_fits_is_said_with_its_figures_and_never_queued(world: Any) -> None:
    """BC-113: more than the whole quota is refused before it could stand in anybody's way."""
    run_in(world, job=job(Workers(count=3, cpu=16, memory="60Gi", gpu=1)))
    uploaded(world, "v1")
    reason = world.launches[0].reason
    assert reason.code == Code.EXCEEDS_QUOTA
    assert reason.facts["gap"] == "32 CPU, 120Gi memory, 2 GPU"
    assert world.ledger.reservations.of(world.launches[0].id) is None


def test_a_quota_of_the_other_kind(world: Any) -> None:
    """A Lingjun quota that the file calls general."""
    run_in(world, resource=Resource(name="x", quota="quotalingjun01"))
    uploaded(world, "v1")
    assert why(world) == (LaunchState.WAITING, Code.QUOTA_KIND_MISMATCH)


def test_before_the_quotas_were_read_nothing_is_guessed(world: Any) -> None:
    """Not read yet: it waits; not readable for us: Unknown, with the right to ask for."""

    class Closed:
        def list_quotas(self, _: str) -> Any:
            raise Refused("ListQuotas", "Forbidden.RAM", "no right")

    world.apply(world.generation([world.dataset()], [world.plan(resource=TEAM, queue=HOLD, job=job())]))
    uploaded(world, "v1")
    assert why(world) == (LaunchState.WAITING, Code.QUOTA_NOT_FOUND)
    with pytest.raises(Refused):
        quotas.tick(world.ports(quotas=Closed()))
    world.advance(400)
    world.reconcile()
    reason = world.launches[0].reason
    assert "no right" in reason.message
    assert "paistudio:ListQuotas" in reason.fix
    assert reaches(world, 0, LaunchState.SUCCEEDED)


def test_who_waited_for_too_long_runs_elsewhere(world: Any) -> None:
    """A fallback takes over after its time, with its own pods, and the quota is not asked any more."""
    world.cloud.quotas.put({"QuotaId": "quotateam01", "QuotaDetails": _full(world)})
    burst = Fallback(resource=Resource(name="burst", public="ecs.g7.large"), after=7200, workers=Workers(count=2))
    run_in(world, queue=Queue(waits=True, fallback=(burst,)))
    uploaded(world, "v1")
    turn_over(world, 3600)
    assert why(world) == (LaunchState.WAITING, Code.QUOTA_CONTENDED)
    turn_over(world, 3600)
    assert reaches(world, 0, LaunchState.SUCCEEDED)
    (made,) = world.jobs
    assert "ResourceId" not in made.request
    assert (made.request["JobSpecs"][0]["EcsSpec"], made.request["JobSpecs"][0]["PodCount"]) == ("ecs.g7.large", 2)


def test_what_a_dead_worker_was_let_in_for_goes_to_the_next_in_line(world: Any) -> None:
    """BC-119 in our own books: held for a launch that nobody brings on, it lapses, and goes by rank again."""
    world.cloud.quotas.put({"QuotaId": "quotateam01", "QuotaDetails": _full(world)})
    plans = [world.plan(name, resource=TEAM, queue=HOLD, job=job()) for name in ("first", "second")]
    world.apply(world.generation([world.dataset()], plans))
    tick(world)
    uploaded(world, "v1")
    first, second = (world.ledger.reservations.of(one.launch) for one in _line(world))
    world.cloud.quotas.put({"QuotaId": "quotateam01", "QuotaDetails": _empty(world)})
    tick(world)
    admission.look(world.ports(), "quotateam01")
    assert [one.launch for one in world.ledger.reservations.held("cn-hangzhou", "quotateam01")] == [first.launch]
    world.ledger.reservations.put("cn-hangzhou", replace(second, priority=9))
    world.advance(LEASE.total_seconds())
    admission.look(world.ports(), "quotateam01")
    assert [one.launch for one in world.ledger.reservations.held("cn-hangzhou", "quotateam01")] == [second.launch]


def test_bc_104_a_launch_that_is_not_ready_any_more_gives_back_what_it_held(world: Any) -> None:
    """BC-104: let in, and then its data changed or somebody froze it: the next in line gets the room."""
    world.cloud.quotas.put({"QuotaId": "quotateam01", "QuotaDetails": _full(world)})
    run_in(world)
    uploaded(world, "v1")
    launch = world.launches[0]
    assert world.ledger.reservations.of(launch.id) is not None
    acts.freeze(world.ledger, "train", "somebody")
    turn_over(world, 400)
    assert why(world) == (LaunchState.WAITING, Code.FROZEN)
    assert world.ledger.reservations.of(launch.id) is None


def _line(world: Any) -> list[Any]:
    return world.ledger.reservations.waiting("cn-hangzhou", "quotateam01")


def _empty(world: Any) -> dict[str, Any]:
    details: dict[str, Any] = world.cloud.quotas.get("quotateam01").to_wire()["QuotaDetails"]
    return details | {"AllocatedQuota": {"CPU": "0", "Memory": "0Gi", "GPU": "0"}}


def _full(world: Any) -> dict[str, Any]:
    details: dict[str, Any] = world.cloud.quotas.get("quotateam01").to_wire()["QuotaDetails"]
    return details | {"AllocatedQuota": details["AllocatableQuota"]}
