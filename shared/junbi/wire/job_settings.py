"""DLC 2020-12-03 as it travels: ``Settings``, ``CredentialConfig`` and ``ElasticSpec`` of a job.

Source: DLC SDK 1.11.6.
"""

from __future__ import annotations

from typing import Any

from pydantic import Field

from junbi.wire.model import WireModel


class ResourceLimit(WireModel):
    """The most that a DataJuicer job may use."""

    cpu: str | None = Field(default=None, alias="CPU")
    gpu: str | None = Field(default=None, alias="GPU")
    memory: str | None = None


class DataJuicerConfig(WireModel):
    """Settings of a DataJuicerJob."""

    command_type: str | None = None
    execution_mode: str | None = None
    enable_resource_estimation: bool | None = None
    resource_limit: ResourceLimit | None = None


class ModelTemplate(WireModel):
    """A model of the model gallery."""

    model_name: str | None = None
    provider: str | None = None
    collections: str | None = None


class ModelSettings(WireModel):
    """``ModelConfig``: the model that a job trains (renamed here: pydantic owns the plain name)."""

    name: str | None = Field(default=None, alias="ModelName")
    template: ModelTemplate | None = Field(default=None, alias="ModelTemplate")


class JobSettings(WireModel):
    """``Settings`` of a job.

    Attributes:
        tags: the job's tags; ListJobs filters by them.
        enable_oss_append: lets an OSS mount append to existing files.
        job_reserved_minutes: how long pods stay after the process ended.
        advanced_settings: open, such as ``{"ReleaseResourcePolicy": "pod-exit"}``.
    """

    tags: dict[str, str] | None = None
    advanced_settings: dict[str, Any] | None = None
    allocate_all_rdma_devices: bool | None = Field(default=None, alias="AllocateAllRDMADevices")
    allow_unschedulable_nodes: bool | None = None
    business_user_id: str | None = None
    caller: str | None = None
    data_juicer_config: DataJuicerConfig | None = None
    disable_ecs_stock_check: bool | None = None
    driver: str | None = None
    elastic_spot_job_max_restart_times: int | None = None
    enable_cpu_affinity: bool | None = Field(default=None, alias="EnableCPUAffinity")
    enable_dsw_dev: bool | None = Field(default=None, alias="EnableDSWDev")
    enable_error_monitoring_in_aimaster: bool | None = Field(default=None, alias="EnableErrorMonitoringInAIMaster")
    enable_oss_append: bool | None = None
    enable_rdma: bool | None = Field(default=None, alias="EnableRDMA")
    enable_sanity_check: bool | None = None
    enable_tide_resource: bool | None = None
    error_monitoring_args: str | None = None
    job_reserved_minutes: int | None = None
    job_reserved_policy: str | None = None
    model_settings: ModelSettings | None = Field(default=None, alias="ModelConfig")
    oversold_type: str | None = None
    pipeline_id: str | None = None
    sanity_check_args: str | None = None
    shell: str | None = None
    termination_grace_period_seconds: int | None = None


class AssumeUserInfo(WireModel):
    """The user that a role is assumed for. May hold a token: never log it."""

    id: str | None = None
    type: str | None = None
    access_key_id: str | None = None
    security_token: str | None = None


class CredentialRole(WireModel):
    """One role that the containers may assume."""

    role_arn: str | None = None
    role_type: str | None = None
    assume_role_for: str | None = None
    assume_user_info: AssumeUserInfo | None = None
    policy: str | None = None


class CredentialConfigItem(WireModel):
    """Roles under one key."""

    type: str | None = None
    key: str | None = None
    roles: list[CredentialRole] | None = None


class CredentialConfig(WireModel):
    """Which RAM roles the containers get."""

    enable_credential_inject: bool | None = None
    aliyun_env_role_key: str | None = None
    credential_config_items: list[CredentialConfigItem] | None = None


class JobElasticSpec(WireModel):
    """``ElasticSpec``: in the API, but the service documents it as unsupported."""

    enable_elastic_training: bool | None = None
    elastic_strategy: str | None = None
    enable_ai_master: bool | None = Field(default=None, alias="EnableAIMaster")
    ai_master_type: str | None = Field(default=None, alias="AIMasterType")
    ai_master_docker_image: str | None = Field(default=None, alias="AIMasterDockerImage")
    enable_edp: bool | None = Field(default=None, alias="EnableEDP")
    edp_min_parallelism: int | None = Field(default=None, alias="EDPMinParallelism")
    edp_max_parallelism: int | None = Field(default=None, alias="EDPMaxParallelism")
    enable_ps_job_elastic_ps: bool | None = Field(default=None, alias="EnablePsJobElasticPS")
    enable_ps_job_elastic_worker: bool | None = None
    enable_ps_resource_estimate: bool | None = None
    min_parallelism: int | None = None
    max_parallelism: int | None = None
    ps_min_parallelism: int | None = Field(default=None, alias="PSMinParallelism")
    ps_max_parallelism: int | None = Field(default=None, alias="PSMaxParallelism")
