"""PaiStudio 2022-01-12 as it travels: resource quotas.

Source: PaiStudio SDK 2.6.2. Settings that junbi keeps and compares but never looks into are plain documents here.
"""

from __future__ import annotations

from typing import Any

from pydantic import Field

from junbi.wire.aiworkspace import Label
from junbi.wire.model import WireModel


class ResourceAmount(WireModel):
    """How much of each resource, as texts: ``"16"`` CPUs, ``"60Gi"`` of memory, ``"2"`` GPUs."""

    cpu: str | None = Field(default=None, alias="CPU")
    gpu: str | None = Field(default=None, alias="GPU")
    gpu_type: str | None = Field(default=None, alias="GPUType")
    gpu_memory: str | None = Field(default=None, alias="GPUMemory")
    gpu_memory_bytes: int | None = Field(default=None, alias="GPUMemoryBytes")
    memory: str | None = None


class BindingPolicy(WireModel):
    """Which nodes a quota takes its machines from."""

    exclude_nodes: list[str] | None = None
    include_nodes: list[str] | None = None
    node_spec_count: int | None = None


class NodeSpec(WireModel):
    """So many machines of a type. Source: the SDK calls it ``Type``; the vendor's prose also ``NodeSpec``."""

    type: str | None = None
    count: int | None = None
    hyper_type: str | None = None
    binding_policy: BindingPolicy | None = None


class ResourceSpec(WireModel):
    """What a quota guarantees; there is no maximum."""

    node_specs: list[NodeSpec] | None = None


class QuotaDetails(WireModel):
    """How much of a quota is used. It moves with every job; told only where ``Verbose`` asks for it.

    Attributes:
        actual_min_quota: ``allocatable_quota`` and ``system_reserved_quota`` together.
        allocated_quota: what workloads hold.
        requested_quota: what workloads that left the queue ask for.
        self_submitted_quota: the queue's included.
        used_quota: deprecated.
    """

    actual_min_quota: ResourceAmount | None = None
    allocatable_quota: ResourceAmount | None = None
    allocated_quota: ResourceAmount | None = None
    ancestors_allocated_quota: ResourceAmount | None = None
    descendants_allocated_quota: ResourceAmount | None = None
    desired_min_quota: ResourceAmount | None = None
    node_statistics: dict[str, Any] | None = None
    requested_quota: ResourceAmount | None = None
    self_allocated_quota: ResourceAmount | None = None
    self_submitted_quota: ResourceAmount | None = None
    system_reserved_quota: ResourceAmount | None = None
    used_quota: ResourceAmount | None = None


class QuotaIdName(WireModel):
    """A quota that another one names."""

    quota_id: str | None = None
    quota_name: str | None = None


class WorkspaceIdName(WireModel):
    """A workspace that a quota is attached to."""

    workspace_id: str | None = None
    workspace_name: str | None = None


class Quota(WireModel):
    """A quota.

    Attributes:
        parent_quota_id: empty or absent for a root.
        resource_type: ``ECS``, ``Lingjun`` or ``ACS``.
        status: open: sources name ``Ready`` and ``Creating``, others ``Enabled`` and ``Initializing``.
    """

    allocate_strategy: str | None = None
    creator_id: str | None = None
    description: str | None = None
    gpu_type: str | None = Field(default=None, alias="GPUType")
    gmt_created_time: str | None = None
    gmt_modified_time: str | None = None
    hyper_zones: list[str] | None = None
    labels: list[Label] | None = None
    latest_operation_id: str | None = None
    min: ResourceSpec | None = None
    parent_quota_id: str | None = None
    queue_strategy: str | None = None
    quota_cluster: dict[str, Any] | None = None
    quota_config: dict[str, Any] | None = None
    quota_details: QuotaDetails | None = None
    quota_id: str | None = None
    quota_name: str | None = None
    reason_code: str | None = None
    reason_message: str | None = None
    resource_group_ids: list[str] | None = None
    resource_type: str | None = None
    status: str | None = None
    sub_quotas: list[QuotaIdName] | None = None
    version: str | None = None
    workspaces: list[WorkspaceIdName] | None = None


class GetQuotaRequest(WireModel):
    """GetQuota's query."""

    verbose: bool | None = None
    with_node_meta: bool | None = None


class GetQuotaResponse(Quota):
    """GetQuota's answer."""

    request_id: str | None = None


class ListQuotasRequest(WireModel):
    """ListQuotas' query.

    Attributes:
        resource_type: **ECS where it is absent**: a plain list omits every other kind.
        parent_quota_id: absent for all quotas, empty for the roots, an id for its children.
        quota_ids, workspace_ids, statuses: comma lists of at most 100, 10 and any number.
        quota_name: part of a name.
        order: ``asc`` or ``desc``.
    """

    cluster_type: str | None = None
    gpu_type: str | None = Field(default=None, alias="GPUType")
    has_resource: str | None = None
    labels: str | None = None
    layout_mode: str | None = None
    order: str | None = None
    page_number: int | None = None
    page_size: int | None = None
    parent_quota_id: str | None = None
    quota_ids: str | None = None
    quota_name: str | None = None
    resource_type: str | None = None
    sort_by: str | None = None
    statuses: str | None = None
    verbose: bool | None = None
    versions: str | None = None
    workspace_ids: str | None = None
    workspace_name: str | None = None


class ListQuotasResponse(WireModel):
    """ListQuotas' answer."""

    quotas: list[Quota] = Field(default_factory=list)
    total_count: int = 0
    request_id: str | None = None
