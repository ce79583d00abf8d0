"""What PaiStudio answers from: the quotas of the account, and the jobs that were submitted to them."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Protocol

from junbi.emulator.quota.dequeue import dequeue, line
from junbi.emulator.quota.details import told
from junbi.emulator.quota.listing import Entry
from junbi.emulator.quota.usage import lineage

if TYPE_CHECKING:
    from junbi.emulator.quota.state import Quotas
    from junbi.emulator.quota.workload import Workload
    from junbi.wire.quota_workloads import ListQuotaWorkloadsRequest
    from junbi.wire.quotas import Quota


class Submitted(Protocol):
    """Whoever runs the jobs."""

    def workloads(self, *, ended: bool) -> list[Workload]:
        """Those in quotas; those that have ended too where they are asked for."""


class Studio:
    """Reads quotas with what jobs hold of them.

    Args:
        quotas: what the account has.
        submitted: tells the jobs that were submitted to them.
        workspace_name: of the account's workspace.
    """

    def __init__(self, quotas: Quotas, submitted: Submitted, workspace_name: str) -> None:
        self._quotas, self._submitted, self._workspace_name = quotas, submitted, workspace_name

    def quotas(self) -> dict[str, Quota]:
        """Every quota by its id, with how much of it is used."""
        return told(self._quotas.by_id(), self._submitted.workloads(ended=False))

    def quota(self, quota_id: str) -> Quota:
        """One of them. ApiError QuotaNotFound where there is none."""
        return self.quotas().get(quota_id) or self._quotas.get(quota_id)

    def queue(self, quota_id: str, query: ListQuotaWorkloadsRequest) -> list[Entry]:
        """What was submitted to a quota, and to those nested in it unless the query says ``ShowOwn``.

        ApiError QuotaNotFound where there is no such quota.
        """
        self._quotas.get(quota_id)
        quotas = self._quotas.by_id()
        workloads = self._submitted.workloads(ended=bool(query.with_historical_data))
        waits = dequeue(quotas, workloads).waits
        positions = _positions(workloads)
        return [
            Entry(
                workload=one,
                position=positions.get(one.workload_id),
                wait=waits.get(one.workload_id),
                strategy=quotas[one.quota_id].queue_strategy,
                workspace_name=self._workspace_name,
            )
            for one in workloads
            if one.quota_id == quota_id or (not query.show_own and _is_nested(quotas, one.quota_id, quota_id))
        ]


def _positions(workloads: list[Workload]) -> dict[str, int]:
    """The place of each workload that is in a queue, from 1, in the queue of its quota."""
    counts: Counter[str] = Counter()
    found = {}
    for one in line(workloads):
        counts[one.quota_id] += 1
        found[one.workload_id] = counts[one.quota_id]
    return found


def _is_nested(quotas: dict[str, Quota], inner: str, outer: str) -> bool:
    return outer in {one.quota_id for one in lineage(quotas, inner)}
