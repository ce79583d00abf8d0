"""Which failures are tried again, after how long, and what is said where none is."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from tests.unit.core.plans import plan

from junbi.core import ending, limits, retry
from junbi.core.doubles import Double, Found, doubles
from junbi.core.ending import Report
from junbi.core.facts import Launch, LaunchState, Stop
from junbi.core.lifecycle import ACTIVE, DROPPED, ENDED, may_move
from junbi.core.model import Reason
from junbi.core.policy import FailureClass, Limit, Limits, Policy, Retries

NOW = datetime(2026, 3, 4, 12, tzinfo=UTC)
ALL = tuple(FailureClass)
WISH = Stop(Reason("Cancelled", "alice cancelled it."), NOW, "alice")


def launch(state: LaunchState = LaunchState.RUNNING, *, policy: Policy | None = None, **more: Any) -> Launch:
    """A launch with a job."""
    retried = policy or Policy(retries=Retries(max=2, on=ALL))
    spec = plan(datasets=("digits",), mounts={}, policy=retried)
    fields = {"job_id": "dlc1", "job_status": "Running", "since": NOW - timedelta(hours=2), **more}
    return Launch("l-1", "train", "i", 0, "t", {}, {}, spec, 1, state, NOW, NOW, **fields)


@pytest.mark.parametrize("status", ["Succeeded", "Failed", "Stopped"])
@pytest.mark.parametrize("code", [*retry.CLASSES, "", "JobStoppedByUser", "Unheard"])
@pytest.mark.parametrize("state", sorted(ACTIVE))
@pytest.mark.parametrize("stop", [None, WISH, replace(WISH, retry=True)], ids=["foreign", "cancelled", "limit"])
def test_table(status: str, code: str, state: LaunchState, stop: Stop | None) -> None:
    """A success ends; our wish decides; a foreign stop is final but for preemption; else the code's class decides."""
    after = ending.after(launch(state, stop=stop), Report(status, code, "said"), NOW)
    again = status != "Succeeded" and (
        stop.retry
        if stop
        else code in retry.CLASSES and (status == "Failed" or retry.CLASSES[code] is FailureClass.PREEMPTED)
    )
    assert may_move(state, after.state)
    assert after.state is (LaunchState.WAITING if again else LaunchState(status.lower()))
    assert (after.attempt, after.job_id) == ((2, "") if again else (1, "dlc1"))
    assert (after.reason is None) == (status == "Succeeded")
    assert not again or after.stop is None


@pytest.mark.parametrize("attempt", [1, 2, 3, 4])
def test_bc_110_attempts_are_counted(attempt: int) -> None:
    """BC-110: with two retries there are three attempts and never a fourth; each step takes the count further."""
    after = ending.after(launch(attempt=attempt), Report("Failed", "JobPreempted"), NOW)
    assert (after.state is LaunchState.WAITING) == (attempt < 3)
    assert after.attempt == (attempt + 1 if attempt < 3 else attempt)


@pytest.mark.parametrize("state", sorted(ENDED | DROPPED))
@pytest.mark.parametrize("status", ["Running", "Succeeded", "Failed", "Stopped"])
def test_bc_40_what_has_ended_stays(state: LaunchState, status: str) -> None:
    """BC-40: no report moves a launch out of its end, and none gives it another attempt."""
    after = ending.after(launch(state), Report(status, "JobPreempted"), NOW)
    assert (after.state, after.attempt, after.reason) == (state, 1, None)


@pytest.mark.parametrize(
    ("policy", "code", "said"),
    [
        (Policy(retries=Retries(max=1)), "JobFailed", "user_code is not in retries.on"),
        (Policy(retries=Retries(max=1)), "Unheard", "does not know the reason code Unheard"),
        (Policy(retries=Retries(max=1)), "", "does not know the reason code (none)"),
        (Policy(), "JobFailed", ""),
    ],
)
def test_what_is_not_tried_again_says_why(policy: Policy, code: str, said: str) -> None:
    """Only where retries are declared: nobody else would expect one."""
    reason = ending.after(launch(policy=policy), Report("Failed", code), NOW).reason
    assert reason
    assert said in reason.message
    assert ("tried again" in reason.message) == bool(said)


def test_bc_125_pauses_grow_and_differ() -> None:
    """BC-125: each at least doubles up to an hour, at most as much again is added, and 500 launches come back apart."""
    for attempt in range(1, 12):
        plain = min(timedelta(seconds=60 * 2 ** (attempt - 1)), timedelta(hours=1))
        assert plain <= retry.pause(launch(attempt=attempt)) < 2 * plain
    pauses = sorted(retry.pause(replace(launch(), id=f"l-{number}")) for number in range(500))
    assert len(set(pauses)) == 500
    in_one_second = max(sum(one <= other < one + timedelta(seconds=1) for other in pauses) for one in pauses)
    assert in_one_second < 30, "500 that failed together must not come back together"


def test_a_decision_made_twice_is_the_same() -> None:
    """Two workers that see one failure give it the same pause."""
    assert retry.pause(launch()) == retry.pause(launch())


LIMITS = Limits(
    queued=Limit(after=600),
    preparing=Limit(after=1200),
    running=Limit(after=3600),
    total=Limit(after=5400, then="stop"),
)


@pytest.mark.parametrize(
    ("state", "phases"),
    [
        (LaunchState.SUBMITTED, ["queued", "total"]),
        (LaunchState.QUEUED, ["queued", "total"]),
        (LaunchState.PREPARING, ["preparing", "total"]),
        (LaunchState.RUNNING, ["running", "total"]),
        (LaunchState.SUCCEEDED, []),
        (LaunchState.WAITING, []),
    ],
)
def test_deadlines_of_a_phase(state: LaunchState, phases: list[str]) -> None:
    """Each active phase has its own, beside the one of the whole."""
    found = limits.deadlines(launch(state, policy=Policy(limits=LIMITS)), NOW)
    assert sorted(one.phase for one in found) == sorted(phases)
    assert [one.at for one in found] == sorted(one.at for one in found)


@pytest.mark.parametrize(
    ("then", "stops", "again"), [("notify", False, False), ("stop", True, False), ("retry", True, True)]
)
def test_what_a_passed_limit_does(then: Any, stops: bool, again: bool) -> None:  # noqa: FBT001
    """It is told with the evidence; where declared there is a wish to stop, which may be followed by an attempt."""
    one = launch(policy=Policy(limits=Limits(running=Limit(after=60, then=then))))
    (deadline,) = limits.deadlines(one, NOW)
    after = limits.passed(one, deadline, ["first", "last line"], NOW)
    assert after.reason
    assert (after.reason.code, "[last line]" in after.reason.message) == ("RunningTooLong", True)
    assert bool(after.stop) == stops
    assert (after.stop is not None and after.stop.retry) == again
    assert limits.is_told(after, deadline)
    assert not limits.is_told(one, deadline)


def found(job_id: str, user: str = "me", minutes: float = 1, *, ended: bool = False) -> Found:
    """A job with our tags."""
    return Found(job_id, user, NOW + timedelta(minutes=minutes), ended)


@pytest.mark.parametrize(
    ("other", "expected"),
    [
        (found("b"), [Double("b", ours=True)]),
        (found("b", minutes=0), [Double("b", ours=True)]),
        (found("b", minutes=16), [Double("b", ours=True)]),
        (found("b", minutes=17), [Double("b", ours=False)]),
        (found("b", minutes=-1), [Double("b", ours=False)]),
        (found("b", user="you"), [Double("b", ours=False)]),
        (found("b", ended=True), []),
    ],
)
def test_only_a_double_that_we_made_is_ours(other: Found, expected: list[Double]) -> None:
    """By the same user, within the time in which our submission could take effect; one that ended does no harm."""
    assert doubles([found("a"), other], "a", NOW, NOW + timedelta(minutes=16)) == expected


def test_the_followed_job_decides_who_we_are() -> None:
    """Where it is not in the listing nobody is known to be us, and nothing is stopped."""
    assert doubles([found("b")], "a", NOW, NOW + timedelta(minutes=16)) == [Double("b", ours=False)]
