"""What ``job_change`` does: asks PAI for our active jobs and notes what changed. It reads, and submits nothing.

A job that ended badly may leave its launch waiting for another attempt, which ``reconcile`` submits.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from junbi import log
from junbi.core import ending, lifecycle, refusals
from junbi.core.ending import Report
from junbi.core.facts import Launch, LaunchState
from junbi.errors import CallFailed, Refused, Stale
from junbi.events.pai_job import JobHints
from junbi.pipeline import create, turns
from junbi.pipeline.wiring import Ports

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from junbi.events.parsed import Parsed
    from junbi.ledger.generations import Scope
    from junbi.pipeline.invocation import Invocation
    from junbi.wire.dlc import GetJobResponse, JobItem

_log = log.logger("follow")


def follow(parsed: Parsed[Any], invocation: Invocation) -> Mapping[str, object]:
    """One tick of ``job_change``, or a hint at some jobs: PAI is asked how they stand, and nothing else is believed."""
    if parsed.ignored:
        return {"ignored": [f"{one.code}: {one.message}" for one in parsed.ignored]}
    return tick(Ports(invocation), parsed.jobs if isinstance(parsed, JobHints) else None)


def tick(ports: Ports, named: frozenset[str] | None = None) -> Mapping[str, object]:
    """Look at every active job, or at those of them that are named, in batches."""
    active = ports.ledger.launches.standing(lifecycle.ACTIVE)
    if named is not None:
        active = [launch for launch in active if launch.job_id in named]
    if not active:
        return {"active": 0, "changed": 0}
    changed, failed = 0, []
    for place, there in _by_place(ports, active).items():
        try:
            jobs = {job.job_id: job for job in _listed(ports, place, there)}
        except CallFailed as error:
            failed += [_unread(launch, error) for launch in there]
            continue
        for launch in there:
            try:
                changed += _note(ports, place, launch, jobs.get(launch.job_id))
            except CallFailed as error:
                failed.append(_unread(launch, error))
    if len(failed) == len(active):
        raise failed[0]
    return {"active": len(active), "changed": changed, "unread": len(failed)}


def _by_place(ports: Ports, active: Sequence[Launch]) -> dict[Scope, list[Launch]]:
    """The launches by the region and workspace that their jobs are in."""
    found: dict[Scope, list[Launch]] = {}
    for launch in active:
        found.setdefault(create.sent_to(ports, launch.owner), []).append(launch)
    return found


def _listed(ports: Ports, place: Scope, launches: Sequence[Launch]) -> Sequence[JobItem]:
    return ports.dlc_in(place.region).list_jobs_by_ids(place.workspace, [one.job_id for one in launches])


def _unread(launch: Launch, error: CallFailed) -> CallFailed:
    """What went wrong stays with this job: the others are followed all the same."""
    _log.warning("a job could not be read", launch=launch.id, job=launch.job_id, error=str(error))
    return error


def _note(ports: Ports, place: Scope, launch: Launch, listed: JobItem | None) -> bool:
    """Note one job's status. A job that is not in the listing is unknown until PAI says that it does not exist."""
    try:
        job = listed or ports.dlc_in(place.region).get_job(launch.job_id)
    except Refused as error:
        if error.code not in refusals.JOB_GONE:
            raise
        return _save(ports, launch, ending.gone(launch, ports.ledger.now()), Report("Deleted"))
    report = _report(job)
    after = ending.after(launch, report, ports.ledger.now())
    return after != launch and _save(ports, launch, after, report)


def _report(job: JobItem | GetJobResponse) -> Report:
    return Report(job.status or "", job.reason_code or "", job.reason_message or "")


def _save(ports: Ports, before: Launch, launch: Launch, report: Report) -> bool:
    ledger, now = ports.ledger, ports.ledger.now()
    moved = launch.state is not before.state
    said = launch.reason.message if launch.reason and moved else f"Job {before.job_id} is {report.status}."
    try:
        with ledger.transaction():
            ledger.launches.save(replace(launch, updated_at=now))
            code = launch.reason.code if launch.reason and moved else f"Job{report.status}"
            ledger.tell(f"launch:{launch.id}", code, said, now)
            if launch.state in lifecycle.ENDED:
                ledger.worklist.ask("proof", launch.id, now)
            if launch.state not in lifecycle.ACTIVE:
                ledger.policies.save_attempt(replace(before, job_status=report.status))
                turns.wake(ledger, launch.plan, now)
            if launch.state in lifecycle.ACTIVE | {LaunchState.WAITING}:
                turns.ask(ledger, launch, now)
    except Stale:
        return False  # somebody else noted it; the next tick looks again
    return True
