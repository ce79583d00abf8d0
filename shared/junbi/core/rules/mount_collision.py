"""No two mounts of a plan lie on, or inside, one path: the one would hide the other."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

from junbi.core.model import Check, Reason, State
from junbi.core.reasons import Code

if TYPE_CHECKING:
    from junbi.core.plan import PlanSpec


def check(plan: PlanSpec) -> Check:
    """Blocked where two mounts of datasets, outputs and code collide; names every such pair."""
    mounts = [(f"dataset {name}", path) for name, path in plan.mounts.items()]
    mounts += [(f"dataset {one.name}", one.mount) for one in plan.existing]
    mounts += [(f"output {output.name}", output.mount) for output in plan.outputs]
    mounts += [(f"code {plan.code}", plan.code_mount)] if plan.code else []
    clashes = [_clash(*one, *other) for one, other in combinations(mounts, 2) if _nested(one[1], other[1])]
    if not clashes:
        return Check("mounts", State.READY)
    reason = Reason(
        Code.MOUNT_COLLISION,
        "; ".join(clashes) + ".",
        fix="Give each its own folder, such as /mnt/data and /mnt/out.",
        wakes="the next apply",
    )
    return Check("mounts", State.BLOCKED, reason)


def _nested(one: str, other: str) -> bool:
    shorter, longer = sorted((_parts(one), _parts(other)), key=len)
    return longer[: len(shorter)] == shorter


def _parts(path: str) -> list[str]:
    return [part for part in path.split("/") if part not in {"", "."}]


def _clash(one: str, path: str, other: str, other_path: str) -> str:
    if _parts(path) == _parts(other_path):
        return f"{one} and {other} are both mounted at {path}"
    if len(_parts(path)) > len(_parts(other_path)):
        one, path, other, other_path = other, other_path, one, path
    return f"{other} at {other_path} lies inside {one} at {path}"
