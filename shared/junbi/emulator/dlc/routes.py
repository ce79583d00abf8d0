"""The operations of PAI-DLC 2020-12-03 that the local cloud answers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from junbi.emulator.dlc import instances
from junbi.emulator.dlc.answers import job_answer, job_item
from junbi.emulator.paging import page
from junbi.emulator.route import Call, Evidence, Route
from junbi.wire import dlc as wire
from junbi.wire import operations

if TYPE_CHECKING:
    from junbi.emulator.dlc.state import DlcState

#: The point under which faults name these operations: ``dlc.CreateJob``.
SERVICE = "dlc"


def create_job(state: DlcState, call: Call) -> wire.JobIdResponse:
    """CreateJob."""
    job = state.create(call.body_as(wire.CreateJobRequest), call.user_id, call.now)
    return wire.JobIdResponse(job_id=job.job_id)


def get_job(state: DlcState, call: Call) -> wire.GetJobResponse:
    """GetJob."""
    call.query_as(wire.GetJobRequest)
    return job_answer(state.jobs.get(call.segments["JobId"]), state.workspace.workspaces.name, call.now)


def list_jobs(state: DlcState, call: Call) -> wire.ListJobsResponse:
    """ListJobs."""
    query = call.query_as(wire.ListJobsRequest)
    found = state.matching(query, call.user_id, call.now)
    shown = page(found, query.page_number, query.page_size, default=10)
    name = state.workspace.workspaces.name
    return wire.ListJobsResponse(jobs=[job_item(job, name, call.now) for job in shown], total_count=len(found))


def stop_job(state: DlcState, call: Call) -> wire.JobIdResponse:
    """StopJob."""
    state.stop(call.segments["JobId"], call.now)
    return wire.JobIdResponse(job_id=call.segments["JobId"])


def delete_job(state: DlcState, call: Call) -> wire.JobIdResponse:
    """DeleteJob."""
    state.delete(call.segments["JobId"])
    return wire.JobIdResponse(job_id=call.segments["JobId"])


def update_job(state: DlcState, call: Call) -> wire.JobIdResponse:
    """UpdateJob."""
    state.update(call.segments["JobId"], call.body_as(wire.UpdateJobRequest))
    return wire.JobIdResponse(job_id=call.segments["JobId"])


def get_job_events(state: DlcState, call: Call) -> wire.GetJobEventsResponse:
    """GetJobEvents."""
    job_id = call.segments["JobId"]
    events = state.events(job_id, call.query_as(wire.GetJobEventsRequest), call.now)
    return wire.GetJobEventsResponse(job_id=job_id, events=events)


def get_pod_events(state: DlcState, call: Call) -> wire.GetPodEventsResponse:
    """GetPodEvents."""
    job_id, pod_id = call.segments["JobId"], call.segments["PodId"]
    events = state.pod_events(job_id, pod_id, call.query_as(wire.GetPodEventsRequest))
    uid = state.pod_uid(job_id, pod_id)
    return wire.GetPodEventsResponse(job_id=job_id, pod_id=pod_id, pod_uid=uid, events=events)


def get_pod_logs(state: DlcState, call: Call) -> wire.GetPodLogsResponse:
    """GetPodLogs."""
    job_id, pod_id = call.segments["JobId"], call.segments["PodId"]
    logs = state.pod_logs(job_id, pod_id, call.query_as(wire.GetPodLogsRequest).max_lines)
    uid = state.pod_uid(job_id, pod_id)
    return wire.GetPodLogsResponse(job_id=job_id, pod_id=pod_id, pod_uid=uid, logs=logs)


def list_ecs_specs(_state: DlcState, call: Call) -> wire.ListEcsSpecsResponse:
    """ListEcsSpecs."""
    query = call.query_as(wire.ListEcsSpecsRequest)
    found = instances.matching(query)
    shown = page(found, query.page_number, query.page_size, default=10)
    return wire.ListEcsSpecsResponse(ecs_specs=shown, total_count=len(found))


ROUTES: tuple[Route[DlcState], ...] = (
    Route(
        operations.CREATE_JOB,
        Evidence.RECORDED,
        create_job,
        "Assumed: the codes of refusals, that an absent DataSourceVersion means v1, that an absent MountAccess "
        "means RW, and that more than a quota could ever hold is accepted. GPUType is not heeded.",
    ),
    Route(operations.GET_JOB, Evidence.METADATA, get_job, "The reason codes and where Duration begins are assumed."),
    Route(
        operations.LIST_JOBS,
        Evidence.RECORDED,
        list_jobs,
        "That ShowOwn is true where absent is older metadata; that ResourceName is the quota's name is assumed.",
    ),
    Route(operations.STOP_JOB, Evidence.RECORDED, stop_job, "That any job that has not ended can be stopped: assumed."),
    Route(operations.DELETE_JOB, Evidence.METADATA, delete_job, "That a job that has not ended is refused: assumed."),
    Route(
        operations.UPDATE_JOB, Evidence.DOCS, update_job, "That a command can be changed until EnvPreparing is assumed."
    ),
    Route(operations.GET_JOB_EVENTS, Evidence.METADATA, get_job_events, "The wording of the lines is ours."),
    Route(operations.GET_POD_EVENTS, Evidence.METADATA, get_pod_events, "The wording of the lines is ours."),
    Route(operations.GET_POD_LOGS, Evidence.METADATA, get_pod_logs, "StartTime and EndTime are not heeded."),
    Route(operations.LIST_ECS_SPECS, Evidence.METADATA, list_ecs_specs, "Which instance types exist is assumed."),
)
