"""Brings a launch one step on: evaluates its checks and its plan's policies, and submits it when it is its turn."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING

from junbi.core import lifecycle, readiness
from junbi.core.facts import Launch, LaunchState
from junbi.core.model import State
from junbi.core.reasons import Code
from junbi.errors import Stale
from junbi.pipeline import attend, create, launch_facts, register, submit, turns

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from datetime import datetime

    from junbi.core.facts import Stop
    from junbi.core.model import Check
    from junbi.core.plan import PlanSpec
    from junbi.core.turn import Turn
    from junbi.pipeline.submit import Sending
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
    plan = _plan(launch, in_force)
    if plan is not None:
        launch = replace(launch, spec=plan, generation=ports.scope.number)
        register.bring_here(ports, launch.pins.values())
    facts = launch_facts.load(ports, launch, plan)
    checks = readiness.evaluate(facts)
    if readiness.only_pending(checks) and not readiness.all_ready(checks):
        checks = readiness.evaluate(launch_facts.listed(ports, facts, f"launch:{launch.id}"))
    # One that is built from what the checks saw, and not from what may have come since.
    prepared = submit.prepare(ports, launch, facts.pinned) if readiness.all_ready(checks) else None
    return _take_turn(ports, launch, checks, in_force, prepared)


def _plan(launch: Launch, in_force: PlanSpec | None) -> PlanSpec | None:
    """What a launch is evaluated against: the plan in force; for a further attempt what the first one was."""
    if in_force is None:
        return None
    if launch.attempt == 1:
        return in_force.model_copy(update={"params": launch.params})  # its identity holds them: they stay
    return launch.spec.model_copy(update={"policy": in_force.policy})


def _take_turn(
    ports: Ports,
    launch: Launch,
    checks: tuple[Check, ...],
    in_force: PlanSpec | None,
    prepared: CreateJobRequest | None,
) -> datetime | None:
    """Hear the policies, and do what they and the checks say, all in one transaction; then send what is to be sent."""
    ready, sending = readiness.all_ready(checks), None
    ledger, now = ports.ledger, ports.ledger.now()
    with ledger.transaction():
        if ledger.generations.plan(launch.plan) != in_force:
            raise Stale(f"plan {launch.plan} changed while launch {launch.id} was evaluated")
        turn = turns.decide(ledger, launch, now, ready=ready)
        launch = replace(launch, checks=(*checks, *turn.checks))
        _tell_parameters(ports, launch, in_force, now)
        turns.save_wishes(ledger, turn.stopped, now)
        if turn.skip is not None:
            launch = launch.to(LaunchState.SKIPPED, now, turn.skip)
            ledger.launches.save(launch)
            ledger.tell(f"launch:{launch.id}", turn.skip.code, turn.skip.message, now)
        elif prepared is not None and readiness.all_ready(launch.checks):
            sending = submit.store(ports, launch, prepared, now)
        else:
            _save_waiting(ports, launch, now)
    return _go_on(ports, checks, turn, sending)


def _go_on(ports: Ports, checks: tuple[Check, ...], turn: Turn, sending: Sending | None) -> datetime | None:
    if sending is not None:
        return submit.send(ports, sending)
    if turn.skip is not None:
        return None
    now = ports.ledger.now()
    looks = [now + _patience(checks)] if not readiness.all_ready(checks) else [now + POLICY_PATIENCE]
    return min([*looks, *([turn.wake_at] if turn.wake_at else [])])


def _patience(checks: Iterable[Check]) -> timedelta:
    return min(PATIENCE[check.state] for check in checks if not check.ready)


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
        and reason != launch.reason
        and not create.is_told(ports.ledger, f"launch:{launch.id}", reason)
    ):
        ports.ledger.tell(f"launch:{launch.id}", reason.code, reason.message, now)


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
