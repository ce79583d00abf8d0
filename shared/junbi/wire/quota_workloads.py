"""PaiStudio 2022-01-12 as it travels: the queue of a quota, and what was submitted to it.

Source: PaiStudio SDK 2.6.2.
"""

from __future__ import annotations

from pydantic import Field

from junbi.wire.model import WireModel
from junbi.wire.quotas import ResourceAmount


class QueueInfo(WireModel):
    """One workload, as the queue of its quota sees it.

    Attributes:
        position: from 1.
        status: in the queue: ``Enqueued`` by the SDK's example, the others are not listed.
        workload_status: of the job itself.
        workload_type: ``dlc`` by the SDK's example.
    """

    code: str | None = None
    code_type: str | None = None
    gmt_created_time: str | None = None
    gmt_dequeued_time: str | None = None
    gmt_enqueued_time: str | None = None
    gmt_position_modified_time: str | None = None
    name: str | None = None
    position: int | None = None
    priority: int | None = None
    queue_strategy: str | None = None
    quota_id: str | None = None
    reason: str | None = None
    resource: ResourceAmount | None = None
    status: str | None = None
    use_oversold_resource: bool | None = None
    user_id: str | None = None
    user_name: str | None = None
    workload_id: str | None = None
    workload_name: str | None = None
    workload_status: str | None = None
    workload_type: str | None = None
    workspace_id: str | None = None
    workspace_name: str | None = None


class ListQuotaWorkloadsRequest(WireModel):
    """ListQuotaWorkloads' query.

    Attributes:
        before_workload_id: only those that are before this one in the queue.
        show_own: only what was submitted to this very quota.
        sub_quota_ids, user_ids, workload_ids, workload_names, workload_statuses, workspace_ids: comma lists.
        with_historical_data: those that have ended too.
        created_from, created_until: a range of time travels as two flat members; the other ranges too.
    """

    before_workload_id: str | None = None
    instance_id: str | None = None
    node_name: str | None = None
    order: str | None = None
    page_number: int | None = None
    page_size: int | None = None
    position: int | None = None
    priority: int | None = None
    show_own: bool | None = None
    sort_by: str | None = None
    status: str | None = None
    sub_quota_ids: str | None = None
    use_oversold_resource: bool | None = None
    user_ids: str | None = None
    with_historical_data: bool | None = None
    workload_ids: str | None = None
    workload_names: str | None = None
    workload_statuses: str | None = None
    workload_type: str | None = None
    workspace_ids: str | None = None
    created_from: str | None = Field(default=None, alias="WorkloadCreatedTimeRange.StartTime")
    created_until: str | None = Field(default=None, alias="WorkloadCreatedTimeRange.EndTime")
    enqueued_from: str | None = Field(default=None, alias="GmtEnqueuedTimeRange.StartTime")
    enqueued_until: str | None = Field(default=None, alias="GmtEnqueuedTimeRange.EndTime")
    dequeued_from: str | None = Field(default=None, alias="GmtDequeuedTimeRange.StartTime")
    dequeued_until: str | None = Field(default=None, alias="GmtDequeuedTimeRange.EndTime")


class ListQuotaWorkloadsResponse(WireModel):
    """ListQuotaWorkloads' answer."""

    workloads: list[QueueInfo] = Field(default_factory=list)
    total_count: int = 0
    request_id: str | None = None
