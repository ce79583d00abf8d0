"""What PAI's word for a job's status makes of its launch: another phase, an end with its reason, or another attempt."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from junbi.core import lifecycle, retry
from junbi.core.facts import Launch, LaunchState
from junbi.core.model import Reason
from junbi.core.reasons import Code

if TYPE_CHECKING:
    from datetime import datetime


@dataclass(frozen=True, slots=True)
class Report:
    """What PAI says of a job: its words, empty where it says nothing."""

    status: str
    code: str = ""
    message: str = ""


def after(launch: Launch, report: Report, now: datetime) -> Launch:
    """The launch after a report; the same one where it says nothing new, or the launch follows no job."""
    if launch.state not in lifecycle.ACTIVE:
        return launch
    state = lifecycle.after_job_status(launch.state, report.status)
    told = replace(launch, job_status=report.status)
    if state not in lifecycle.ENDED:
        return told if state is launch.state else told.to(state, now)
    if retry.is_tried_again(launch, report.status, report.code):
        return _again(told, report, now)
    if state is LaunchState.SUCCEEDED:
        return told.to(state, now)
    return told.to(state, now, _why(launch, report))


def gone(launch: Launch, now: datetime) -> Launch:
    """The launch whose job PAI does not know any more."""
    reason = Reason(
        Code.JOB_GONE,
        f"PAI knows no job {launch.job_id} any more: somebody deleted it.",
        fix=f"To train again: junbi rerun {launch.id}",
    )
    return launch.to(LaunchState.STOPPED, now, reason)


def _again(launch: Launch, report: Report, now: datetime) -> Launch:
    """Waiting for its next attempt, which has no job yet."""
    at = now + retry.pause(launch)
    why = launch.stop.reason.message if launch.stop else _said(report)
    reason = Reason(
        Code.RETRY_LATER,
        f"Attempt {launch.attempt} (job {launch.job_id}) ended as {report.status}{why and f': {why}'} "
        f"Attempt {launch.attempt + 1} of {launch.spec.policy.retries.max + 1} follows.",
        wakes="the end of the pause before it",
        facts={"job": launch.job_id, "not_before": at.isoformat(timespec="seconds")},
    )
    fresh = replace(launch, attempt=launch.attempt + 1, job_id="", job_status="", not_before=at, stop=None)
    return fresh.to(LaunchState.WAITING, now, reason)


def _why(launch: Launch, report: Report) -> Reason:
    if launch.stop is not None:
        return launch.stop.reason
    said = _said(report)
    foreign = " Somebody stopped it in PAI; it is not tried again." if report.status == "Stopped" else ""
    return Reason(
        Code.JOB_ENDED,
        f"The job ended as {report.status}"
        + (f": {said}" if said else ".")
        + (foreign or retry.why_not(launch, report.status, report.code)),
        fix=f"Read its log: junbi logs {launch.job_id}",
        facts={"job": launch.job_id},
    )


def _said(report: Report) -> str:
    return ": ".join(part for part in (report.code, report.message) if part)
