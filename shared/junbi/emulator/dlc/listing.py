"""Which jobs ListJobs shows, and in which order."""

from __future__ import annotations

import json
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from junbi.emulator.api_error import invalid
from junbi.emulator.paging import comma_list
from junbi.emulator.times import moment

if TYPE_CHECKING:
    from collections.abc import Callable

    from junbi.emulator.dlc.job import Job
    from junbi.wire.dlc import ListJobsRequest

#: How far back jobs are listed where no time is given. Source: documentation.
DEFAULT_WINDOW = timedelta(days=7)

#: How SortBy reads a job. Source: SDK for the names.
_ORDERS: dict[str, Callable[[Job], str]] = {
    "DisplayName": lambda job: str(job.request["DisplayName"]),
    "JobType": lambda job: str(job.request["JobType"]),
    "Status": lambda job: job.status,
    "GmtCreateTime": lambda job: job.created,
    "GmtFinishTime": lambda job: job.history[-1]["StartTime"] if job.terminal else "",
}


def matching(jobs: list[Job], query: ListJobsRequest, *, workspace_id: str, user_id: str, now: datetime) -> list[Job]:
    """Those that match, newest first unless the query says otherwise.

    ``ShowOwn`` is true where absent (older metadata; the present one is silent).
    """
    begin, end = _window(query, now)
    tags = _tags(query.tags)
    own = query.show_own is not False
    found = [
        job
        for job in jobs
        if (query.from_all_workspaces or job.request["WorkspaceId"] == workspace_id)
        and (not own or job.user_id == user_id)
        and begin <= _second(job.created) <= end
        and _named(job, query)
        and _of_kind(job, query)
        and tags.items() <= ((job.request.get("Settings") or {}).get("Tags") or {}).items()
    ]
    return _ordered(found, query)


def _named(job: Job, query: ListJobsRequest) -> bool:
    ids = comma_list(query.job_ids) | comma_list(query.job_id)
    part = (query.display_name or "").lower()
    return (not ids or job.job_id in ids) and part in str(job.request["DisplayName"]).lower()


def _of_kind(job: Job, query: ListJobsRequest) -> bool:
    resources = comma_list(query.resource_ids) | comma_list(query.resource_id)
    return (
        query.status in {None, "", job.status}
        and query.job_type in {None, "", job.request["JobType"]}
        and query.user_id_for_filter in {None, "", job.user_id}
        and (not resources or job.request.get("ResourceId") in resources)
        and query.resource_quota_name in {None, "", job.resource_name}
    )


def _window(query: ListJobsRequest, now: datetime) -> tuple[datetime, datetime]:
    end = moment(query.end_time) if query.end_time else now
    begin = moment(query.start_time) if query.start_time else end - DEFAULT_WINDOW
    return begin, end


def _second(text: str) -> datetime:
    """Whole seconds: a caller who asks from the GmtCreateTime it was shown must find the job."""
    return datetime.fromisoformat(text).replace(microsecond=0)


def _tags(text: str | None) -> dict[str, Any]:
    try:
        tags = json.loads(text or "{}")
    except (ValueError, RecursionError) as error:
        raise invalid("Tags is not a JSON object.") from error
    if not isinstance(tags, dict):
        raise invalid("Tags is not a JSON object.")
    return tags


def _ordered(jobs: list[Job], query: ListJobsRequest) -> list[Job]:
    sort_by, order = query.sort_by or "GmtCreateTime", query.order or "desc"
    if sort_by not in _ORDERS:
        raise invalid(f"SortBy {sort_by!r} is not one of {', '.join(_ORDERS)}.")
    if order.lower() not in {"asc", "desc"}:
        raise invalid(f"Order {order!r} is not asc or desc.")
    return sorted(jobs, key=_ORDERS[sort_by], reverse=order.lower() == "desc")
