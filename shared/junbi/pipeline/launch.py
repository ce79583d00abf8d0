"""Brings a launch one step on: evaluates its checks and its plan's policies, and submits it when it is its turn."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import timedelta
from typing import TYPE_CHECKING

from junbi.core import lifecycle, readiness
from junbi.core.facts import Launch, LaunchState
from junbi.core.model import State
from junbi.core.reasons import Code
from junbi.errors import Stale
from junbi.pipeline import admission, attend, create, launch_facts, register, submit, turns

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from datetime import datetime

    from junbi.core.facts import Stop
    from junbi.core.model import Check, Reason
    from junbi.core.plan import PlanSpec
    from junbi.ledger.ledger import Ledger
    from junbi.pipeline.wiring import Ports
    from junbi.wire.dlc import CreateJobRequest

#: When a launch that is not ready is evaluated again although nothing woke it.
PATIENCE = {
    State.PENDING: timedelta(seconds=5),
    State.RETRY: timedelta(seconds=30),
    State.UNKNOWN: timedelta(minutes=5),
    State.BLOCKED: timedelta(minutes=5),
}

#: The same for one that only policies hold: what ends their hold wakes it.
POLICY_PATIENCE = timedelta(minutes=5)

#: Reasons whose figures change with everybody who comes and goes.
_LINE = frozenset({Code.WAITING_FOR_QUOTA, Code.QUOTA_CONTENDED})


def look(ports: Ports, launch_id: str) -> datetime | None:
    """Bring a launch one step on; when to look again."""
    launch = ports.ledger.launches.get(launch_id)
    step = _STEPS.get(launch.state) if launch else None
    return step(ports, launch) if launch and step else None


def _prepare(ports: Ports, launch: Launch) -> datetime | None:
    """Evaluate every check of a waiting launch, against the plan in force; submit it when all are ready."""
    if launch.stop is not None:
        _give_up(ports, launch, launch.stop)
        return None
    in_force = ports.ledger.generations.plan(launch.plan)
    plan, choice = _plan(launch, in_force), 0
    if plan is not None:
        plan, choice = admission.placed(ports.ledger, launch, plan, ports.ledger.now())
        launch = replace(launch, spec=plan, generation=ports.scope.number)
        register.bring_here(ports, launch.pins.values())
    facts = launch_facts.load(ports, launch, plan)
    checks = readiness.evaluate(facts)
    if readiness.only_pending(checks) and not readiness.all_ready(checks):
        checks = readiness.evaluate(launch_facts.listed(ports, facts, f"launch:{launch.id}"))
    # One that is built from what the checks saw, and not from what may have come since.
    request = submit.prepare(ports, launch, facts.pinned) if readiness.all_ready(checks) else None
    return _take_turn(ports, _Evaluated(replace(launch, checks=checks), in_force, choice, request))


@dataclass(frozen=True, slots=True)
class _Evaluated:
    """A waiting launch with its checks.

    Attributes:
        in_force: the plan that these were made against.
        choice: which fallback of the plan it runs on, 0 for none.
        request: what is to be sent; None while a check is not ready.
    """

    launch: Launch
    in_force: PlanSpec | None
    choice: int
    request: CreateJobRequest | None


def _plan(launch: Launch, in_force: PlanSpec | None) -> PlanSpec | None:
    """What a launch is evaluated against: the plan in force; for a further attempt what the first one was."""
    if in_force is None:
        return None
    if launch.attempt == 1:
        return in_force.model_copy(update={"params": launch.params})  # its identity holds them: they stay
    return launch.spec.model_copy(update={"policy": in_force.policy})


def _take_turn(ports: Ports, seen: _Evaluated) -> datetime | None:
    """Hear the policies, and do what they and the checks say, all in one transaction; then send what is to be sent."""
    launch, sending, falls_back = seen.launch, None, None
    ledger, now = ports.ledger, ports.ledger.now()
    with ledger.transaction():
        if ledger.generations.plan(launch.plan) != seen.in_force:
            raise Stale(f"plan {launch.plan} changed while launch {launch.id} was evaluated")
        turn = turns.decide(ledger, launch, now, ready=seen.request is not None)
        launch = replace(launch, checks=(*launch.checks, *turn.checks))
        _tell_parameters(ports, launch, seen.in_force, now)
        turns.save_wishes(ledger, turn.stopped, now)
        if turn.skip is not None:
            _skip(ledger, launch, turn.skip, now)
            return None
        line, falls_back = admission.line_up(ledger, ports.scope.region, launch, seen.choice, now)
        launch = replace(launch, checks=(*launch.checks, *line))
        if seen.request is not None and readiness.all_ready(launch.checks):
            sending = submit.store(ports, launch, seen.request, now)
        else:
            _save_waiting(ports, launch, now)
    if sending is not None:
        return submit.send(ports, sending)
    looks = (ports.ledger.now() + _patience(seen.launch.checks), turn.wake_at, falls_back)
    return min(each for each in looks if each is not None)


def _skip(ledger: Ledger, launch: Launch, why: Reason, now: datetime) -> None:
    """Let a launch go by. Call it inside a transaction."""
    ledger.launches.save(launch.to(LaunchState.SKIPPED, now, why))
    ledger.tell(f"launch:{launch.id}", why.code, why.message, now)


def _patience(checks: Iterable[Check]) -> timedelta:
    return min((PATIENCE[check.state] for check in checks if not check.ready), default=POLICY_PATIENCE)


def _save_waiting(ports: Ports, launch: Launch, now: datetime) -> None:
    """Call it inside a transaction."""
    reason = readiness.leading(launch.checks)
    before = ports.ledger.launches.get(launch.id)
    said = (launch.row, reason, launch.checks, launch.spec, launch.generation)
    if before is not None and (before.row, before.reason, before.checks, before.spec, before.generation) == said:
        return
    ports.ledger.launches.save(replace(launch, reason=reason, updated_at=now))
    if (
        reason is not None
        and _is_news(launch.reason, reason)
        and not create.is_told(ports.ledger, f"launch:{launch.id}", reason)
    ):
        ports.ledger.tell(f"launch:{launch.id}", reason.code, reason.message, now)


def _is_news(before: Reason | None, after: Reason) -> bool:
    """Whether a reason belongs into the story: a place in a line is told once, and its every move is shown only."""
    if before is not None and before.code in _LINE and after.code in _LINE:
        return False
    return before != after


def _tell_parameters(ports: Ports, launch: Launch, in_force: PlanSpec | None, now: datetime) -> None:
    """Say once that a launch keeps the parameters it was made with though its plan has others by now."""
    if in_force is None or launch.made_by or launch.attempt > 1 or in_force.params == launch.params:
        return
    said = (
        f"The parameters of {launch.plan} changed to {dict(in_force.params)}; this launch keeps its own: "
        f"{dict(launch.params)}. To train with the new ones: junbi launch {launch.plan}"
    )
    subject = f"launch:{launch.id}"
    if not any(entry["message"] == said for entry in ports.ledger.story_of(subject)):
        ports.ledger.tell(subject, Code.PLAN_CHANGED, said, now)


def _give_up(ports: Ports, launch: Launch, stop: Stop) -> None:
    """End a launch that somebody wished to end, now that it is known to have no job."""
    ledger, now = ports.ledger, ports.ledger.now()
    with ledger.transaction():
        ledger.launches.save(launch.to(LaunchState.CANCELLED, now, stop.reason))
        ledger.tell(f"launch:{launch.id}", "LaunchCancelled", stop.reason.message, now)
        turns.wake(ledger, launch.plan, now)


_STEPS: dict[LaunchState, Callable[[Ports, Launch], datetime | None]] = {
    LaunchState.WAITING: _prepare,
    LaunchState.SUBMITTING: submit.lost,
    LaunchState.SUBMIT_UNKNOWN: submit.resolve,
    LaunchState.REFUSED: submit.again,
    **dict.fromkeys(lifecycle.ACTIVE, attend.attend),
}
