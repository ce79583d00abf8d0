"""Which datasets and versions a list shows, and in which order."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from junbi.emulator.api_error import invalid
from junbi.emulator.paging import comma_list

if TYPE_CHECKING:
    from collections.abc import Iterable

    from junbi.wire.aiworkspace import (
        Dataset,
        DatasetVersion,
        Label,
        ListDatasetsRequest,
        ListDatasetVersionsRequest,
    )

Item = TypeVar("Item")

_DATASET_ORDERS = {"GmtCreateTime": "gmt_create_time", "GmtModifiedTime": "gmt_modified_time", "Name": "name"}
_VERSION_ORDERS = {
    "GmtCreateTime": "gmt_create_time",
    "GmtModifiedTime": "gmt_modified_time",
    "SourceType": "source_type",
    "DataSourceType": "data_source_type",
    "Property": "property",
    "DataSize": "data_size",
    "DataCount": "data_count",
}


def datasets(found: Iterable[Dataset], query: ListDatasetsRequest, workspace_id: str) -> list[Dataset]:
    """Those that match, newest first unless the query says otherwise (assumed).

    Our account holds no public datasets, so ``Provider=pai`` finds none.
    """
    matching = [
        dataset
        for dataset in found
        if dataset.workspace_id == workspace_id
        and query.provider != "pai"
        and (query.name or "").lower() in (dataset.name or "").lower()
        and _among(dataset.dataset_id, query.dataset_ids)
        and _among(dataset.data_source_type, query.data_source_types)
        and _among(dataset.data_type, query.data_types)
        and _among(dataset.property, query.properties)
        and _among(dataset.source_type, query.source_types)
        and query.source_id in {None, "", dataset.source_id}
        and query.source_dataset_id in {None, "", dataset.source_dataset_id}
        and query.accessibility in {None, "", dataset.accessibility}
        and query.edition in {None, "", dataset.edition}
        and (not query.label or _mentions(dataset.labels, query.label))
    ]
    return ordered(matching, _DATASET_ORDERS, query.sort_by, query.order)


def versions(found: Iterable[DatasetVersion], query: ListDatasetVersionsRequest) -> list[DatasetVersion]:
    """Those that match, newest first unless the query says otherwise (assumed)."""
    keys, values = comma_list(query.label_keys), comma_list(query.label_values)
    matching = [
        version
        for version in found
        if query.source_id in {None, "", version.source_id}
        and _among(version.source_type, query.source_types)
        and _among(version.property, query.properties)
        and (not keys or keys & {label.key for label in version.labels or ()})
        and (not values or values & {label.value for label in version.labels or ()})
    ]
    return ordered(matching, _VERSION_ORDERS, query.sort_by, query.order)


def _among(value: str | None, listed: str | None) -> bool:
    wanted = comma_list(listed)
    return not wanted or value in wanted


def _mentions(labels: list[Label] | None, part: str) -> bool:
    return any(part in (label.key or "") or part in (label.value or "") for label in labels or ())


def ordered(items: list[Item], orders: dict[str, str], sort_by: str | None, order: str | None) -> list[Item]:
    """In the order that a query names, newest first unless it does (assumed). ApiError for one that is not known."""
    if (sort_by or "GmtCreateTime") not in orders:
        raise invalid(f"SortBy {sort_by!r} is not one of {', '.join(orders)}.")
    if (order or "DESC").upper() not in {"ASC", "DESC"}:
        raise invalid(f"Order {order!r} is not ASC or DESC.")
    member = orders[sort_by or "GmtCreateTime"]
    newest_last = sorted(items, key=lambda item: (getattr(item, member) is not None, getattr(item, member)))
    return newest_last if (order or "DESC").upper() == "ASC" else newest_last[::-1]
