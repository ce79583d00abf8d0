"""Whether a quota takes a job: what DLC checks before it gives out a job id.

Assumed: the codes but ``InvalidParameter``, and that all of it is checked at once. A job that asks for more than the
quota could ever hold is accepted, and stays in its queue: assumed too. GPUType is not heeded.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from junbi.emulator.api_error import ApiError, invalid
from junbi.emulator.quota.amounts import read
from junbi.emulator.quota.dequeue import USABLE

if TYPE_CHECKING:
    from junbi.wire.dlc import CreateJobRequest
    from junbi.wire.quotas import Quota

#: Source: documentation.
_LINGJUN_JOBS = frozenset({"TFJob", "PyTorchJob", "ElasticBatchJob", "MPIJob", "RayJob"})


def check_quota(request: CreateJobRequest, workspace_id: str, quota: Quota) -> None:
    """ApiError where the quota is not the workspace's, is not ready, or takes no such job."""
    if workspace_id not in {one.workspace_id for one in quota.workspaces or ()}:
        message = f"Quota {quota.quota_id} is not attached to workspace {workspace_id}."
        raise ApiError("QuotaNotInWorkspace", message, 400)
    if quota.status not in USABLE:
        raise ApiError("QuotaNotReady", f"Quota {quota.quota_id} is {quota.status} and takes no jobs.", 400)
    if quota.resource_type == "Lingjun" and request.job_type not in _LINGJUN_JOBS:
        raise invalid(f"JobType {request.job_type!r} does not run on Lingjun resources.")
    for index, spec in enumerate(request.job_specs):
        try:
            read(spec.resource_config)
        except ValueError as error:
            raise invalid(f"JobSpecs[{index}].ResourceConfig: {error}") from error
