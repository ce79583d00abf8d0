"""Which jobs may leave the queues of quotas now, and why the others may not. Pure.

A job goes when what all its pods ask for is free in its quota and in every quota that one is nested in. The higher
priority goes first, then who came first. Assumed: that order where a strategy does not say another; that all strategies
but strict FIFO let a job pass one that does not fit; that a job which can never fit waits for ever; the codes, which
the vendor's guides know as the checks of a diagnosis.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from junbi.emulator.quota.amounts import read
from junbi.emulator.quota.usage import details, lineage, usage

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from junbi.emulator.quota.amounts import Amount
    from junbi.emulator.quota.workload import Workload
    from junbi.wire.quotas import Quota

#: Nothing passes the first one that waits. Source: the vendor's guides for the name.
STRICT_FIFO = "PaiStrategyStrictFIFO"

#: Jobs are taken, and leave the queue, while a quota has one of these statuses. Assumed: sources disagree on the names.
USABLE = frozenset({"Ready", "Enabled"})

_NEVER = datetime.max.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Wait:
    """Why a job stays in the queue."""

    code: str
    reason: str


@dataclass(frozen=True, slots=True)
class Decision:
    """Which jobs go, and why the others wait, by their ids."""

    go: frozenset[str]
    waits: Mapping[str, Wait]


def line(workloads: Collection[Workload]) -> list[Workload]:
    """Those that stand in a queue, in its order."""
    queued = [one for one in workloads if one.queued]
    return sorted(queued, key=lambda one: (-one.priority, one.enqueued or _NEVER, one.workload_id))


def dequeue(quotas: Mapping[str, Quota], workloads: Collection[Workload]) -> Decision:
    """Go through the queues in their order, and let out whom there is room for.

    Args:
        quotas: every quota, by id.
        workloads: all that stand in a queue or hold something.
    """
    used = usage(quotas, workloads)
    free = {key: read(details(quota).allocatable_quota) - used[key].allocated for key, quota in quotas.items()}
    first: dict[str, str] = {}  # by the quota: who must not be passed there
    go: set[str] = set()
    waits: dict[str, Wait] = {}
    for one in line(workloads):
        above = lineage(quotas, one.quota_id)
        wait = _unusable(one, above) or _behind(one, above, first) or _no_room(one, above, free)
        if wait:
            waits[one.workload_id] = wait
            if above and above[0].queue_strategy == STRICT_FIFO:
                first.setdefault(one.quota_id, one.workload_id)
        else:
            go.add(one.workload_id)
            free |= {key: free[key] - one.needs for quota in above if (key := quota.quota_id or "")}
    return Decision(frozenset(go), waits)


def _unusable(one: Workload, above: list[Quota]) -> Wait | None:
    if not above:
        return Wait("QuotaNotFound", f"quota {one.quota_id} does not exist any more")
    if above[0].status not in USABLE:
        return Wait("QuotaNotReady", f"quota {one.quota_id} is {above[0].status}")
    return None


def _behind(one: Workload, above: list[Quota], first: Mapping[str, str]) -> Wait | None:
    before = first.get(above[0].quota_id or "")
    if before is None:
        return None
    return Wait(
        "QueueStrategyLimit", f"{before} waits first in quota {one.quota_id}, and is not passed ({STRICT_FIFO})"
    )


def _no_room(one: Workload, above: list[Quota], free: Mapping[str, Amount]) -> Wait | None:
    for quota in above:
        short = free[quota.quota_id or ""].lacks(one.needs)
        if short:
            code = "SelfQuotaLimit" if quota is above[0] else "AncestorQuotaLimit"
            return Wait(code, f"quota {quota.quota_id} has {short} free")
    return None
