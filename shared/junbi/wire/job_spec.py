"""DLC 2020-12-03 as it travels: ``JobSpecs[]``, which says what each kind of node of a job runs on.

Source: DLC SDK 1.11.6.
"""

from __future__ import annotations

from pydantic import Field

from junbi.wire.model import WireModel


class ResourceConfig(WireModel):
    """What one pod asks of a quota. All are strings: ``"4"``, ``"8Gi"``."""

    cpu: str | None = Field(default=None, alias="CPU")
    gpu: str | None = Field(default=None, alias="GPU")
    gpu_type: str | None = Field(default=None, alias="GPUType")
    memory: str | None = None
    shared_memory: str | None = None


class ImageConfig(WireModel):
    """How to pull from a private registry. Holds a password: never log it."""

    docker_registry: str | None = None
    username: str | None = None
    password: str | None = None
    auth: str | None = None


class SpotSpec(WireModel):
    """A bid for pre-emptible instances; a price limit excludes a discount limit."""

    spot_strategy: str | None = None
    spot_price_limit: float | None = None
    spot_discount_limit: float | None = None


class ElasticSpotSpec(SpotSpec):
    """A bid for one instance type."""

    instance_type: str | None = None


class HyperNodeSpec(WireModel):
    """Nodes of one hyper node (Lingjun)."""

    hyper_node_name: str | None = None
    node_names: str | None = None


class AssignNodeSpec(WireModel):
    """On which nodes of a quota the pods may run; node names are comma lists."""

    enable_assign_node: bool | None = None
    node_names: str | None = None
    anti_affinity_node_names: str | None = None
    hyper_nodes: list[HyperNodeSpec] | None = None
    anti_affinity_hyper_nodes: list[HyperNodeSpec] | None = None


class AutoscalingMetricSpec(WireModel):
    """The figure that a scaling follows."""

    metric_name: str | None = None
    target_value: int | None = None
    tolerance: str | None = None
    stabilization_window_seconds: int | None = None


class AutoScalingSpec(WireModel):
    """How the number of pods changes while the job runs."""

    min_replicas: int | None = None
    max_replicas: int | None = None
    scaling_strategy: str | None = None
    pods_to_delete: list[str] | None = None
    autoscaling_metric_spec: AutoscalingMetricSpec | None = None


class EnvVar(WireModel):
    """An environment variable of a side container."""

    name: str | None = None
    value: str | None = None


class ResourceRequirements(WireModel):
    """Kubernetes requests and limits of a side container."""

    requests: dict[str, str] | None = None
    limits: dict[str, str] | None = None


class SeccompProfile(WireModel):
    """The system calls a container may make."""

    type: str | None = None
    localhost_profile: str | None = None


class Capabilities(WireModel):
    """Linux capabilities added and dropped."""

    add: list[str] | None = None
    drop: list[str] | None = None


class SecurityContext(WireModel):
    """With which rights a container runs."""

    capabilities: Capabilities | None = None
    privileged: bool | None = None
    run_as_user: int | None = None
    run_as_group: int | None = None
    seccomp_profile: SeccompProfile | None = None


class ContainerSpec(WireModel):
    """An init or side container."""

    name: str | None = None
    image: str | None = None
    command: list[str] | None = None
    args: list[str] | None = None
    env: list[EnvVar] | None = None
    resources: ResourceRequirements | None = None
    security_context: SecurityContext | None = None
    working_dir: str | None = None


class LifecycleCommand(WireModel):
    """A command with its arguments."""

    command: list[str] | None = None


class LifecycleHook(WireModel):
    """What to run at one moment of a container's life."""

    exec: LifecycleCommand | None = None


class Lifecycle(WireModel):
    """What to run when the main container has started and before it stops."""

    post_start: LifecycleHook | None = None
    pre_stop: LifecycleHook | None = None


class ExtraPodSpec(WireModel):
    """Additions to a pod."""

    init_containers: list[ContainerSpec] | None = None
    side_car_containers: list[ContainerSpec] | None = None
    main_container_security_context: SecurityContext | None = None
    pod_annotations: dict[str, str] | None = None
    pod_labels: dict[str, str] | None = None
    shared_volume_mount_paths: list[str] | None = None
    lifecycle: Lifecycle | None = None


class HyperNodeSchedulingConfig(WireModel):
    """How pods are spread over hyper nodes (Lingjun)."""

    min_available: int | None = None
    quality_policy: str | None = None


class LocalMountSpec(WireModel):
    """A directory of the node itself, mounted."""

    local_path: str | None = None
    mount_path: str | None = None
    mount_mode: str | None = None


class ServiceSpec(WireModel):
    """Ports that the pods offer each other."""

    service_mode: str | None = None
    default_port: int | None = None
    extra_ports: list[int] | None = None


class StartupDependency(WireModel):
    """Which nodes must have come how far before these start."""

    type: str | None = None
    on_phase: str | None = None
    min_replicas: str | None = None


class SystemDisk(WireModel):
    """The node's system disk; size in GiB."""

    category: str | None = None
    performance_level: str | None = None
    size: int | None = None


class JobSpec(WireModel):
    """One kind of node of a job: how many, from which image, on what.

    Attributes:
        type: ``Worker``, ``Master``, ``Chief``, ``PS``… as the job type allows.
        image: an image address, never an image id.
        ecs_spec: an instance type: public resources. Excludes resource_config.
        resource_config: what a pod asks of the quota named by the job's ResourceId.
        is_cheif: an older spelling that the API still knows.
    """

    type: str | None = None
    image: str | None = None
    image_config: ImageConfig | None = None
    pod_count: int | None = None
    ecs_spec: str | None = None
    resource_config: ResourceConfig | None = None
    use_spot_instance: bool | None = None
    spot_spec: SpotSpec | None = None
    elastic_spot_specs: list[ElasticSpotSpec] | None = None
    extra_pod_spec: ExtraPodSpec | None = None
    assign_node_spec: AssignNodeSpec | None = None
    auto_scaling_spec: AutoScalingSpec | None = None
    restart_policy: str | None = None
    user_command: str | None = None
    is_chief: bool | None = None
    is_cheif: bool | None = None
    consider_in_success_policy: bool | None = None
    system_disk: SystemDisk | None = None
    quota_id: str | None = None
    hyper_node_scheduling_config: HyperNodeSchedulingConfig | None = None
    local_mount_specs: list[LocalMountSpec] | None = None
    startup_dependencies: list[StartupDependency] | None = None
    service_spec: ServiceSpec | None = None
    driver: str | None = None
    oversold_type: str | None = None
