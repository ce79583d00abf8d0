"""What changes while launches stand in line: turns to a fallback, other quotas of one tree, the tree itself."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest
from tests.pipeline.test_admission import HOLD, TEAM, _full, job, reaches, run_in, tick, turn_over, uploaded, why
from tests.pipeline.test_quotas import is_due

from junbi.core.facts import LaunchState
from junbi.core.model import Check, Reason, State
from junbi.core.plan import Fallback, Queue, Resource, Workers
from junbi.core.reasons import Code
from junbi.pipeline import admission, launch, launch_facts

if TYPE_CHECKING:
    from junbi.core.plan import PlanSpec

HERE = "cn-hangzhou"
ROOM = {"AllocatableQuota": {"CPU": "64", "Memory": "240Gi", "GPU": "4"}}
EMPTY = {"AllocatedQuota": {"CPU": "0", "Memory": "0Gi", "GPU": "0"}}
#: Two other quotas, after 100 and 200 seconds.
TWO = Queue(
    waits=True,
    fallback=tuple(
        Fallback(resource=Resource(name=name, quota=f"quota{name}"), after=after, workers=Workers(cpu=1, memory="1Gi"))
        for name, after in (("first", 100), ("second", 200))
    ),
)


def fill(world: Any) -> None:
    """Somebody else holds all of the team's quota."""
    world.cloud.quotas.put({"QuotaId": TEAM.quota, "QuotaDetails": _full(world)})


def placed(world: Any, plan: PlanSpec, seconds: float) -> tuple[str, int]:
    """What the first launch runs on after so many seconds in the line, and which fallback that is; then it is saved."""
    one = world.launches[0]
    own = world.ledger.reservations.of(one.id)
    chosen, choice = admission.placed(world.ledger, one, plan, own.asked_at + timedelta(seconds=seconds))
    world.ledger.reservations.put(HERE, replace(own, choice=choice, quota=chosen.resource.quota))
    world.ledger.launches.save(replace(one, spec=chosen))
    return chosen.resource.name, choice


def test_a_further_attempt_turns_to_one_fallback_after_the_other_each_at_its_time(world: Any) -> None:
    """It is evaluated against what the look before left of its plan: looking again turns to nothing by itself."""
    fill(world)
    run_in(world, queue=TWO)
    uploaded(world, "v1")
    one = world.launches[0]
    own = world.ledger.reservations.of(one.id)
    world.ledger.launches.save(replace(one, attempt=2))
    world.ledger.reservations.put(HERE, replace(own, attempt=2))
    turns = [placed(world, world.launches[0].spec, seconds) for seconds in (99, 100, 101, 199, 200, 300)]
    assert turns == [("team", 0), ("first", 1), ("first", 1), ("first", 1), ("second", 2), ("second", 2)]


def test_a_fallback_that_cannot_be_had_is_given_up_for_the_next_at_its_time(world: Any) -> None:
    """Its quota is not there, or not attached: the time in the line does not begin anew."""
    fill(world)
    run_in(world, queue=TWO)
    uploaded(world, "v1")
    one, plan = world.launches[0], world.launches[0].spec
    began = world.ledger.reservations.of(one.id).asked_at
    blocked = (Check("resource", State.BLOCKED, Reason(Code.QUOTA_NOT_FOUND, "PAI lists none")),)
    turns = []
    for seconds in (100, 150, 200):
        now = began + timedelta(seconds=seconds)
        chosen, choice = admission.placed(world.ledger, one, plan, now)
        with world.ledger.transaction():
            _, again = admission.line_up(world.ledger, HERE, replace(one, spec=chosen, checks=blocked), choice, now)
        turns.append((chosen.resource.name, again and (again - began).total_seconds()))
    assert turns == [("first", 200), ("first", 200), ("second", None)]
    assert world.ledger.reservations.of(one.id) is None


def due(world: Any) -> datetime:
    """When the line before the team's quota is gone through next."""
    return datetime.fromisoformat(world.ledger.worklist.entry("quota", TEAM.quota)["due_at"])


def test_who_turns_to_a_fallback_wakes_the_line_it_leaves(world: Any) -> None:
    """It may have been in the way of all who come after it there."""
    fill(world)
    burst = Fallback(resource=Resource(name="burst", public="ecs.g7.large"), after=600, workers=Workers(count=2))
    run_in(world, queue=Queue(waits=True, fallback=(burst,)))
    uploaded(world, "v1")
    one = world.launches[0]
    now = world.ledger.now()
    plan, choice = admission.placed(world.ledger, one, one.spec, now + timedelta(seconds=600))
    assert due(world) > world.ledger.now()
    with world.ledger.transaction():
        admission.line_up(world.ledger, HERE, replace(one, spec=plan, checks=()), choice, world.ledger.now())
    assert due(world) <= world.ledger.now()


def test_the_first_in_its_line_is_told_of_who_holds_it_up_in_the_next(world: Any) -> None:
    """Two quotas share a parent: it is not told that it is being let in while room above is kept for another."""
    for quota, parent in (("quotaall", ""), (TEAM.quota, "quotaall"), ("quotaother", "quotaall")):
        world.cloud.quotas.put(
            {
                "QuotaId": quota,
                "QuotaName": quota,
                "ResourceType": "ECS",
                "Status": "Ready",
                "ParentQuotaId": parent,
                "Workspaces": [{"WorkspaceId": "104231", "WorkspaceName": "vision"}],
                "QuotaDetails": {**ROOM, **EMPTY},
            }
        )
    fill(world)
    other = Resource(name="other", quota="quotaother")
    whole = job(Workers(cpu=64, memory="240Gi", gpu=4))
    plans = [
        world.plan("a", resource=TEAM, queue=Queue(waits=True, aging=1), job=whole),
        world.plan("b", resource=other, queue=HOLD, job=whole),
    ]
    world.apply(world.generation([world.dataset()], plans[:1]))
    tick(world)
    uploaded(world, "v1")
    world.apply(world.generation([world.dataset()], plans))
    uploaded(world, "v2")
    turn_over(world, 400)
    first, *_, last = sorted(world.launches, key=lambda one: (one.plan, one.created_at))
    assert why(world, world.launches.index(last)) == (LaunchState.WAITING, Code.WAITING_FOR_QUOTA)
    assert last.reason.facts == {"behind": first.id, "position": "1"}


def test_a_parent_that_is_gone_is_nothing_to_those_that_were_nested_in_it(world: Any) -> None:
    """What was read of it last, its size and its status, holds nobody up: the line does not look at it either."""
    run_in(world)
    uploaded(world)
    quota = world.ledger.quotas
    reading = quota.readings(HERE)["ECS"]
    team = next(one for one in quota.all(HERE) if one.id == TEAM.quota)
    parent = replace(team, id="quotaparent", declared={"Status": "Deleting"}, gone_at=world.ledger.now())
    child = replace(team, declared={**team.declared, "ParentQuotaId": "quotaparent"})
    others = [one for one in quota.all(HERE) if one.kind == "ECS" and one.id != TEAM.quota]
    with world.ledger.transaction():
        quota.save(HERE, reading, [*others, parent, child])
    chain, _ = launch_facts._quotas(world.ports(), TEAM)
    assert [one.id for one in chain or ()] == [TEAM.quota]


@pytest.mark.parametrize("codes", [("WAITING_FOR_QUOTA", "QUOTA_CONTENDED"), ("QUOTA_CONTENDED", "WAITING_FOR_QUOTA")])
def test_whose_use_of_a_quota_is_in_the_way_may_change_with_every_look_and_is_told_once(codes: Any) -> None:
    """Others come and go: a launch in the line shows it, and its story is not filled with it."""
    before, after = (Reason(Code[code], "so many are too little") for code in codes)
    assert not launch._is_news(before, after)
    assert launch._is_news(None, after)


def test_a_change_of_one_quota_wakes_nobody_who_waits_for_quite_another(world: Any) -> None:
    """Each look costs calls to PAI: only those look at once whose quota changed, or one that shares its root."""
    fill(world)
    run_in(world)
    uploaded(world, "v1")
    one = world.launches[0]
    (parent,) = (each.declared["ParentQuotaId"] for each in world.ledger.quotas.all(HERE) if each.id == TEAM.quota)
    for changed, woken in (("quotalingjun01", False), (parent, True)):
        world.cloud.quotas.put({"QuotaId": changed, "Description": "another"})
        tick(world)
        assert is_due(world, one) is woken


def test_a_plan_that_leaves_its_quota_leaves_the_line(world: Any) -> None:
    """From a quota to a public type and back, while it waits: it stands in the line only while it asks for it."""
    fill(world)
    run_in(world)
    uploaded(world, "v1")
    assert why(world) == (LaunchState.WAITING, Code.QUOTA_CONTENDED)
    one = world.launches[0]
    public = one.spec.model_copy(update={"resource": Resource(name="burst", public="ecs.g7.large")})
    now = world.ledger.now()
    with world.ledger.transaction():
        assert admission.line_up(world.ledger, HERE, replace(one, spec=public, checks=()), 0, now) == ((), None)
    assert world.ledger.reservations.of(one.id) is None
    with world.ledger.transaction():
        checks, _ = admission.line_up(world.ledger, HERE, replace(one, checks=()), 0, now)
    assert [one.reason.code for one in checks if one.reason] == [Code.QUOTA_CONTENDED]


def test_what_was_counted_twice_lets_the_next_in_without_any_event(world: Any) -> None:
    """A job that runs is counted beside the reading until that must show it; then the line is gone through again."""
    half = job(Workers(cpu=8, memory="30Gi"), "sleep 600")
    run_in(world, job=half)
    uploaded(world, "v1")
    reaches(world, 0, LaunchState.RUNNING)
    tick(world)
    uploaded(world, "v2")
    assert why(world, 1) == (LaunchState.WAITING, Code.WAITING_FOR_QUOTA)
    for _ in range(3):  # nothing changes: the readings only get younger
        world.advance(60)
        tick(world)
        world.reconcile()
    assert world.launches[1].state is not LaunchState.WAITING


def test_who_moved_up_says_what_it_waits_for_now(world: Any) -> None:
    """Not minutes later: those next in the line are looked at when one before them was let in."""
    run_in(world, job=job(command="sleep 600"))
    uploaded(world, "v1", "v2", "v3")
    reaches(world, 0, LaunchState.RUNNING)
    assert world.launches[2].reason.facts["position"] == "2"
    world.ports().dlc.stop_job(world.launches[0].job_id)
    reaches(world, 1, LaunchState.QUEUED, LaunchState.PREPARING, LaunchState.RUNNING)
    world.reconcile()
    assert world.launches[2].reason.facts["position"] == "1"
