"""What the pods ask for goes with what they run on: an instance type says it, a quota has to be told."""

from __future__ import annotations

from typing import TYPE_CHECKING

from junbi.core.amounts import amount
from junbi.core.model import Check, Reason, State
from junbi.core.reasons import Code

if TYPE_CHECKING:
    from junbi.core.plan import Resource, Workers

#: Source: PAI documentation of Lingjun quotas.
_LINGJUN_JOBS = ("TFJob", "PyTorchJob", "ElasticBatchJob", "MPIJob", "RayJob")


def check(resource: Resource, workers: Workers, job_type: str) -> Check:
    """Blocked where PAI would refuse the request, whatever there is room for."""
    reason = _lingjun(resource, job_type) or (_quota if resource.quota else _public)(resource, workers)
    return Check("workers", State.BLOCKED, reason) if reason else Check("workers", State.READY)


def _lingjun(resource: Resource, job_type: str) -> Reason | None:
    if resource.kind != "lingjun" or job_type in _LINGJUN_JOBS:
        return None
    return Reason(
        Code.LINGJUN_JOB_TYPE,
        f"Lingjun resources take no {job_type}.",
        fix=f"Give job.type one of {', '.join(_LINGJUN_JOBS)}, or the plan another resource.",
    )


def _quota(resource: Resource, workers: Workers) -> Reason | None:
    missing = [name for name in ("cpu", "memory") if not getattr(workers, name)]
    if missing:
        return Reason(
            Code.SPEC_CONFLICT,
            f"The resource {resource.name} is a quota, which has to be told what each pod asks for.",
            fix=f"Give workers {' and '.join(missing)}, such as {{cpu: 8, memory: 28Gi}}.",
        )
    shared, memory = amount(workers.shared_memory), amount(workers.memory)
    if shared is not None and memory is not None and shared > memory:
        return Reason(
            Code.SPEC_CONFLICT,
            f"The shared memory, {workers.shared_memory}, is a part of the memory, and that is {workers.memory}.",
            fix="Write a smaller workers.shared_memory, or a larger workers.memory.",
        )
    return None


def _public(resource: Resource, workers: Workers) -> Reason | None:
    said = [name for name in ("cpu", "memory", "gpu", "gpu_type", "shared_memory") if getattr(workers, name)]
    if not said:
        return None
    return Reason(
        Code.SPEC_CONFLICT,
        f"The instance type {resource.public} says what each pod has; PAI takes no {' and no '.join(said)} beside it.",
        fix=f"Leave out {' and '.join(said)}, or run the plan in a quota.",
    )
