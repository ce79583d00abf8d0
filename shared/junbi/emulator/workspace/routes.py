"""The operations of AIWorkSpace 2021-02-04 that the local cloud answers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from junbi.emulator.paging import page
from junbi.emulator.route import Call, Evidence, Route
from junbi.emulator.workspace import listing
from junbi.wire import aiworkspace as wire
from junbi.wire import operations

if TYPE_CHECKING:
    from junbi.emulator.workspace.state import WorkspaceState

#: The point under which faults name these operations: ``aiworkspace.CreateDataset``.
SERVICE = "aiworkspace"


def get_workspace(state: WorkspaceState, call: Call) -> wire.GetWorkspaceResponse:
    """GetWorkspace."""
    query = call.query_as(wire.GetWorkspaceRequest)
    return state.workspaces.get(call.segments["WorkspaceId"], verbose=bool(query.verbose))


def list_workspaces(state: WorkspaceState, call: Call) -> wire.ListWorkspacesResponse:
    """ListWorkspaces."""
    query = call.query_as(wire.ListWorkspacesRequest)
    found = state.workspaces.matching(query)
    shown = page(found, query.page_number, query.page_size, default=20)
    return wire.ListWorkspacesResponse(workspaces=shown, total_count=len(found))


def create_dataset(state: WorkspaceState, call: Call) -> wire.CreateDatasetResponse:
    """CreateDataset."""
    request = call.body_as(wire.CreateDatasetRequest)
    workspace_id = state.workspaces.resolve(request.workspace_id)
    return wire.CreateDatasetResponse(dataset_id=state.datasets.create(request, workspace_id, call.user_id, call.now))


def get_dataset(state: WorkspaceState, call: Call) -> wire.GetDatasetResponse:
    """GetDataset."""
    return wire.GetDatasetResponse.from_wire(state.datasets.get(call.segments["DatasetId"]).to_wire())


def list_datasets(state: WorkspaceState, call: Call) -> wire.ListDatasetsResponse:
    """ListDatasets."""
    query = call.query_as(wire.ListDatasetsRequest)
    workspace_id = query.workspace_id or state.workspaces.default_id
    found = listing.datasets(state.datasets.all(), query, workspace_id)
    shown = page(found, query.page_number, query.page_size, default=10)
    return wire.ListDatasetsResponse(datasets=shown, total_count=len(found))


def update_dataset(state: WorkspaceState, call: Call) -> wire.RequestIdResponse:
    """UpdateDataset."""
    state.datasets.update(call.segments["DatasetId"], call.body_as(wire.UpdateDatasetRequest), call.now)
    return wire.RequestIdResponse()


def publish_dataset(state: WorkspaceState, call: Call) -> wire.RequestIdResponse:
    """PublishDataset."""
    public = wire.UpdateDatasetRequest(accessibility="PUBLIC")
    state.datasets.update(call.segments["DatasetId"], public, call.now)
    return wire.RequestIdResponse()


def delete_dataset(state: WorkspaceState, call: Call) -> wire.RequestIdResponse:
    """DeleteDataset."""
    state.datasets.delete(call.segments["DatasetId"])
    return wire.RequestIdResponse()


def create_dataset_version(state: WorkspaceState, call: Call) -> wire.CreateDatasetVersionResponse:
    """CreateDatasetVersion."""
    request = call.body_as(wire.CreateDatasetVersionRequest)
    name = state.datasets.add_version(call.segments["DatasetId"], request, call.now)
    return wire.CreateDatasetVersionResponse(version_name=name)


def list_dataset_versions(state: WorkspaceState, call: Call) -> wire.ListDatasetVersionsResponse:
    """ListDatasetVersions."""
    query = call.query_as(wire.ListDatasetVersionsRequest)
    dataset_id = call.segments["DatasetId"]
    state.datasets.get(dataset_id)
    found = listing.versions(state.datasets.versions(dataset_id), query)
    return wire.ListDatasetVersionsResponse(
        dataset_versions=page(found, query.page_number, query.page_size, default=10),
        page_number=query.page_number,
        page_size=query.page_size,
        total_count=len(found),
    )


def get_dataset_version(state: WorkspaceState, call: Call) -> wire.GetDatasetVersionResponse:
    """GetDatasetVersion."""
    dataset_id = call.segments["DatasetId"]
    version = state.datasets.version(dataset_id, call.segments["VersionName"])
    return wire.GetDatasetVersionResponse.from_wire({**version.to_wire(), "DatasetId": dataset_id})


_PAGES = "The largest page size (100) and the order (newest first) are assumed."

ROUTES: tuple[Route[WorkspaceState], ...] = (
    Route(operations.GET_WORKSPACE, Evidence.METADATA, get_workspace, "The status of NotFound (404) is assumed."),
    Route(operations.LIST_WORKSPACES, Evidence.METADATA, list_workspaces, _PAGES),
    Route(
        operations.CREATE_DATASET,
        Evidence.RECORDED,
        create_dataset,
        "That names may repeat, and the code InvalidParameter around the known messages, are assumed.",
    ),
    Route(operations.GET_DATASET, Evidence.RECORDED, get_dataset),
    Route(operations.LIST_DATASETS, Evidence.RECORDED, list_datasets, _PAGES),
    Route(operations.UPDATE_DATASET, Evidence.METADATA, update_dataset, "That Options change v1's is assumed."),
    Route(operations.PUBLISH_DATASET, Evidence.METADATA, publish_dataset),
    Route(operations.DELETE_DATASET, Evidence.METADATA, delete_dataset),
    Route(operations.CREATE_DATASET_VERSION, Evidence.METADATA, create_dataset_version),
    Route(operations.LIST_DATASET_VERSIONS, Evidence.METADATA, list_dataset_versions, _PAGES),
    Route(operations.GET_DATASET_VERSION, Evidence.METADATA, get_dataset_version),
)
