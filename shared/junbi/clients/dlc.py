"""PAI-DLC: jobs, what they say, and the instance types of the public resources."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import islice
from typing import TYPE_CHECKING

from junbi.clients.api import required
from junbi.clients.paging import SIZE, every_row, rows
from junbi.wire import dlc as wire
from junbi.wire import operations

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from junbi.clients.api import Api
    from junbi.clients.signing import Stamp

#: Job ids per ListJobs: the query stays well below what any gateway takes.
BATCH = 50

#: No job is older than the API.
_BEGINNING = datetime(2020, 12, 3, tzinfo=UTC)


class DlcClient:
    """Raises the errors of ``Api.call``. CreateJob is sent once, signed with the given stamp."""

    def __init__(self, api: Api) -> None:
        self._api = api

    def create_job(self, request: wire.CreateJobRequest, stamp: Stamp, *, deadline: float | None = None) -> str:
        """Submit a job; gives its id. ``deadline``: seconds in all."""
        operation = operations.CREATE_JOB
        answer = self._api.call(operation, wire.JobIdResponse, body=request, stamp=stamp, deadline=deadline)
        return required(operation, "JobId", answer.job_id)

    def get_job(self, job_id: str) -> wire.GetJobResponse:
        """A job by its id, with its pods."""
        return self._api.call(operations.GET_JOB, wire.GetJobResponse, segments={"JobId": job_id})

    def stop_job(self, job_id: str) -> None:
        """Ask for a job to be stopped; Refused (``BadRequest``) where it has ended."""
        self._api.call(operations.STOP_JOB, wire.JobIdResponse, segments={"JobId": job_id})

    def find_jobs(self, workspace: str, tags: Mapping[str, str], start: datetime, end: datetime) -> list[wire.JobItem]:
        """Anybody's jobs in a workspace that were created in a window and carry all these tags, oldest first.

        The tags are matched here and not by the service, so that a job which is there is found: what its filter
        makes of them, and how soon, is not documented. Assumed: ListJobs tells each job's tags.

        Args:
            workspace: its id.
            tags: names and exact values.
            start: of the window, to the second.
            end: of the window, to the second; a job that is just being created may need some seconds to appear.
        """
        query = wire.ListJobsRequest(
            workspace_id=workspace, show_own=False, start_time=_time(start), end_time=_time(end)
        )
        jobs = every_row("ListJobs", self._pages(query), key=lambda job: job.job_id)
        return [job for job in jobs if _tags(job).items() >= tags.items()]

    def list_jobs_by_ids(self, workspace: str, ids: Iterable[str]) -> list[wire.JobItem]:
        """These jobs, of any age. One that is missing in the answer need not be gone: ask ``get_job``."""
        window = {"start_time": _time(_BEGINNING), "end_time": _time(datetime.now(UTC) + timedelta(days=1))}
        jobs: list[wire.JobItem] = []
        for batch in _batches(ids):
            wanted = ",".join(batch)
            query = wire.ListJobsRequest(workspace_id=workspace, show_own=False, job_ids=wanted, **window)
            jobs += [job for job in self._list(query) if job.job_id in batch]
        return jobs

    def list_instance_types(self) -> list[wire.EcsSpec]:
        """The instance types of the region's public resources."""

        def fetch(number: int) -> tuple[Sequence[wire.EcsSpec], int]:
            query = wire.ListEcsSpecsRequest(page_number=number, page_size=SIZE)
            answer = self._api.call(operations.LIST_ECS_SPECS, wire.ListEcsSpecsResponse, query=query)
            return answer.ecs_specs, answer.total_count

        return list(rows("ListEcsSpecs", fetch))

    def job_events(self, job_id: str, limit: int = 2000) -> list[str]:
        """What happened to a job in the last 7 days, as lines of text; at most ``limit`` (1 to 10,000)."""
        query = wire.GetJobEventsRequest(max_events_num=limit)
        segments = {"JobId": job_id}
        return self._api.call(
            operations.GET_JOB_EVENTS, wire.GetJobEventsResponse, segments=segments, query=query
        ).events

    def pod_logs(self, job_id: str, pod_id: str, limit: int = 2000) -> list[str]:
        """What a pod printed, line by line; at most ``limit`` lines."""
        query = wire.GetPodLogsRequest(max_lines=limit)
        segments = {"JobId": job_id, "PodId": pod_id}
        return self._api.call(operations.GET_POD_LOGS, wire.GetPodLogsResponse, segments=segments, query=query).logs

    def _list(self, query: wire.ListJobsRequest) -> Iterator[wire.JobItem]:
        return rows("ListJobs", self._pages(query))

    def _pages(self, query: wire.ListJobsRequest) -> Callable[[int], tuple[Sequence[wire.JobItem], int]]:
        # Oldest first, so that jobs which appear meanwhile come last and shift no page.
        ordered = query.model_copy(update={"sort_by": "GmtCreateTime", "order": "asc", "page_size": SIZE})

        def fetch(number: int) -> tuple[Sequence[wire.JobItem], int]:
            page = ordered.model_copy(update={"page_number": number})
            answer = self._api.call(operations.LIST_JOBS, wire.ListJobsResponse, query=page)
            return answer.jobs, answer.total_count

        return fetch


def _tags(job: wire.JobItem) -> Mapping[str, str]:
    return (job.settings and job.settings.tags) or {}


def _time(at: datetime) -> str:
    return at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _batches(ids: Iterable[str]) -> Iterator[tuple[str, ...]]:
    rest = iter(ids)
    while batch := tuple(islice(rest, BATCH)):
        yield batch
