"""Which workloads ListQuotaWorkloads shows, in which order, and how."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from junbi.emulator.api_error import invalid
from junbi.emulator.paging import comma_list
from junbi.emulator.times import moment, timestamp
from junbi.wire.quota_workloads import QueueInfo

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from junbi.emulator.quota.dequeue import Wait
    from junbi.emulator.quota.workload import Workload
    from junbi.wire.quota_workloads import ListQuotaWorkloadsRequest

#: What a quota's queue holds here: jobs. Source: the SDK's example.
_TYPE = "dlc"


@dataclass(frozen=True, slots=True)
class Entry:
    """A workload with its place; ``position`` counts from 1 and is None for one that is not in the queue."""

    workload: Workload
    position: int | None
    wait: Wait | None
    strategy: str | None
    workspace_name: str

    @property
    def status(self) -> str:
        """In the queue. Source of Enqueued: the SDK's example; Dequeued is assumed from its members of that name."""
        return "Enqueued" if self.workload.queued else "Dequeued"

    def shown(self) -> QueueInfo:
        """As PaiStudio tells it."""
        one = self.workload
        return QueueInfo(
            workload_id=one.workload_id,
            workload_name=one.name,
            workload_type=_TYPE,
            workload_status=one.status,
            status=self.status,
            position=self.position,
            priority=one.priority,
            queue_strategy=self.strategy,
            quota_id=one.quota_id,
            resource=one.needs.written(),
            code=self.wait.code if self.wait else None,
            reason=self.wait.reason if self.wait else None,
            gmt_created_time=timestamp(one.created),
            gmt_enqueued_time=timestamp(one.enqueued) if one.enqueued else None,
            gmt_dequeued_time=timestamp(one.dequeued) if one.dequeued else None,
            user_id=one.user_id,
            workspace_id=one.workspace_id,
            workspace_name=self.workspace_name,
            use_oversold_resource=False,
        )


#: How SortBy reads an entry. Assumed: the names, of which the SDK gives one as an example.
_ORDERS: dict[str, Callable[[Entry], Any]] = {
    "Position": lambda entry: (entry.position is None, entry.position or 0, entry.workload.created),
    "Priority": lambda entry: entry.workload.priority,
    "GmtCreatedTime": lambda entry: entry.workload.created,
    "GmtEnqueuedTime": lambda entry: entry.workload.enqueued or entry.workload.created,
}


def matching(entries: list[Entry], query: ListQuotaWorkloadsRequest) -> list[Entry]:
    """Those that match, by their position unless the query says otherwise; ApiError where it cannot be read."""
    wanted = _lists(query)
    before = next((one.position for one in entries if one.workload.workload_id == query.before_workload_id), None) or 0
    found = [
        entry
        for entry in entries
        if all(not values or value(entry) in values for values, value in wanted)
        and query.status in {None, "", entry.status}
        and query.workload_type in {None, "", _TYPE}
        and query.priority in {None, entry.workload.priority}
        and query.position in {None, entry.position}
        and not query.use_oversold_resource
        and (not query.before_workload_id or 0 < (entry.position or 0) < before)
        and _in_time(entry.workload, query)
    ]
    return _ordered(found, query)


def _lists(query: ListQuotaWorkloadsRequest) -> list[tuple[frozenset[str], Callable[[Entry], str]]]:
    return [
        (comma_list(query.sub_quota_ids), lambda entry: entry.workload.quota_id),
        (comma_list(query.user_ids), lambda entry: entry.workload.user_id),
        (comma_list(query.workload_ids), lambda entry: entry.workload.workload_id),
        (comma_list(query.workload_names), lambda entry: entry.workload.name),
        (comma_list(query.workload_statuses), lambda entry: entry.workload.status),
        (comma_list(query.workspace_ids), lambda entry: entry.workload.workspace_id),
    ]


def _in_time(one: Workload, query: ListQuotaWorkloadsRequest) -> bool:
    ranges = (
        (one.created, query.created_from, query.created_until),
        (one.enqueued, query.enqueued_from, query.enqueued_until),
        (one.dequeued, query.dequeued_from, query.dequeued_until),
    )
    return all(_within(at, begin, end) for at, begin, end in ranges if begin or end)


def _within(at: datetime | None, begin: str | None, end: str | None) -> bool:
    """In whole seconds, as they are told."""
    if at is None:
        return False
    second = at.replace(microsecond=0)
    return (not begin or moment(begin) <= second) and (not end or second <= moment(end))


def _ordered(found: list[Entry], query: ListQuotaWorkloadsRequest) -> list[Entry]:
    sort_by, order = query.sort_by or "Position", (query.order or "asc").lower()
    if sort_by not in _ORDERS:
        raise invalid(f"SortBy {sort_by!r} is not one of {', '.join(_ORDERS)}.")
    if order not in {"asc", "desc"}:
        raise invalid(f"Order {query.order!r} is not asc or desc.")
    return sorted(found, key=_ORDERS[sort_by], reverse=order == "desc")
