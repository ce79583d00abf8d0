"""Submits an attempt of a launch once, and finds out what became of it where no clear answer came."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from junbi.core.facts import CreateState, Launch, LaunchState
from junbi.core.model import Reason
from junbi.core.reasons import Code
from junbi.pipeline import audit, create, job_request, turns

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from junbi.core.facts import Pinned
    from junbi.pipeline.create import Answer, StoredTry
    from junbi.pipeline.wiring import Ports
    from junbi.wire.dlc import CreateJobRequest

_AFTER = {
    CreateState.REFUSED: LaunchState.REFUSED,
    CreateState.PENDING: LaunchState.WAITING,
    CreateState.UNKNOWN: LaunchState.SUBMIT_UNKNOWN,
}


@dataclass(frozen=True, slots=True)
class Sending:
    """A try that is stored, and what it sends."""

    launch: Launch
    request: CreateJobRequest
    stored: StoredTry


def prepare(ports: Ports, launch: Launch, pinned: Mapping[str, Pinned]) -> CreateJobRequest:
    """The request for a launch that is ready, with its inputs as they were when it was found to be."""
    return job_request.build(ports.scope, launch, pinned)


def store(ports: Ports, launch: Launch, request: CreateJobRequest, now: datetime) -> Sending:
    """Write a try down. Call it inside the transaction in which the launch was found to be ready."""
    submitting = launch.to(LaunchState.SUBMITTING, now)
    ports.ledger.launches.save(submitting)
    ports.ledger.policies.begin_attempt(submitting, now)
    stored = create.store(ports, launch.owner, "CreateJob", request)
    return Sending(replace(submitting, row=submitting.row + 1), request, stored)


def send(ports: Ports, sending: Sending) -> datetime | None:
    """Send a stored try and save its answer; when to look at the launch again."""
    answer = create.send(ports, sending.stored, lambda stamp: ports.dlc.create_job(sending.request, stamp))
    return _answered(ports, sending.launch, answer)


def _answered(ports: Ports, launch: Launch, answer: Answer) -> datetime | None:
    if answer.state is CreateState.DONE:
        return _submitted(ports, launch, answer.created)
    ledger, now = ports.ledger, ports.ledger.now()
    state, reason = _AFTER[answer.state], create.reason(answer, "CreateJob")
    with ledger.transaction():
        ledger.launches.save(launch.to(state, now, reason))
        if not create.is_told(ledger, f"launch:{launch.id}", reason):
            ledger.tell(f"launch:{launch.id}", reason.code, reason.message, now)
        if state is LaunchState.SUBMIT_UNKNOWN:
            audit.begin(ledger, launch, now)
        elif state is LaunchState.REFUSED:  # one that waits for its next try keeps its place, and its pause
            turns.wake(ledger, launch.plan, now)
    return (
        now + create.LOOK_AGAIN if state is LaunchState.SUBMIT_UNKNOWN else create.next_try(ports, launch.owner, answer)
    )


def _submitted(ports: Ports, launch: Launch, job_id: str, found: str = "") -> datetime | None:
    """The job exists: from here on ``job_change`` follows it. ``found``: how, where no answer told of it."""
    ledger, now = ports.ledger, ports.ledger.now()
    submitted = replace(launch.to(LaunchState.SUBMITTED, now), job_id=job_id)
    with ledger.transaction():
        ledger.launches.save(submitted)
        ledger.policies.save_attempt(submitted)
        ledger.tell(f"launch:{launch.id}", "JobSubmitted", found or _said(launch, job_id), now)
        if found:
            ledger.worklist.ask("audit", launch.id, now)  # the listing may have shown two
    return turns.next_look(ledger, submitted, now)


def _said(launch: Launch, job_id: str) -> str:
    which = f", attempt {launch.attempt}" if launch.attempt > 1 else ""
    return f"{launch.plan} was submitted as job {job_id}{which}."


def lost(ports: Ports, launch: Launch) -> datetime | None:
    """A launch found in ``submitting``: whoever stored its try is gone, and may have sent it."""
    reason = Reason(
        Code.SUBMIT_UNKNOWN,
        "The function that submitted this launch stopped before it wrote the answer down. The job is looked for "
        "in PAI's listing; it is not submitted again before it is certain that it was not created.",
        wakes="PAI's listing, or the end of the settling time",
    )
    ledger, now = ports.ledger, ports.ledger.now()
    with ledger.transaction():
        ledger.launches.save(launch.to(LaunchState.SUBMIT_UNKNOWN, now, reason))
        ledger.tell(f"launch:{launch.id}", reason.code, reason.message, now)
        audit.begin(ledger, launch, now)
    return now


def resolve(ports: Ports, launch: Launch) -> datetime | None:
    """Find out by evidence whether a job was created: our own note of the answer, or PAI's listing."""
    ledger, now = ports.ledger, ports.ledger.now()  # before the listing: absence is judged by when it was made
    told = create.evidence(ports, launch.owner)
    job_id = told.detail if told else _find_job(ports, launch)
    if job_id:
        return _submitted(ports, launch, job_id, f"{launch.plan} was found to be job {job_id}: it had been created.")
    look_again = create.until_settled(ports, launch.owner, now)
    if look_again is not None:
        return look_again
    with ledger.transaction():
        ledger.launches.save(launch.to(LaunchState.WAITING, now, launch.reason))
        said = "No job was created by the last try, and none can be any more; it is submitted again."
        ledger.tell(f"launch:{launch.id}", "TrySettled", said, now)
    return now


def again(ports: Ports, launch: Launch) -> datetime | None:
    """Try a launch again that was refused for lack of a right, which may be there by now; no other refusal."""
    if launch.reason is None or "right" not in launch.reason.facts:
        return None
    now = ports.ledger.now()
    with ports.ledger.transaction():
        ports.ledger.launches.save(launch.to(LaunchState.WAITING, now, launch.reason))
    return now


def _find_job(ports: Ports, launch: Launch) -> str:
    jobs = audit.find_jobs(ports, launch, launch.attempt)
    return (jobs[0].job_id or "") if jobs else ""
