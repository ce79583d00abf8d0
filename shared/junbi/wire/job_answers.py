"""PAI-DLC 2020-12-03 as it travels: what the service answers about jobs, pods and instance types.

Source: DLC SDK 1.11.6.
"""

from __future__ import annotations

from typing import Any

from pydantic import Field

from junbi.wire.job_settings import CredentialConfig, JobElasticSpec, JobSettings
from junbi.wire.job_spec import AutoScalingSpec, JobSpec, ResourceConfig
from junbi.wire.model import WireModel


class JobIdResponse(WireModel):
    """Answer of CreateJob, StopJob, DeleteJob and UpdateJob."""

    job_id: str | None = None
    request_id: str = ""


class AnsweredCodeSource(WireModel):
    """The code build of a job, as answered."""

    code_source_id: str | None = None
    branch: str | None = None
    commit: str | None = None
    mount_path: str | None = None


class AnsweredDataSource(WireModel):
    """A mount, as answered: version, access and cache are not echoed, and ListJobs leaves the Uri out too."""

    data_source_id: str | None = None
    mount_path: str | None = None
    uri: str | None = None


class AnsweredCustomEnv(WireModel):
    """An environment variable, as answered."""

    key: str | None = None
    value: str | None = None
    visible: str | None = None


class AnsweredUserVpc(WireModel):
    """The network, as answered: ``ExtendedCidrs``."""

    vpc_id: str | None = None
    switch_id: str | None = None
    security_group_id: str | None = None
    extended_cidrs: list[str] | None = None
    default_route: str | None = None


class StatusTransition(WireModel):
    """One status that a job went through; EndTime is absent while it lasts."""

    status: str | None = None
    start_time: str | None = None
    end_time: str | None = None
    reason_code: str | None = None
    reason_message: str | None = None


class PodNetworkInterface(WireModel):
    """One address of a pod."""

    interface_name: str | None = None
    ip: str | None = None


class PodItem(WireModel):
    """One pod. Status is ``Pending``, ``Running``, ``Succeeded``, ``Failed`` or ``Unknown``; duration in seconds."""

    pod_id: str | None = None
    pod_uid: str | None = None
    type: str | None = None
    status: str | None = None
    sub_status: str | None = None
    ip: str | None = None
    pod_ip: str | None = None
    pod_ips: list[PodNetworkInterface] | None = None
    node_name: str | None = None
    resource_type: str | None = None
    duration: float | None = None
    gmt_create_time: str | None = None
    gmt_start_time: str | None = None
    gmt_finish_time: str | None = None
    history_pods: list[PodItem] | None = None
    supported_profiling_types: str | None = Field(default=None, alias="supportedProfilingTypes")


class RestartError(WireModel):
    """One error that led to a restart."""

    error_code: str | None = None
    error_msg: str | None = None
    detail_error_msg: str | None = None
    error_source: str | None = None
    node: str | None = None
    pod: str | None = None
    trigger_restart: bool | None = None
    add_job_level_blacklist: bool | None = None
    add_node_to_blacklist: bool | None = None


class RestartRecord(WireModel):
    """One restart that DLC itself made."""

    reason: str | None = None
    occur_phase: str | None = None
    occur_time: str | None = None
    job_restart_count: int | None = None
    restart_duration_in_sec: int | None = None
    restart_fail_reason: str | None = None
    restart_level_type: str | None = None
    restart_status: str | None = None
    trigger_id: str | None = Field(default=None, alias="TriggerID")
    detail_error_info_list: list[RestartError] | None = None


class JobReplicaStatus(WireModel):
    """How many pods of one kind are where."""

    type: str | None = None
    active: int | None = None
    queuing: int | None = None
    dequeued: int | None = None
    current_spot_instance_type: str | None = None
    estimated_pod_count: int | None = None
    estimated_resource_config: ResourceConfig | None = None
    estimated_auto_scaling_spec: AutoScalingSpec | None = None


class JobFields(WireModel):
    """What GetJob and ListJobs both tell of a job.

    Attributes:
        status: an open set; ``Succeeded``, ``Failed`` and ``Stopped`` are final.
        gmt_successed_time: the service's own spelling.
        duration: seconds.
        restart_times: ``"0/10"``.
    """

    job_id: str | None = None
    display_name: str | None = None
    job_type: str | None = None
    workspace_id: str | None = None
    workspace_name: str | None = None
    user_id: str | None = None
    tenant_id: str | None = None
    accessibility: str | None = None
    status: str | None = None
    sub_status: str | None = None
    status_history: list[StatusTransition] | None = None
    reason_code: str | None = None
    reason_message: str | None = None
    gmt_create_time: str | None = None
    gmt_submitted_time: str | None = None
    gmt_running_time: str | None = None
    gmt_successed_time: str | None = None
    gmt_failed_time: str | None = None
    gmt_stopped_time: str | None = None
    gmt_finish_time: str | None = None
    duration: int | None = None
    priority: int | None = None
    job_specs: list[JobSpec] | None = None
    job_replica_statuses: list[JobReplicaStatus] | None = None
    data_sources: list[AnsweredDataSource] | None = None
    code_source: AnsweredCodeSource | None = None
    user_vpc: AnsweredUserVpc | None = None
    user_command: str | None = None
    envs: dict[str, str] | None = None
    settings: JobSettings | None = None
    credential_config: CredentialConfig | None = None
    elastic_spec: JobElasticSpec | None = None
    enabled_debugger: bool | None = None
    pods: list[PodItem] | None = None
    request_cpu: int | None = Field(default=None, alias="RequestCPU")
    resource_id: str | None = None
    resource_level: str | None = None
    resource_type: str | None = None
    cluster_id: str | None = None
    restart_times: str | None = None
    scheduling_strategy: str | None = None
    thirdparty_libs: list[str] | None = None
    thirdparty_lib_dir: str | None = None
    supported_profiling_types: str | None = Field(default=None, alias="supportedProfilingTypes")


class GetJobResponse(JobFields):
    """Answer of GetJob."""

    description: str | None = None
    custom_envs: list[AnsweredCustomEnv] | None = None
    request_gpu: float | None = Field(default=None, alias="RequestGPU")
    request_memory: float | None = None
    restart_record: list[RestartRecord] | None = None
    role_system_envs: dict[str, Any] | None = None
    request_id: str = ""


class JobItem(JobFields):
    """A job as ListJobs shows it: here RequestGPU and RequestMemory are strings."""

    request_gpu: str | None = Field(default=None, alias="RequestGPU")
    request_memory: str | None = None
    gmt_modified_time: str | None = None
    job_max_running_time_minutes: int | None = None
    is_deleted: bool | None = None
    node_count: str | None = None
    node_names: list[str] | None = None
    enable_preemptible_job: bool | None = None
    use_oversold_resource: bool | None = None
    resource_name: str | None = None
    resource_quota_name: str | None = None
    retry_count: int | None = None
    system_envs: dict[str, str] | None = None
    template_id: str | None = None
    template_name: str | None = None
    username: str | None = None
    user_script: str | None = None
    working_dir: str | None = None


class ListJobsResponse(WireModel):
    """Answer of ListJobs."""

    jobs: list[JobItem] = Field(default_factory=list)
    total_count: int = 0
    request_id: str = ""


class GetJobEventsResponse(WireModel):
    """Answer of GetJobEvents: lines of free text, ``2021-01-28 14:07:24 Created pod: …``."""

    job_id: str | None = None
    events: list[str] = Field(default_factory=list)
    request_id: str = ""


class GetPodEventsResponse(GetJobEventsResponse):
    """Answer of GetPodEvents."""

    pod_id: str | None = None
    pod_uid: str | None = None


class ContainerInfo(WireModel):
    """The containers of a pod."""

    main_container: str | None = None
    sidecar_containers: list[str] | None = None


class GetPodLogsResponse(WireModel):
    """Answer of GetPodLogs: one string per line."""

    job_id: str | None = None
    pod_id: str | None = None
    pod_uid: str | None = None
    logs: list[str] = Field(default_factory=list)
    containers: str | None = None
    container_info: ContainerInfo | None = None
    request_id: str = ""


class EcsSpec(WireModel):
    """An instance type of the public resources; memory in GiB."""

    instance_type: str | None = None
    accelerator_type: str | None = None
    cpu: int | None = None
    memory: int | None = None
    gpu: int | None = None
    gpu_type: str | None = None
    gpu_memory: int | None = None
    is_available: bool | None = None
    payment_types: list[str] | None = None
    resource_type: str | None = None
    spot_stock_status: str | None = None
    non_protect_spot_discount: float | None = None
    default_gpu_driver: str | None = Field(default=None, alias="DefaultGPUDriver")
    supported_gpu_drivers: list[str] | None = Field(default=None, alias="SupportedGPUDrivers")


class ListEcsSpecsResponse(WireModel):
    """Answer of ListEcsSpecs."""

    ecs_specs: list[EcsSpec] = Field(default_factory=list)
    total_count: int = 0
    request_id: str = ""
