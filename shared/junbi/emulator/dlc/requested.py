"""What a job asks for, as its quota reckons with it."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal
from typing import TYPE_CHECKING

from junbi.emulator.dlc.instances import INSTANCES
from junbi.emulator.quota.amounts import Amount, read
from junbi.emulator.quota.workload import Workload

if TYPE_CHECKING:
    from junbi.emulator.dlc.job import Job
    from junbi.wire.dlc import JobSpec


def requested(job: Job) -> Amount:
    """What all pods of a job ask for together; of public resources, what their instances have."""
    return sum((_of_one(spec) * (spec.pod_count or 1) for spec in job.asked.job_specs), Amount())


def workload(job: Job) -> Workload:
    """A job that was submitted to a quota."""
    dequeued = job.began("EnvPreparing")
    return Workload(
        workload_id=job.job_id,
        name=job.request["DisplayName"],
        quota_id=job.request["ResourceId"],
        workspace_id=job.request["WorkspaceId"],
        user_id=job.user_id,
        priority=job.priority,
        needs=requested(job),
        status=job.status,
        created=datetime.fromisoformat(job.created),
        enqueued=job.began("Queuing"),
        dequeued=dequeued,
        queued=job.status == "Queuing",
        holds=dequeued is not None and not job.terminal,
    )


def _of_one(spec: JobSpec) -> Amount:
    instance = INSTANCES.get(spec.ecs_spec or "")
    if instance:
        cpu, memory, gpu = (Decimal(value or 0) for value in (instance.cpu, instance.memory, instance.gpu))
        return Amount(cpu, memory * 2**30, gpu)
    return read(spec.resource_config)
