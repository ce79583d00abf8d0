"""Whether it is a launch's turn: what its plan's policies say at this moment, and what they do to it and to others.

A policy acts, on this launch or on another, only at the moment at which this launch would be submitted but for it. So
a launch that still waits for a dataset, a window or an approval stops nobody and is not skipped.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from junbi.core.facts import Attempt, Freeze, Launch, LaunchState, Stop
from junbi.core.model import Check, Reason, State
from junbi.core.reasons import Code
from junbi.core.schedule import opens_at

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

HOUR = timedelta(hours=1)
#: The check's name, by which launches that only wait for others are known.
OVERLAP = "overlap"


@dataclass(frozen=True, slots=True)
class Run:
    """Another launch of the plan that has or may have a job, and since when its attempt is under way."""

    launch: Launch
    begun_at: datetime


@dataclass(frozen=True, slots=True)
class TurnFacts:
    """What policies look at; all of it from the ledger, in the transaction that acts on it.

    Attributes:
        ready: whether nothing but policies stands in the launch's way.
        runs: the other runs of its plan, oldest first.
        ahead: the oldest launch of its plan before it that only waits for its turn.
        begun: attempts of its plan in the last hour, oldest first, without its own.
        retried: further attempts of all plans in the last hour, the same way.
        frozen: the freeze its plan is under.
    """

    launch: Launch
    now: datetime
    ready: bool
    runs: tuple[Run, ...] = ()
    ahead: Launch | None = None
    begun: tuple[Attempt, ...] = ()
    retried: tuple[Attempt, ...] = ()
    frozen: Freeze | None = None


@dataclass(frozen=True, slots=True)
class Turn:
    """What policies make of a launch now.

    Attributes:
        checks: one for each policy at work.
        wake_at: when one of them ends by itself.
        skip: why the launch is let go by.
        stopped: other launches, with our wish that their jobs end.
    """

    checks: tuple[Check, ...] = ()
    wake_at: datetime | None = None
    skip: Reason | None = None
    stopped: tuple[Launch, ...] = ()


def decide(facts: TurnFacts) -> Turn:
    """What the policies of a launch's plan say."""
    gates = [gate for gate in (_frozen(facts), _approval(facts), *_timed(facts)) if gate is not None]
    checks = tuple(check for check, _ in gates)
    wake_at = min((at for _, at in gates if at is not None), default=None)
    free = facts.ready and all(check.ready for check in checks)
    if free and facts.launch.spec.policy.mode == "shadow":
        return Turn(checks, skip=_shadow(facts))
    return _overlap(facts, Turn(checks, wake_at), free=free)


_Gate = tuple[Check, datetime | None]


def _frozen(facts: TurnFacts) -> _Gate | None:
    freeze = facts.frozen
    if freeze is None:
        return None
    what, plan = (f"plan {freeze.plan}", f" {freeze.plan}") if freeze.plan else ("all plans", "")
    reason = Reason(
        Code.FROZEN,
        f"{freeze.frozen_by} froze {what} at {freeze.frozen_at:%Y-%m-%d %H:%M} UTC.",
        fix=f"junbi thaw{plan}",
        wakes="junbi thaw",
    )
    return Check("frozen", State.BLOCKED, reason), None


def _approval(facts: TurnFacts) -> _Gate | None:
    launch = facts.launch
    if not launch.spec.policy.approve:
        return None
    if launch.approved_by:
        return Check("approval", State.READY), None
    reason = Reason(
        Code.AWAITING_APPROVAL,
        f"{launch.plan} starts only what somebody approved.",
        fix=f"junbi approve {launch.id}",
        wakes="junbi approve",
    )
    return Check("approval", State.BLOCKED, reason), None


def _timed(facts: TurnFacts) -> Iterable[_Gate | None]:
    """The gates that open by themselves."""
    policy, launch = facts.launch.spec.policy, facts.launch
    if policy.window is not None:
        at, hours = opens_at(policy.window, facts.now), f"{policy.window.start} to {policy.window.end}"
        said = f"{launch.plan} starts from {hours} ({policy.window.timezone}, {', '.join(policy.window.days)}) only."
        yield _until("window", Code.OUTSIDE_WINDOW, said, at)
    if policy.per_hour is not None:
        said = f"{launch.plan} started {len(facts.begun)} times in the last hour; 'per_hour' is {policy.per_hour}."
        yield _until("per hour", Code.HOURLY_CAP, said, _below(facts.begun, policy.per_hour))
    if launch.attempt > 1:
        later = launch.not_before is not None and launch.not_before > facts.now
        said = f"Attempt {launch.attempt} is made after a pause, so that what failed has time to recover."
        yield _until("pause", Code.RETRY_LATER, said, launch.not_before if later else None)
        said = f"All plans together made {len(facts.retried)} new attempts in the last hour, and may make "
        said += f"{policy.retry_budget} ('defaults.retry_budget')."
        yield _until("retry budget", Code.RETRY_BUDGET, said, _below(facts.retried, policy.retry_budget))


def _until(name: str, code: Code, said: str, at: datetime | None) -> _Gate:
    """Ready where it is open, else not before a time."""
    if at is None:
        return Check(name, State.READY), None
    when = f"{at:%Y-%m-%d %H:%M:%S} UTC"
    return Check(name, State.RETRY, Reason(code, said, wakes=when, facts={"until": when})), at


def _below(attempts: Sequence[Attempt], most: int) -> datetime | None:
    """When fewer than ``most`` of these attempts lie within an hour; None where that is so now."""
    if len(attempts) < most:
        return None
    return attempts[len(attempts) - most].begun_at + HOUR


def _overlap(facts: TurnFacts, turn: Turn, *, free: bool) -> Turn:
    policy = facts.launch.spec.policy
    if policy.overlap == "allow":
        return turn
    if policy.overlap == "skip":
        return _skipping(facts, turn, free=free)
    if not facts.runs and facts.ahead is not None:
        said = f"Launch {facts.ahead.id} of {facts.launch.plan} is older and waits for its turn, too."
        return _waiting(turn, said)
    if not facts.runs:
        return replace(turn, checks=(*turn.checks, Check(OVERLAP, State.READY)))
    if policy.overlap == "queue":
        return _waiting(turn, f"One run of {facts.launch.plan} at a time: {_named(facts.runs)} is under way.")
    return _replacing(facts, turn, free=free)


def _skipping(facts: TurnFacts, turn: Turn, *, free: bool) -> Turn:
    if not facts.runs:
        return replace(turn, checks=(*turn.checks, Check(OVERLAP, State.READY)))
    said = f"{_named(facts.runs)} of {facts.launch.plan} is under way"
    if not free:
        return _waiting(turn, f"{said}; if it still is when everything else is ready, this launch is skipped.")
    fix = f"To run it all the same: junbi rerun {facts.launch.id}"
    return replace(turn, skip=Reason(Code.OVERLAP_POLICY, f"Skipped: {said} ('overlap: skip').", fix))


def _replacing(facts: TurnFacts, turn: Turn, *, free: bool) -> Turn:
    """Wish that the other runs end, but for those that are spared, and wait until they have."""
    spare = facts.launch.spec.policy.spare
    spared = [run for run in facts.runs if spare is not None and facts.now - run.begun_at > timedelta(seconds=spare)]
    targets = [run for run in facts.runs if run not in spared]
    if spared:
        # To stop some while others go on would cost their work and start nothing.
        return _waiting(turn, f"{_named(spared)} is older than 'spare' allows to replace; its end is waited for.")
    if not free:
        return _waiting(turn, f"Takes the place of {_named(targets)} as soon as everything else is ready.")
    reason = Reason(
        Code.OVERLAP_POLICY,
        f"Launch {facts.launch.id} took its place ('overlap: replace').",
        facts={"by": facts.launch.id},
    )
    wishes = tuple(
        replace(run.launch, stop=Stop(reason, facts.now), updated_at=facts.now)
        for run in targets
        if run.launch.stop is None or run.launch.stop.retry
    )
    return replace(_waiting(turn, f"Takes the place of {_named(targets)}, which is being stopped."), stopped=wishes)


def _waiting(turn: Turn, said: str) -> Turn:
    reason = Reason(Code.OVERLAP_POLICY, said, wakes="the end of that run")
    return replace(turn, checks=(*turn.checks, Check(OVERLAP, State.RETRY, reason)))


def _named(runs: Sequence[Run]) -> str:
    first = runs[0].launch
    more = f" and {len(runs) - 1} more" if len(runs) > 1 else ""
    return f"launch {first.id} ({first.job_id or first.state}){more}"


def _shadow(facts: TurnFacts) -> Reason:
    overlap = facts.launch.spec.policy.overlap
    besides = f" {_named(facts.runs)} is under way, which 'overlap: {overlap}' would heed." if facts.runs else ""
    return Reason(
        Code.SHADOW_MODE,
        f"Everything is ready: with 'mode: live' it would have been submitted now.{besides}",
        fix=f"Write 'mode: live', and to run this one: junbi rerun {facts.launch.id}",
    )


def waits_for_turn(launch: Launch) -> bool:
    """Whether a launch, as evaluated last, waits for nothing but other runs of its plan."""
    if launch.state is not LaunchState.WAITING or launch.stop is not None:
        return False
    not_ready = [check.name for check in launch.checks if not check.ready]
    return not_ready == [OVERLAP]
