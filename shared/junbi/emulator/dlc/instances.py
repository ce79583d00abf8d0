"""The instance types of the emulated public resources: a believable few, of the public ECS families."""

from __future__ import annotations

from typing import TYPE_CHECKING

from junbi.emulator.api_error import invalid
from junbi.emulator.paging import comma_list
from junbi.wire.dlc import EcsSpec

if TYPE_CHECKING:
    from junbi.wire.dlc import ListEcsSpecsRequest


def _cpu(instance_type: str, cpu: int, memory: int) -> EcsSpec:
    return EcsSpec(
        instance_type=instance_type,
        accelerator_type="CPU",
        cpu=cpu,
        memory=memory,
        gpu=0,
        is_available=True,
        payment_types=["PostPaid"],
        resource_type="ECS",
    )


def _gpu(instance_type: str, cpu: int, memory: int, gpu: int, gpu_type: str) -> EcsSpec:
    card = {"gpu": gpu, "gpu_type": gpu_type, "gpu_memory": _CARD_MEMORY[gpu_type], "accelerator_type": "GPU"}
    return _cpu(instance_type, cpu, memory).model_copy(update={**card, "payment_types": ["PostPaid", "Spot"]})


#: GiB of one card.
_CARD_MEMORY = {"NVIDIA A10": 24, "NVIDIA T4": 16, "NVIDIA V100": 32}

#: By name. Sizes are those of the public ECS catalogue; which of them a region's DLC offers is assumed.
INSTANCES: dict[str, EcsSpec] = {
    spec.instance_type or "": spec
    for spec in (
        _cpu("ecs.c6.large", 2, 4),
        _cpu("ecs.c6.xlarge", 4, 8),
        _cpu("ecs.c6.2xlarge", 8, 16),
        _cpu("ecs.g6.large", 2, 8),
        _cpu("ecs.g6.xlarge", 4, 16),
        _cpu("ecs.g6.2xlarge", 8, 32),
        _cpu("ecs.g7.large", 2, 8),
        _cpu("ecs.g7.xlarge", 4, 16),
        _cpu("ecs.g7.2xlarge", 8, 32),
        _cpu("ecs.r7.large", 2, 16),
        _gpu("ecs.gn6i-c4g1.xlarge", 4, 15, 1, "NVIDIA T4"),
        _gpu("ecs.gn6v-c8g1.2xlarge", 8, 32, 1, "NVIDIA V100"),
        _gpu("ecs.gn7i-c8g1.2xlarge", 8, 30, 1, "NVIDIA A10"),
        _gpu("ecs.gn7i-c16g1.4xlarge", 16, 60, 1, "NVIDIA A10"),
        _gpu("ecs.gn7i-c32g1.8xlarge", 32, 188, 1, "NVIDIA A10"),
    )
}


def matching(query: ListEcsSpecsRequest) -> list[EcsSpec]:
    """The instance types a query asks for; ApiError where it sorts, as the real service answers (third-party notes)."""
    if query.sort_by:
        raise invalid(f"The specified parameter SortBy is not valid: {query.sort_by}.")
    wanted = comma_list(query.instance_types)
    return [
        spec
        for spec in INSTANCES.values()
        if query.accelerator_type in {None, "", spec.accelerator_type}
        and query.resource_type in {None, "", spec.resource_type}
        and (not wanted or spec.instance_type in wanted)
    ]
