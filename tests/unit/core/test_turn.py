"""Policies together: whatever is combined, a launch is held, skipped, or submitted as a small model of them says."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import combinations, product
from typing import Any

import pytest
from tests.unit.core.plans import plan

from junbi.core import readiness, turn
from junbi.core.facts import Attempt, Freeze, Launch, LaunchState, Stop
from junbi.core.model import Check, Reason, State
from junbi.core.policy import Policy, Window
from junbi.core.turn import Run, Turn, TurnFacts

NOW = datetime(2026, 3, 4, 12, tzinfo=UTC)  # a Wednesday
DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
OPEN = Window(start="11:00", end="13:00", days=DAYS, timezone="UTC")
CLOSED = Window(start="14:00", end="15:00", days=DAYS, timezone="UTC")
PLAN = plan(datasets=("digits",), mounts={})


def launch(name: str = "l-new", state: LaunchState = LaunchState.WAITING, **more: Any) -> Launch:
    """A launch of the plan."""
    policy = more.pop("policy", Policy())
    spec = PLAN.model_copy(update={"policy": policy})
    return Launch(name, "train", "i", 0, "t", {}, {}, spec, 1, state, NOW, NOW, **more)


def begun(minutes_ago: float, name: str = "l-old") -> Attempt:
    """An attempt that began so long ago."""
    return Attempt(name, 1, "train", NOW - timedelta(minutes=minutes_ago))


OTHER = Run(launch("l-other", LaunchState.RUNNING, job_id="dlc1"), NOW - timedelta(hours=2))
FREEZE = Freeze("", "alice", NOW)

#: Each policy in its settings: what it adds to the policy, what it adds to the facts, and whether it holds the launch.
GATES: dict[str, tuple[dict[str, Any], dict[str, Any], str]] = {
    "frozen": ({}, {"frozen": FREEZE}, "Frozen"),
    "approve": ({"approve": True}, {}, "AwaitingApproval"),
    "window": ({"window": CLOSED}, {}, "OutsideWindow"),
    "per_hour": ({"per_hour": 1}, {"begun": (begun(10),)}, "HourlyCap"),
    "pause": ({}, {"launch": {"attempt": 2, "not_before": NOW + timedelta(minutes=5)}}, "RetryLater"),
    "budget": ({"retry_budget": 1}, {"launch": {"attempt": 2}, "retried": (begun(20),)}, "RetryBudget"),
    "unready": ({}, {"ready": False}, ""),
}
OPENED: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "approved": ({"approve": True}, {"launch": {"approved_by": "alice"}}),
    "window": ({"window": OPEN}, {}),
    "per_hour": ({"per_hour": 2}, {"begun": (begun(10),)}),
    "pause over": ({}, {"launch": {"attempt": 2, "not_before": NOW}}),
    "budget": ({"retry_budget": 2}, {"launch": {"attempt": 2}, "retried": (begun(20),)}),
    "nothing": ({}, {}),
}
OVERLAPS = ("queue", "replace", "skip", "allow")


def decide(*parts: tuple[dict[str, Any], dict[str, Any]], **policy: Any) -> Turn:
    """The decision on a launch with these policies and facts together."""
    said: dict[str, Any] = dict(policy)
    facts: dict[str, Any] = {"ready": True}
    mine: dict[str, Any] = {}
    for one, more in parts:
        said |= one
        mine |= more.get("launch", {})
        facts |= {key: value for key, value in more.items() if key != "launch"}
    return turn.decide(TurnFacts(launch(policy=Policy(**said), **mine), NOW, **facts))


def outcome(found: Turn, *, ready: bool) -> str:
    """What becomes of the launch: submitted, skipped, or waiting."""
    if found.skip is not None:
        return f"skipped {found.skip.code}"
    return "submitted" if ready and readiness.all_ready(found.checks) else "waiting"


def codes(found: Turn) -> set[str]:
    """The codes of everything that holds it."""
    return {check.reason.code for check in found.checks if check.reason is not None}


def model(overlap: str, mode: str, *, held: bool, runs: bool) -> str:
    """The reference: a policy that acts does so only where nothing holds the launch."""
    if held:
        return "waiting"
    if mode == "shadow":
        return "skipped ShadowMode"
    if not runs or overlap == "allow":
        return "submitted"
    return "skipped OverlapPolicy" if overlap == "skip" else "waiting"


@pytest.mark.parametrize("gates", [(), *combinations(GATES, 1), *combinations(GATES, 2)], ids="+".join)
@pytest.mark.parametrize(("overlap", "mode"), list(product(OVERLAPS, ("live", "shadow"))))
@pytest.mark.parametrize("runs", [(), (OTHER,)], ids=["alone", "beside a run"])
def test_bc_46_pairs_of_policies(gates: tuple[str, ...], overlap: str, mode: str, runs: tuple[Run, ...]) -> None:
    """BC-46: any two holds with any overlap, mode and run: the model's outcome, and nobody stopped early."""
    found = decide(
        *((GATES[name][0], GATES[name][1]) for name in gates), ({}, {"runs": runs}), overlap=overlap, mode=mode
    )
    ready = "unready" not in gates
    assert outcome(found, ready=ready) == model(overlap, mode, held=bool(gates), runs=bool(runs))
    assert codes(found) >= {GATES[name][2] for name in gates} - {""}
    stops = bool(runs) and overlap == "replace" and mode == "live" and not gates
    assert [one.id for one in found.stopped] == (["l-other"] if stops else [])


@pytest.mark.parametrize("opened", [*combinations(OPENED, 2)], ids="+".join)
@pytest.mark.parametrize("overlap", OVERLAPS)
def test_bc_46_policies_that_are_satisfied_hold_nothing(opened: tuple[str, str], overlap: str) -> None:
    """BC-46: two policies that are both content let a launch go, whatever 'overlap' says."""
    assert outcome(decide(*(OPENED[name] for name in opened), overlap=overlap), ready=True) == "submitted"


@pytest.mark.parametrize(("gate", "opened"), list(product(GATES, OPENED)))
def test_bc_46_one_hold_is_enough(gate: str, opened: str) -> None:
    """BC-46: a policy that is content never switches another one off."""
    if {gate, opened} in ({"per_hour"}, {"window"}, {"budget"}) or (gate, opened) in {
        ("approve", "approved"),
        ("pause", "pause over"),
    }:
        return  # the same policy twice
    policy, facts, _ = GATES[gate]
    found = decide(OPENED[opened], (policy, facts))
    assert outcome(found, ready=gate != "unready") == "waiting"


def test_the_next_look_is_the_first_that_may_change_something() -> None:
    """Of several holds that end by themselves the earliest end wakes the launch."""
    found = decide(GATES["window"][:2], GATES["per_hour"][:2], GATES["pause"][:2])
    assert found.wake_at == NOW + timedelta(minutes=5)


def test_the_cap_ends_when_enough_are_an_hour_old() -> None:
    """With three begun and a cap of two, two of them have to grow old."""
    found = decide(({"per_hour": 2}, {"begun": (begun(50), begun(40), begun(10))}))
    assert found.wake_at == NOW + timedelta(minutes=20)


@pytest.mark.parametrize("spare", [1800.0, None])
def test_replace_stops_nobody_while_another_run_is_spared(spare: float | None) -> None:
    """Stopping some while others go on would cost their work and start nothing."""
    young = Run(launch("l-young", LaunchState.RUNNING), NOW - timedelta(minutes=5))
    found = decide(({}, {"runs": (OTHER, young)}), overlap="replace", spare=spare)
    assert [one.id for one in found.stopped] == ([] if spare else ["l-other", "l-young"])


def test_a_run_that_is_being_stopped_is_not_asked_twice() -> None:
    """The first wish stands, with its reason; one that would have tried again is overruled."""
    stop = Stop(Reason("Cancelled", "by bob"), NOW, "bob")
    for retry, expected in ((False, []), (True, ["l-other"])):
        run = Run(replace(OTHER.launch, stop=replace(stop, retry=retry)), OTHER.begun_at)
        assert [one.id for one in decide(({}, {"runs": (run,)}), overlap="replace").stopped] == expected


@pytest.mark.parametrize("overlap", ["queue", "replace"])
def test_the_older_of_two_waiting_launches_goes_first(overlap: str) -> None:
    """One that only waits for its turn is let through by those after it."""
    found = decide(({}, {"ahead": launch("l-older")}), overlap=overlap)
    assert codes(found) == {"OverlapPolicy"}
    assert outcome(found, ready=True) == "waiting"


@pytest.mark.parametrize(
    ("checks", "state", "waits"),
    [
        ((Check("overlap", State.RETRY),), LaunchState.WAITING, True),
        ((Check("overlap", State.RETRY), Check("plan", State.READY)), LaunchState.WAITING, True),
        ((Check("overlap", State.RETRY), Check("window", State.RETRY)), LaunchState.WAITING, False),
        ((Check("overlap", State.READY),), LaunchState.WAITING, False),
        ((), LaunchState.WAITING, False),
        ((Check("overlap", State.RETRY),), LaunchState.REFUSED, False),
    ],
)
def test_who_waits_for_nothing_but_its_turn(checks: tuple[Check, ...], state: LaunchState, waits: bool) -> None:  # noqa: FBT001
    """Only such a launch holds back those after it: one that is blocked would block them for ever."""
    assert turn.waits_for_turn(launch(state=state, checks=checks)) is waits
