"""AIWorkSpace: the workspace, its datasets and their versions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from junbi.clients.api import required
from junbi.clients.paging import SIZE, every_row
from junbi.wire import aiworkspace as wire
from junbi.wire import operations

if TYPE_CHECKING:
    from collections.abc import Sequence

    from junbi.clients.api import Api
    from junbi.clients.signing import Stamp


class WorkspaceClient:
    """Raises the errors of ``Api.call``. Creates are sent once, signed with the given stamp."""

    def __init__(self, api: Api) -> None:
        self._api = api

    def get_workspace(self, workspace: str) -> wire.GetWorkspaceResponse:
        """A workspace by its id."""
        segments = {"WorkspaceId": workspace}
        return self._api.call(operations.GET_WORKSPACE, wire.GetWorkspaceResponse, segments=segments)

    def get_dataset(self, dataset_id: str) -> wire.GetDatasetResponse:
        """A dataset by its id, with its latest version."""
        segments = {"DatasetId": dataset_id}
        return self._api.call(operations.GET_DATASET, wire.GetDatasetResponse, segments=segments)

    def get_version(self, dataset_id: str, version: str) -> wire.GetDatasetVersionResponse:
        """A version of a dataset by its name."""
        segments = {"DatasetId": dataset_id, "VersionName": version}
        return self._api.call(operations.GET_DATASET_VERSION, wire.GetDatasetVersionResponse, segments=segments)

    def find_dataset(self, workspace: str, name: str) -> wire.Dataset | None:
        """The dataset of exactly this name; the oldest where names are not unique, None where there is none."""

        def fetch(number: int) -> tuple[Sequence[wire.Dataset], int]:
            query = wire.ListDatasetsRequest(workspace_id=workspace, name=name, page_number=number, page_size=SIZE)
            answer = self._api.call(operations.LIST_DATASETS, wire.ListDatasetsResponse, query=query)
            return answer.datasets, answer.total_count

        datasets = every_row("ListDatasets", fetch, key=lambda dataset: dataset.dataset_id)
        found = (dataset for dataset in datasets if dataset.name == name)
        return min(found, key=lambda dataset: dataset.gmt_create_time or "", default=None)

    def create_dataset(self, request: wire.CreateDatasetRequest, stamp: Stamp) -> str:
        """Create a dataset with its version ``v1``; gives its id."""
        operation = operations.CREATE_DATASET
        answer = self._api.call(operation, wire.CreateDatasetResponse, body=request, stamp=stamp)
        return required(operation, "DatasetId", answer.dataset_id)

    def find_version(self, dataset_id: str, source_id: str, uri: str) -> wire.DatasetVersion | None:
        """The version that was created for exactly this SourceId in the place that a Uri names.

        The oldest of several, None where there is none. The same members may lie in two buckets.
        """

        def fetch(number: int) -> tuple[Sequence[wire.DatasetVersion], int]:
            answer = self._api.call(
                operations.LIST_DATASET_VERSIONS,
                wire.ListDatasetVersionsResponse,
                segments={"DatasetId": dataset_id},
                query=wire.ListDatasetVersionsRequest(page_number=number, page_size=SIZE, source_id=source_id),
            )
            return answer.dataset_versions, answer.total_count

        versions = every_row("ListDatasetVersions", fetch, key=lambda version: version.version_name)
        place = _place(uri)
        found = (one for one in versions if one.source_id == source_id and _place(one.uri or uri) == place)
        return min(found, key=lambda version: version.gmt_create_time or "", default=None)

    def create_version(self, dataset_id: str, request: wire.CreateDatasetVersionRequest, stamp: Stamp) -> str:
        """Create the next version of a dataset; gives its name, such as ``v2``."""
        operation = operations.CREATE_DATASET_VERSION
        segments = {"DatasetId": dataset_id}
        answer = self._api.call(
            operation, wire.CreateDatasetVersionResponse, segments=segments, body=request, stamp=stamp
        )
        return required(operation, "VersionName", answer.version_name)


def _place(uri: str) -> tuple[str, str]:
    """Bucket and path of an ``oss://bucket.endpoint/path``: the service may write another endpoint than we did."""
    host, _, path = uri.removeprefix("oss://").partition("/")
    return host.partition(".")[0], path
