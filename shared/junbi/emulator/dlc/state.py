"""The emulated DLC of one account: what its operations do."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from junbi.emulator.api_error import ApiError, invalid, not_found
from junbi.emulator.dlc import listing
from junbi.emulator.dlc.acceptance import check_request, resolve_code, resolve_mounts
from junbi.emulator.dlc.job import Job, new_job
from junbi.emulator.dlc.jobs import Jobs
from junbi.emulator.dlc.quota_rules import check_quota
from junbi.emulator.dlc.requested import workload
from junbi.emulator.dlc.scheduler import Pace, Scheduler
from junbi.emulator.quota.state import Quotas
from junbi.emulator.times import moment

if TYPE_CHECKING:
    from collections.abc import Callable

    from junbi.emulator.clock import Clock
    from junbi.emulator.dlc.pods import Executor
    from junbi.emulator.quota.workload import Workload
    from junbi.emulator.records import Records
    from junbi.emulator.workspace.state import WorkspaceState
    from junbi.wire.dlc import CreateJobRequest, GetJobEventsRequest, ListJobsRequest, UpdateJobRequest

#: In these statuses, on a quota, a new priority counts. Source: the vendor's guides.
_REORDERED = frozenset({"Creating", "Queuing", "EnvPreparing"})

#: In these, no pod was handed its command yet.
_NOT_BEGUN = frozenset({"Creating", "Queuing"})


class DlcState:
    """What DLC knows, and the quotas that its jobs run in.

    Args:
        records: where jobs are kept.
        clock: for the dates written down and the time that phases take.
        workspace: where datasets and the default workspace are looked up.
        executor: runs the pods.
        pace: how long jobs stay in the phases before Running.
        list_lag: emulated seconds until a new job appears in ListJobs; may be set at any time.
    """

    def __init__(
        self,
        records: Records,
        clock: Clock,
        workspace: WorkspaceState,
        executor: Executor,
        *,
        pace: Pace | None = None,
        list_lag: float = 0.0,
    ) -> None:
        self.workspace, self.executor, self.list_lag = workspace, executor, list_lag
        self.mirror: Callable[[str], str] = str  #: where a repository is cloned from; itself unless it is said
        self.jobs = Jobs(records)
        self.quotas = Quotas(records, clock, (workspace.workspaces.default_id, workspace.workspaces.name))
        self.scheduler = Scheduler(self.jobs, executor, clock, pace or Pace(), self.quotas)

    def create(self, request: CreateJobRequest, user_id: str, now: datetime) -> Job:
        """Accept a job; it is kept when this returns. ApiError where it is refused."""
        workspace_id = self.workspace.workspaces.resolve(request.workspace_id)
        check_request(request)
        quota = self.quotas.get(request.resource_id) if request.resource_id else None
        if quota:
            check_quota(request, workspace_id, quota)
        mounts = resolve_mounts(request, workspace_id, self.workspace.datasets)
        code = resolve_code(request, workspace_id, self.workspace.code_sources, self.mirror)
        job = new_job(request.model_copy(update={"workspace_id": workspace_id}), mounts, code, user_id, now)
        if quota:
            job.resource_type, job.resource_name = quota.resource_type or "ECS", quota.quota_name or ""
        self.jobs.add(job)
        return job

    def workloads(self, *, ended: bool) -> list[Workload]:
        """The jobs that were submitted to quotas; those that have ended too where they are asked for."""
        jobs = self.jobs.all() if ended else self.jobs.active()
        return [workload(job) for job in jobs if job.request.get("ResourceId")]

    def matching(self, query: ListJobsRequest, user_id: str, now: datetime) -> list[Job]:
        """The jobs a query asks for, in its order; those younger than the list lag are not seen yet."""
        workspace_id = query.workspace_id or self.workspace.workspaces.default_id
        visible = now - timedelta(seconds=self.list_lag)
        seen = [job for job in self.jobs.all() if datetime.fromisoformat(job.created) <= visible]
        return listing.matching(seen, query, workspace_id=workspace_id, user_id=user_id, now=now)

    def stop(self, job_id: str, now: datetime) -> None:
        """Have a job stopped; ApiError ``BadRequest`` where it has ended."""

        def stop(job: Job) -> None:
            if job.terminal:
                raise ApiError("BadRequest", f"Job {job_id} is {job.status} and cannot be stopped.", 400)
            if job.status != "Stopping":
                job.move("Stopping", now)

        self.jobs.change(job_id, stop)

    def delete(self, job_id: str) -> None:
        """Forget an ended job; that a live one is refused is assumed."""
        job = self.jobs.get(job_id)
        if not job.terminal:
            raise ApiError("BadRequest", f"Job {job_id} is {job.status}: stop it before deleting it.", 400)
        self.jobs.delete(job_id)

    def update(self, job_id: str, request: UpdateJobRequest) -> None:
        """Change a job; a priority that cannot count any more is ignored without a word, as PAI does."""
        if request.priority is not None and not 1 <= request.priority <= 9:  # noqa: PLR2004 - the documented bounds
            raise invalid("Priority must be from 1 to 9.")
        if request.job_specs:
            raise invalid("JobSpecs can be changed for elastic jobs only, which the local DLC does not run.")

        def update(job: Job) -> None:
            if request.user_command and job.status not in _NOT_BEGUN:
                raise ApiError("BadRequest", f"Job {job_id} is {job.status}: its command cannot be changed.", 400)
            counts = bool(job.request.get("ResourceId")) and job.status in _REORDERED
            changes = {name: value for name, value in request.to_wire().items() if name != "Priority" or counts}
            job.request = {**job.request, **changes, "JobSpecs": job.request["JobSpecs"]}

        self.jobs.change(job_id, update)

    def events(self, job_id: str, query: GetJobEventsRequest, now: datetime) -> list[str]:
        """Lines of free text, oldest first; the newest where there are more than asked for."""
        job = self.jobs.get(job_id)
        end = moment(query.end_time) if query.end_time else now
        begin = moment(query.start_time) if query.start_time else end - listing.DEFAULT_WINDOW
        told = [(datetime.fromisoformat(at), text) for at, text in job.events]
        lines = [f"{at:%Y-%m-%d %H:%M:%S} {text}" for at, text in told if begin <= at <= end]
        lines += [line for pod in job.pods for line in self.executor.events(pod.pod_id)]
        return lines[-_lines(query.max_events_num) :]

    def pod_events(self, job_id: str, pod_id: str, query: GetJobEventsRequest) -> list[str]:
        """Lines of free text about one pod."""
        self.pod_uid(job_id, pod_id)
        return self.executor.events(pod_id)[-_lines(query.max_events_num) :]

    def pod_logs(self, job_id: str, pod_id: str, max_lines: int | None) -> list[str]:
        """The last lines that a pod wrote."""
        self.pod_uid(job_id, pod_id)
        return self.executor.logs(pod_id, _lines(max_lines))

    def pod_uid(self, job_id: str, pod_id: str) -> str:
        """ApiError where the job or the pod does not exist."""
        found = (pod.pod_uid for pod in self.jobs.get(job_id).pods if pod.pod_id == pod_id)
        uid = next(found, None)
        if uid is None:
            raise not_found(f"Pod {pod_id} of job {job_id}")
        return uid


def _lines(asked: int | None) -> int:
    """Source: SDK prose (2000 by default); older metadata says 1 for events."""
    most = 10_000
    if asked is not None and not 1 <= asked <= most:
        raise invalid(f"The number of lines must be from 1 to {most}.")
    return asked or 2000
