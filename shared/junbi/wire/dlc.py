"""PAI-DLC 2020-12-03 as it travels: requests of the job operations and of the instance types.

The answers about jobs are in ``job_answers``, the larger members in ``job_spec`` and ``job_settings``; all can be
imported from here. Source: DLC SDK 1.11.6, and OpenAPI metadata of 2025-11 for what is required.
"""

from __future__ import annotations

from pydantic import Field

from junbi.wire.job_answers import (
    EcsSpec,
    GetJobEventsResponse,
    GetJobResponse,
    GetPodEventsResponse,
    GetPodLogsResponse,
    JobIdResponse,
    JobItem,
    ListEcsSpecsResponse,
    ListJobsResponse,
    PodItem,
    StatusTransition,
)
from junbi.wire.job_settings import CredentialConfig, JobElasticSpec, JobSettings
from junbi.wire.job_spec import ImageConfig, JobSpec, ResourceConfig
from junbi.wire.model import WireModel

__all__ = [
    "CodeSource",
    "CreateJobRequest",
    "CredentialConfig",
    "CustomEnv",
    "DataSource",
    "EcsSpec",
    "GetJobEventsRequest",
    "GetJobEventsResponse",
    "GetJobRequest",
    "GetJobResponse",
    "GetPodEventsRequest",
    "GetPodEventsResponse",
    "GetPodLogsRequest",
    "GetPodLogsResponse",
    "ImageConfig",
    "JobElasticSpec",
    "JobIdResponse",
    "JobItem",
    "JobSettings",
    "JobSpec",
    "ListEcsSpecsRequest",
    "ListEcsSpecsResponse",
    "ListJobsRequest",
    "ListJobsResponse",
    "PodItem",
    "ResourceConfig",
    "StatusTransition",
    "UpdateJobRequest",
    "UserVpc",
]


class CodeSource(WireModel):
    """The code build a job checks out; what is absent comes from the registered code source."""

    code_source_id: str | None = None
    branch: str | None = None
    commit: str | None = None
    mount_path: str | None = None
    is_shared_mount_path: bool | None = None


class CustomEnv(WireModel):
    """An environment variable that may be hidden; ``Visible`` is a string."""

    key: str | None = None
    value: str | None = None
    visible: str | None = None


class DataSource(WireModel):
    """A dataset, or a storage address, mounted into every pod.

    Attributes:
        data_source_id: a dataset's id. Excludes uri.
        data_source_version: ``v2``; which one an absent version means is not documented: always send it.
        mount_access: ``RO`` or ``RW``.
        options: a JSON string, such as ``{"mountType": "ossfs"}``.
        access_point_id: of Lingjun CPFS.
    """

    data_source_id: str | None = None
    data_source_version: str | None = None
    uri: str | None = None
    mount_path: str | None = None
    mount_access: str | None = None
    options: str | None = None
    enable_cache: bool | None = None
    access_point_id: str | None = None
    role_arn: str | None = None
    role_chain: str | None = None


class UserVpc(WireModel):
    """The network the pods join; answers spell ``ExtendedCidrs`` where this request spells ``ExtendedCIDRs``."""

    vpc_id: str | None = None
    switch_id: str | None = None
    security_group_id: str | None = None
    extended_cidrs: list[str] | None = Field(default=None, alias="ExtendedCIDRs")
    default_route: str | None = None


class CreateJobRequest(WireModel):
    """Body of CreateJob, at most 65,536 bytes.

    Attributes:
        workspace_id: the caller's default workspace where absent: always send it.
        resource_id: a quota's id; absent means public resources.
        priority: 1 to 9.
        job_max_running_time_minutes: from 1.
        options: ``k=v,k=v`` overrides of the OSS mounts.
        elastic_spec, debugger_config_content: in the API, documented as unsupported.
    """

    display_name: str
    job_type: str
    job_specs: list[JobSpec]
    user_command: str
    workspace_id: str | None = None
    resource_id: str | None = None
    priority: int | None = None
    data_sources: list[DataSource] | None = None
    code_source: CodeSource | None = None
    user_vpc: UserVpc | None = None
    envs: dict[str, str] | None = None
    custom_envs: list[CustomEnv] | None = None
    settings: JobSettings | None = None
    credential_config: CredentialConfig | None = None
    job_max_running_time_minutes: int | None = None
    accessibility: str | None = None
    description: str | None = None
    options: str | None = None
    scheduling_strategy: str | None = None
    success_policy: str | None = None
    template_id: str | None = None
    template_version: int | None = None
    thirdparty_libs: list[str] | None = None
    thirdparty_lib_dir: str | None = None
    elastic_spec: JobElasticSpec | None = None
    debugger_config_content: str | None = None


class GetJobRequest(WireModel):
    """Query of GetJob."""

    need_detail: bool | None = None


class ListJobsRequest(WireModel):
    """Query of ListJobs. Without StartTime and EndTime only jobs created in the last 7 days are listed.

    Attributes:
        display_name: part of a name, in any letter case.
        job_ids, resource_ids: comma lists.
        show_own: true by default (older metadata): only the caller's own jobs.
        tags: a JSON object as a string; all must match.
        start_time, end_time: ``2021-01-12T14:35:01Z``, of the creation unless time_range_field says otherwise.
        order: ``asc`` or ``desc``, the default.
        page_number: 1 to 1000. page_size: 1 to 100, 10 by default.
    """

    workspace_id: str | None = None
    display_name: str | None = None
    display_name_search_mode: str | None = None
    status: str | None = None
    job_type: str | None = None
    job_id: str | None = None
    job_ids: str | None = None
    resource_id: str | None = None
    resource_ids: str | None = None
    resource_quota_name: str | None = None
    payment_type: str | None = None
    show_own: bool | None = None
    from_all_workspaces: bool | None = None
    tags: str | None = None
    user_id_for_filter: str | None = None
    username: str | None = None
    business_user_id: str | None = None
    caller: str | None = None
    accessibility: str | None = None
    start_time: str | None = None
    end_time: str | None = None
    time_range_field: str | None = None
    numeric_range_field: str | None = None
    numeric_range_min: int | None = None
    numeric_range_max: int | None = None
    description: str | None = None
    image_search: str | None = None
    user_command_search: str | None = None
    reason_search: str | None = None
    enable_assign_node: str | None = None
    oversold_info: str | None = None
    pipeline_id: str | None = None
    template_id: str | None = None
    sort_by: str | None = None
    order: str | None = None
    page_number: int | None = None
    page_size: int | None = None


class UpdateJobRequest(WireModel):
    """Body of UpdateJob. A priority is ignored, with HTTP 200, once the job runs or where it uses no quota."""

    priority: int | None = None
    accessibility: str | None = None
    description: str | None = None
    job_specs: list[JobSpec] | None = None
    user_command: str | None = None


class GetJobEventsRequest(WireModel):
    """Query of GetJobEvents; the last 7 days by default."""

    start_time: str | None = None
    end_time: str | None = None
    max_events_num: int | None = None


class GetPodEventsRequest(GetJobEventsRequest):
    """Query of GetPodEvents."""

    pod_uid: str | None = None


class GetPodLogsRequest(WireModel):
    """Query of GetPodLogs; ``MaxLines`` is 2000 by default."""

    pod_uid: str | None = None
    max_lines: int | None = None
    start_time: str | None = None
    end_time: str | None = None
    containers: str | None = None
    download_to_file: bool | None = None


class ListEcsSpecsRequest(WireModel):
    """Query of ListEcsSpecs. ``SortBy`` is documented but answered with HTTP 400: leave it out."""

    accelerator_type: str | None = None
    resource_type: str | None = None
    instance_types: str | None = None
    sort_by: str | None = None
    order: str | None = None
    page_number: int | None = None
    page_size: int | None = None
