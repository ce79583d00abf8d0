"""The amounts that PaiStudio tells of a quota: what its document says, and what the jobs here add to it. Pure.

Assumed: that RequestedQuota counts nested quotas as AllocatedQuota does; that a job is part of AllocatedQuota from the
moment it leaves the queue.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from junbi.emulator.quota.amounts import Amount, read
from junbi.emulator.quota.usage import details, usage

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from junbi.emulator.quota.usage import Usage
    from junbi.emulator.quota.workload import Workload
    from junbi.wire.quotas import Quota, QuotaDetails


def told(quotas: Mapping[str, Quota], workloads: Collection[Workload]) -> dict[str, Quota]:
    """Each quota with how much of it is used."""
    used = usage(quotas, workloads)
    queued = {key: _sum(one.needs for one in workloads if one.queued and one.quota_id == key) for key in quotas}
    without = usage(quotas, ())
    return {
        key: quota.model_copy(update={"quota_details": _details(quota, used[key], without[key], queued[key])})
        for key, quota in quotas.items()
    }


def _details(quota: Quota, used: Usage, others: Usage, queued: Amount) -> QuotaDetails:
    document = details(quota)
    requested = read(document.requested_quota).at_least(others.allocated)
    submitted = read(document.self_submitted_quota).at_least(others.own)
    amounts = {
        "allocated_quota": used.allocated,
        "used_quota": used.allocated,
        "self_allocated_quota": used.own,
        "descendants_allocated_quota": used.descendants,
        "ancestors_allocated_quota": used.ancestors,
        "requested_quota": requested + used.allocated - others.allocated,
        "self_submitted_quota": submitted + used.own - others.own + queued,
    }
    like = document.allocatable_quota
    return document.model_copy(update={name: amount.written(like) for name, amount in amounts.items()})


def _sum(amounts: Iterable[Amount]) -> Amount:
    return sum(amounts, Amount())
