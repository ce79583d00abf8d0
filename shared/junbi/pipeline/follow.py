"""What ``job_change`` does: asks PAI for our active jobs and notes what changed. It reads, and submits nothing."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from junbi.core import lifecycle
from junbi.core.facts import Launch, LaunchState
from junbi.core.model import Reason
from junbi.core.reasons import Code
from junbi.errors import Refused, Stale
from junbi.pipeline.wiring import Ports

if TYPE_CHECKING:
    from collections.abc import Mapping

    from junbi.events.parsed import Parsed
    from junbi.pipeline.invocation import Invocation
    from junbi.wire.dlc import GetJobResponse, JobItem


def follow(parsed: Parsed, invocation: Invocation) -> Mapping[str, object]:  # noqa: ARG001 - a tick has no payload
    """One tick of ``job_change``."""
    return tick(Ports(invocation))


def tick(ports: Ports) -> Mapping[str, object]:
    """Look at every active job, in batches."""
    active = ports.ledger.launches.standing(lifecycle.ACTIVE)
    if not active:
        return {"active": 0, "changed": 0}
    jobs = {
        job.job_id: job for job in ports.dlc.list_jobs_by_ids(ports.scope.workspace, [one.job_id for one in active])
    }
    changed = sum(_note(ports, launch, jobs.get(launch.job_id)) for launch in active)
    return {"active": len(active), "changed": changed}


def _note(ports: Ports, launch: Launch, listed: JobItem | None) -> bool:
    """Note one job's status. A job that is not in the listing is unknown until PAI says that it does not exist."""
    try:
        job = listed or ports.dlc.get_job(launch.job_id)
    except Refused as error:
        if "NotFound" not in error.code:
            raise
        return _save(ports, _gone(launch))
    state = lifecycle.after_job_status(launch.state, job.status or "")
    if state is launch.state and job.status == launch.job_status:
        return False
    reason = _ended_badly(job) if state in {LaunchState.FAILED, LaunchState.STOPPED} else None
    return _save(ports, replace(launch, state=state, job_status=job.status or "", reason=reason))


def _gone(launch: Launch) -> Launch:
    reason = Reason(
        Code.JOB_GONE,
        f"PAI knows no job {launch.job_id} any more: somebody deleted it.",
        fix="To train again, upload a new version.",
    )
    return replace(launch, state=LaunchState.STOPPED, reason=reason)


def _ended_badly(job: JobItem | GetJobResponse) -> Reason:
    said = ": ".join(part for part in (job.reason_code, job.reason_message) if part)
    return Reason(
        Code.JOB_ENDED,
        f"The job ended as {job.status}" + (f": {said}" if said else "."),
        fix=f"Read its log: junbi logs {job.job_id}",
        facts={"job": job.job_id or ""},
    )


def _save(ports: Ports, launch: Launch) -> bool:
    ledger, now = ports.ledger, ports.ledger.now()
    said = launch.reason.message if launch.reason else f"Job {launch.job_id} is {launch.job_status}."
    try:
        with ledger.transaction():
            ledger.launches.save(replace(launch, updated_at=now))
            code = launch.reason.code if launch.reason else f"Job{launch.job_status}"
            ledger.tell(f"launch:{launch.id}", code, said, now)
    except Stale:
        return False  # somebody else noted it; the next tick looks again
    return True
