"""The operations of PaiStudio 2022-01-12 that the local cloud answers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from junbi.emulator.api_error import invalid
from junbi.emulator.paging import comma_list, page
from junbi.emulator.quota.listing import matching
from junbi.emulator.route import Call, Evidence, Route
from junbi.wire import operations
from junbi.wire import quotas as wire
from junbi.wire.quota_workloads import ListQuotaWorkloadsRequest, ListQuotaWorkloadsResponse

if TYPE_CHECKING:
    from collections.abc import Iterable

    from junbi.emulator.quota.studio import Studio

#: The point under which faults name these operations: ``paistudio.ListQuotas``.
SERVICE = "paistudio"

#: Source: the SDK's prose.
_MOST_IDS, _MOST_WORKSPACES = 100, 10
_ORDERS = {
    "QuotaName": "quota_name",
    "Status": "status",
    "GmtCreatedTime": "gmt_created_time",
    "GmtModifiedTime": "gmt_modified_time",
}


def get_quota(state: Studio, call: Call) -> wire.GetQuotaResponse:
    """GetQuota."""
    query = call.query_as(wire.GetQuotaRequest)
    found = _shown(state.quota(call.segments["QuotaId"]), details=bool(query.verbose))
    return wire.GetQuotaResponse.from_wire(found.to_wire())


def list_quotas(state: Studio, call: Call) -> wire.ListQuotasResponse:
    """ListQuotas."""
    query = call.query_as(wire.ListQuotasRequest)
    found = _ordered(_matching(state.quotas().values(), query), query)
    shown = page(found, query.page_number, query.page_size, default=20)
    return wire.ListQuotasResponse(
        quotas=[_shown(one, details=bool(query.verbose)) for one in shown], total_count=len(found)
    )


def list_quota_workloads(state: Studio, call: Call) -> ListQuotaWorkloadsResponse:
    """ListQuotaWorkloads."""
    query = call.query_as(ListQuotaWorkloadsRequest)
    found = matching(state.queue(call.segments["QuotaId"], query), query)
    shown = page(found, query.page_number, query.page_size, default=20)
    return ListQuotaWorkloadsResponse(workloads=[entry.shown() for entry in shown], total_count=len(found))


def _matching(quotas: Iterable[wire.Quota], query: wire.ListQuotasRequest) -> list[wire.Quota]:
    kind = (query.resource_type or "ECS").lower()
    ids = _at_most(query.quota_ids, _MOST_IDS, "QuotaIds")
    workspaces = _at_most(query.workspace_ids, _MOST_WORKSPACES, "WorkspaceIds")
    statuses = comma_list(query.statuses)
    return [
        one
        for one in quotas
        if (one.resource_type or "").lower() == kind
        and (not ids or one.quota_id in ids)
        and (not statuses or one.status in statuses)
        and (not workspaces or workspaces & {named.workspace_id for named in one.workspaces or ()})
        and (query.quota_name or "") in (one.quota_name or "")
        and query.parent_quota_id in {None, one.parent_quota_id or ""}
    ]


def _at_most(text: str | None, most: int, name: str) -> frozenset[str]:
    found = comma_list(text)
    if len(found) > most:
        raise invalid(f"{name} may name {most} at most.")
    return found


def _ordered(found: list[wire.Quota], query: wire.ListQuotasRequest) -> list[wire.Quota]:
    if (query.sort_by or "GmtCreatedTime") not in _ORDERS:
        raise invalid(f"SortBy {query.sort_by!r} is not one of {', '.join(_ORDERS)}.")
    if (query.order or "desc") not in {"asc", "desc"}:
        raise invalid(f"Order {query.order!r} is not asc or desc.")
    member = _ORDERS[query.sort_by or "GmtCreatedTime"]
    return sorted(found, key=lambda one: getattr(one, member) or "", reverse=query.order != "asc")


def _shown(quota: wire.Quota, *, details: bool) -> wire.Quota:
    return quota if details else quota.model_copy(update={"quota_details": None})


_LIMITS = "Assumed: the largest page size (100) and the order; that QuotaDetails are told only with Verbose"
_QUEUE = (
    "Assumed: that a job which left the queue is Dequeued and has no position, the words of Code and Reason, and that "
    "those of nested quotas are told without ShowOwn. InstanceId, NodeName and the times of a changed position are not "
    "heeded."
)

ROUTES: tuple[Route[Studio], ...] = (
    Route(
        operations.GET_QUOTA,
        Evidence.METADATA,
        get_quota,
        "The code QuotaNotFound with 404 is assumed, and at which moment the amounts move with a job.",
    ),
    Route(
        operations.LIST_QUOTAS,
        Evidence.METADATA,
        list_quotas,
        f"{_LIMITS}. Labels, Versions, GPUType, HasResource, ClusterType and LayoutMode are not heeded.",
    ),
    Route(operations.LIST_QUOTA_WORKLOADS, Evidence.METADATA, list_quota_workloads, _QUEUE),
)
