"""A job as GetJob and ListJobs show it."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any

from junbi.emulator.dlc.requested import requested
from junbi.emulator.times import timestamp
from junbi.emulator.workspace.account import ACCOUNT_ID
from junbi.wire.dlc import GetJobResponse, JobItem

if TYPE_CHECKING:
    from junbi.emulator.dlc.job import Job, Pod

#: Members of the request that the answers repeat as they were sent. Everything but these is derived below.
_REPEATED = (
    "DisplayName",
    "JobType",
    "JobSpecs",
    "UserCommand",
    "Envs",
    "Settings",
    "CredentialConfig",
    "ElasticSpec",
    "Priority",
    "ResourceId",
    "SchedulingStrategy",
    "ThirdpartyLibs",
    "ThirdpartyLibDir",
    "WorkspaceId",
)
_TIMES = {
    "GmtSubmittedTime": "Queuing",
    "GmtRunningTime": "Running",
    "GmtSuccessedTime": "Succeeded",
    "GmtFailedTime": "Failed",
    "GmtStoppedTime": "Stopped",
}


def job_answer(job: Job, workspace_name: str, now: datetime) -> GetJobResponse:
    """What GetJob answers. Data sources do not echo version, access and cache."""
    request = job.request
    sources = [
        {"DataSourceId": mount.data_source_id, "MountPath": mount.path, "Uri": mount.uri} for mount in job.mounts
    ]
    cpu, gpu, memory = _requested(job)
    return GetJobResponse.from_wire(
        {
            **_shown(job, workspace_name, now),
            "DataSources": sources,
            "Description": request.get("Description", ""),
            "CustomEnvs": request.get("CustomEnvs") or [],
            "RequestCPU": cpu,
            "RequestGPU": gpu,
            "RequestMemory": memory,
        }
    )


def job_item(job: Job, workspace_name: str, now: datetime) -> JobItem:
    """What ListJobs shows of a job. Its data sources leave the Uri out; sums are strings here."""
    sources = [{"DataSourceId": mount.data_source_id, "MountPath": mount.path} for mount in job.mounts]
    cpu, gpu, memory = _requested(job)
    changed = timestamp(job.since)
    item = {
        **_shown(job, workspace_name, now),
        "DataSources": sources,
        "GmtModifiedTime": changed,
        "IsDeleted": False,
        **_quota_names(job),
        "NodeCount": str(len(job.pods)),
        "JobMaxRunningTimeMinutes": job.request.get("JobMaxRunningTimeMinutes"),
        "RequestCPU": cpu,
        "RequestGPU": f"{gpu:g}",
        "RequestMemory": f"{memory:g}",
    }
    return JobItem.from_wire(item)


def _code(job: Job) -> dict[str, str]:
    """What the job runs with; that it is this, rather than what was sent, is assumed. No member tells the token."""
    code = job.code[0]
    told = {
        "CodeSourceId": job.request["CodeSource"]["CodeSourceId"],
        "Branch": code.branch,
        "Commit": code.commit,
        "MountPath": code.path,
    }
    return {name: value for name, value in told.items() if value}


def _shown(job: Job, workspace_name: str, now: datetime) -> dict[str, Any]:
    repeated = {name: job.request[name] for name in _REPEATED if name in job.request}
    times = {name: timestamp(moment) for name, status in _TIMES.items() if (moment := job.began(status))}
    last = job.history[-1]
    vpc = job.request.get("UserVpc")
    return {
        **repeated,
        **times,
        **({"GmtFinishTime": timestamp(job.since)} if job.terminal else {}),
        **({"UserVpc": _vpc(vpc)} if vpc else {}),
        **({"CodeSource": _code(job)} if job.code else {}),
        "JobId": job.job_id,
        "UserId": job.user_id,
        "TenantId": ACCOUNT_ID,
        "WorkspaceName": workspace_name,
        "Accessibility": job.request.get("Accessibility", "PUBLIC"),
        "Priority": job.priority,
        "Status": job.status,
        "ReasonCode": last["ReasonCode"],
        "ReasonMessage": last["ReasonMessage"],
        "StatusHistory": [_transition(entry) for entry in job.history],
        "GmtCreateTime": timestamp(datetime.fromisoformat(job.created)),
        "Duration": _duration(job, now),
        "Pods": [_pod(job, pod) for pod in job.pods],
        "ResourceType": job.resource_type,
        "RestartTimes": "0/0",
    }


def _duration(job: Job, now: datetime) -> int:
    """Seconds from the creation to the end, or till now. That it counts from the creation is assumed."""
    end = job.since if job.terminal else now
    return int((end - datetime.fromisoformat(job.created)).total_seconds())


def _transition(entry: dict[str, str]) -> dict[str, str]:
    return {
        name: timestamp(datetime.fromisoformat(value)) if name.endswith("Time") else value
        for name, value in entry.items()
    }


def _vpc(vpc: dict[str, Any]) -> dict[str, Any]:
    """Requests say ExtendedCIDRs, answers ExtendedCidrs."""
    return {{"ExtendedCIDRs": "ExtendedCidrs"}.get(name, name): value for name, value in vpc.items()}


def _pod(job: Job, pod: Pod) -> dict[str, Any]:
    known = job.pod_times.get(pod.pod_id, {})
    times = {
        name: timestamp(datetime.fromisoformat(known[key]))
        for name, key in (("GmtStartTime", "Started"), ("GmtFinishTime", "Finished"))
        if key in known
    }
    return {
        "PodId": pod.pod_id,
        "PodUid": pod.pod_uid,
        "Type": pod.type,
        "Status": known.get("Status", "Pending"),
        "SubStatus": "Normal",
        "Ip": "127.0.0.1",
        "GmtCreateTime": timestamp(job.began("EnvPreparing") or datetime.fromisoformat(job.created)),
        **times,
    }


def _requested(job: Job) -> tuple[int, float, float]:
    """Cores, cards and GiB of all pods."""
    asked = requested(job)
    return int(asked.cpu), float(asked.gpu), float(asked.memory / 2**30)


def _quota_names(job: Job) -> dict[str, str]:
    """That both members tell the quota's name is assumed; GetJob has neither."""
    return {"ResourceName": job.resource_name, "ResourceQuotaName": job.resource_name} if job.resource_name else {}
