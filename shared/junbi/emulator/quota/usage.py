"""What is held of each quota, by the jobs of the local DLC and by the people who are not here. Pure.

A quota's document says under ``AllocatedQuota`` what others hold of it and of the quotas nested in it: a stand-in for
users who are not here. Where the nested ones together say more than that, they are believed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from junbi.emulator.quota.amounts import Amount, read
from junbi.wire.quotas import QuotaDetails

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from junbi.emulator.quota.workload import Workload
    from junbi.wire.quotas import Quota


@dataclass(frozen=True, slots=True)
class Usage:
    """What is held of one quota: by what was submitted to it, to those nested in it, to those it is nested in."""

    own: Amount
    descendants: Amount
    ancestors: Amount

    @property
    def allocated(self) -> Amount:
        """What is held of it in all."""
        return self.own + self.descendants


def details(quota: Quota) -> QuotaDetails:
    """What its document says of amounts."""
    return quota.quota_details or QuotaDetails()


def lineage(quotas: Mapping[str, Quota], quota_id: str) -> list[Quota]:
    """A quota and those it is nested in, itself first; where one is gone, or comes again, it ends."""
    found: list[Quota] = []
    while (one := quotas.get(quota_id)) is not None and one not in found:
        found.append(one)
        quota_id = one.parent_quota_id or ""
    return found


def usage(quotas: Mapping[str, Quota], workloads: Iterable[Workload]) -> dict[str, Usage]:
    """What is held of each quota, by its id."""
    own = _of_others(quotas)
    for one in workloads:
        if one.holds and one.quota_id in own:
            own[one.quota_id] += one.needs
    lines = {quota_id: [one.quota_id or "" for one in lineage(quotas, quota_id)][1:] for quota_id in quotas}
    below, above = dict.fromkeys(quotas, Amount()), dict.fromkeys(quotas, Amount())
    for quota_id, ancestors in lines.items():
        for ancestor in ancestors:
            below[ancestor] += own[quota_id]
            above[quota_id] += own[ancestor]
    return {quota_id: Usage(own[quota_id], below[quota_id], above[quota_id]) for quota_id in quotas}


def _of_others(quotas: Mapping[str, Quota]) -> dict[str, Amount]:
    """What others submitted to each quota itself. The deepest come first: what they say is a part of their parent's."""
    nested, own = dict.fromkeys(quotas, Amount()), {}
    for quota_id in sorted(quotas, key=lambda each: len(lineage(quotas, each)), reverse=True):
        quota = quotas[quota_id]
        said = read(details(quota).allocated_quota).at_least(nested[quota_id])
        own[quota_id] = said - nested[quota_id]
        if quota.parent_quota_id in nested:
            nested[quota.parent_quota_id] += said
    return own
