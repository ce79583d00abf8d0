"""AIWorkSpace as the pipeline sees it: datasets whose names need not be unique, versions with their SourceId."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from junbi.wire import aiworkspace as wire

if TYPE_CHECKING:
    from datetime import datetime

    from tests.simulation.network import Network
    from tests.simulation.world import World

    from junbi.clients.signing import Stamp


@dataclass
class KnownVersion:
    """A version, and from when on listings show it."""

    name: str
    source_id: str
    uri: str
    created_at: datetime
    visible_at: datetime


@dataclass
class KnownDataset:
    """A dataset, and from when on listings show it."""

    id: str
    request: wire.CreateDatasetRequest
    created_at: datetime
    visible_at: datetime
    versions: list[KnownVersion] = field(default_factory=list)


class Workspace:
    """The datasets of one workspace, and the port's methods over them."""

    def __init__(self, world: World, network: Network) -> None:
        self._world, self._network = world, network
        self.datasets: list[KnownDataset] = []

    def get_workspace(self, workspace: str) -> wire.GetWorkspaceResponse:
        """See ``junbi.clients.workspace.WorkspaceClient``."""
        answer = wire.GetWorkspaceResponse(workspace_id=workspace, status="ENABLED")
        return self._network.read("GetWorkspace", lambda: answer)

    def find_dataset(self, workspace: str, name: str) -> wire.Dataset | None:
        """See ``junbi.clients.workspace.WorkspaceClient``."""
        del workspace

        def look() -> wire.Dataset | None:
            now = self._world.time.now
            found = next((one for one in self.datasets if one.request.name == name and one.visible_at <= now), None)
            return found and wire.Dataset(dataset_id=found.id, name=name, labels=found.request.labels)

        return self._network.read("ListDatasets", look)

    def create_dataset(self, request: wire.CreateDatasetRequest, stamp: Stamp) -> str:
        """See ``junbi.clients.workspace.WorkspaceClient``."""

        def effect() -> str:
            now, visible_at = self._world.time.now, self._network.visible_at()
            made = KnownDataset(f"d-{len(self.datasets) + 1}", request, now, visible_at)
            self.datasets.append(made)
            self._add(made, request)
            return made.id

        return self._network.create("CreateDataset", stamp, effect)

    def find_version(self, dataset_id: str, source_id: str, uri: str) -> wire.DatasetVersion | None:
        """See ``junbi.clients.workspace.WorkspaceClient``."""

        def look() -> wire.DatasetVersion | None:
            now, dataset = self._world.time.now, self._dataset(dataset_id)
            shown = (one for one in dataset.versions if one.visible_at <= now)
            found = (one for one in shown if (one.source_id, one.uri) == (source_id, uri))
            first = next(found, None)
            return first and wire.DatasetVersion(version_name=first.name, source_id=source_id)

        return self._network.read("ListDatasetVersions", look)

    def create_version(self, dataset_id: str, request: wire.CreateDatasetVersionRequest, stamp: Stamp) -> str:
        """See ``junbi.clients.workspace.WorkspaceClient``."""
        dataset = self._dataset(dataset_id)
        return self._network.create("CreateDatasetVersion", stamp, lambda: self._add(dataset, request).name)

    def _add(self, dataset: KnownDataset, request: wire.VersionFields) -> KnownVersion:
        now, visible_at = self._world.time.now, self._network.visible_at()
        version = KnownVersion(f"v{len(dataset.versions) + 1}", request.source_id or "", request.uri, now, visible_at)
        dataset.versions.append(version)
        return version

    def _dataset(self, dataset_id: str) -> KnownDataset:
        return next(one for one in self.datasets if one.id == dataset_id)
