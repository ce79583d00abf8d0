"""Brings a launch one step on: evaluates its checks, submits it once, and finds out what became of it."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING

from junbi.core import readiness
from junbi.core.assumptions import TAG_DEPLOYMENT, TAG_LAUNCH
from junbi.core.facts import CreateState, Launch, LaunchState
from junbi.core.model import Reason, State
from junbi.core.reasons import Code
from junbi.pipeline import create, job_request, launch_facts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from datetime import datetime

    from junbi.core.model import Check
    from junbi.pipeline.create import Answer
    from junbi.pipeline.wiring import Ports

#: How often a submission without a clear answer is looked for while it settles.
LOOK_AGAIN = timedelta(seconds=5)

#: When a launch that is not ready is evaluated again although nothing woke it.
PATIENCE = {
    State.PENDING: timedelta(seconds=5),
    State.RETRY: timedelta(seconds=30),
    State.UNKNOWN: timedelta(minutes=5),
    State.BLOCKED: timedelta(minutes=5),
}

#: How far around a try's time its job is looked for: the clocks of PAI and the ledger differ a little.
WINDOW = timedelta(hours=1)


def look(ports: Ports, launch_id: str) -> datetime | None:
    """Bring a launch one step on; when to look again."""
    launch = ports.ledger.launches.get(launch_id)
    step = _STEPS.get(launch.state) if launch else None
    return step(ports, launch) if launch and step else None


def _owner(launch: Launch) -> str:
    return f"launch:{launch.id}"


def _prepare(ports: Ports, launch: Launch) -> datetime | None:
    """Evaluate every check of a waiting launch, against the plan in force; submit it when all are ready."""
    plan = ports.ledger.generations.plan(launch.plan)
    if plan is not None:
        launch = replace(launch, spec=plan, generation=ports.scope.number)
    facts = launch_facts.load(ports, launch, plan)
    checks = readiness.evaluate(facts)
    if readiness.only_pending(checks) and not readiness.all_ready(checks):
        checks = readiness.evaluate(launch_facts.listed(ports, facts, _owner(launch)))
    if readiness.all_ready(checks):
        return _submit(ports, replace(launch, checks=checks))
    _save_waiting(ports, launch, checks)
    return ports.ledger.now() + _patience(checks)


def _patience(checks: Iterable[Check]) -> timedelta:
    return min(PATIENCE[check.state] for check in checks if not check.ready)


def _save_waiting(ports: Ports, launch: Launch, checks: tuple[Check, ...]) -> None:
    reason = readiness.leading(checks)
    if reason == launch.reason and checks == launch.checks:
        return
    now = ports.ledger.now()
    with ports.ledger.transaction():
        ports.ledger.launches.save(replace(launch, checks=checks, reason=reason, updated_at=now))
        if reason is not None and reason != launch.reason:
            ports.ledger.tell(_owner(launch), reason.code, reason.message, now)


def _submit(ports: Ports, launch: Launch) -> datetime | None:
    pinned = launch_facts.pinned(ports, launch)
    request = job_request.build(ports.scope, launch, pinned)
    now = ports.ledger.now()
    submitting = replace(launch, state=LaunchState.SUBMITTING, reason=None, updated_at=now)
    with ports.ledger.transaction():
        ports.ledger.launches.save(submitting)
        stored = create.store(ports, _owner(launch), "CreateJob", request, now)
    answer = create.send(ports, stored, lambda stamp: ports.dlc.create_job(request, stamp))
    return _answered(ports, replace(submitting, row=submitting.row + 1), answer)


def _answered(ports: Ports, launch: Launch, answer: Answer) -> datetime | None:
    if answer.state is CreateState.DONE:
        _submitted(ports, launch, answer.created)
        return None
    now = ports.ledger.now()
    state = _AFTER[answer.state]
    reason = create.reason(answer, "CreateJob")
    with ports.ledger.transaction():
        ports.ledger.launches.save(replace(launch, state=state, reason=reason, updated_at=now))
        ports.ledger.tell(_owner(launch), reason.code, reason.message, now)
    if state is LaunchState.REFUSED:
        return None
    retry_after = answer.failure.retry_after if answer.failure else None
    return now + (timedelta(seconds=retry_after) if retry_after else LOOK_AGAIN)


def _submitted(ports: Ports, launch: Launch, job_id: str, said: str = "") -> None:
    """The job exists: from here on ``job_change`` follows it."""
    now = ports.ledger.now()
    with ports.ledger.transaction():
        ports.ledger.launches.save(
            replace(launch, state=LaunchState.SUBMITTED, job_id=job_id, reason=None, updated_at=now)
        )
        ports.ledger.tell(_owner(launch), "JobSubmitted", said or f"{launch.plan} was submitted as job {job_id}.", now)


def _lost(ports: Ports, launch: Launch) -> datetime | None:
    """A launch found in ``submitting``: whoever stored its try is gone, and may have sent it."""
    reason = Reason(
        Code.SUBMIT_UNKNOWN,
        "The function that submitted this launch stopped before it wrote the answer down. The job is looked for "
        "in PAI's listing; it is not submitted again before it is certain that it was not created.",
        wakes="PAI's listing, or the end of the settling time",
    )
    now = ports.ledger.now()
    with ports.ledger.transaction():
        ports.ledger.launches.save(replace(launch, state=LaunchState.SUBMIT_UNKNOWN, reason=reason, updated_at=now))
        ports.ledger.tell(_owner(launch), reason.code, reason.message, now)
    return now


def _resolve(ports: Ports, launch: Launch) -> datetime | None:
    """Find out by evidence whether a job was created: our own note of the answer, or PAI's listing."""
    told = create.evidence(ports, _owner(launch))
    job_id = told.detail if told else _find_job(ports, launch)
    if job_id:
        _submitted(ports, launch, job_id, f"{launch.plan} was found to be job {job_id}: it had been created.")
        return None
    now = ports.ledger.now()
    settles_at = create.settles_at(ports, _owner(launch))
    if now < settles_at:
        return min(now + LOOK_AGAIN, settles_at)
    with ports.ledger.transaction():
        ports.ledger.launches.save(replace(launch, state=LaunchState.WAITING, updated_at=now))
        said = "No job was created by the last try, and none can be any more; it is submitted again."
        ports.ledger.tell(_owner(launch), "TrySettled", said, now)
    return now


def _find_job(ports: Ports, launch: Launch) -> str:
    tries = ports.ledger.tries.of(_owner(launch))
    first, now = min(one.stored_at for one in tries), ports.ledger.now()
    tags = {TAG_DEPLOYMENT: ports.scope.deployment, TAG_LAUNCH: launch.id}
    jobs = ports.dlc.find_jobs(ports.scope.workspace, tags, first - WINDOW, now + WINDOW)
    return (jobs[0].job_id or "") if jobs else ""


_AFTER = {
    CreateState.REFUSED: LaunchState.REFUSED,
    CreateState.PENDING: LaunchState.WAITING,
    CreateState.UNKNOWN: LaunchState.SUBMIT_UNKNOWN,
}

_STEPS: dict[LaunchState, Callable[[Ports, Launch], datetime | None]] = {
    LaunchState.WAITING: _prepare,
    LaunchState.SUBMITTING: _lost,
    LaunchState.SUBMIT_UNKNOWN: _resolve,
}
