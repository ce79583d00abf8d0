"""AIWorkSpace 2021-02-04 as it travels: workspaces, datasets and dataset versions.

Source: AIWorkSpace SDK 8.3.5, and OpenAPI metadata of 2025-11 for what is required.
"""

from __future__ import annotations

from typing import Any

from pydantic import Field

from junbi.wire.model import WireModel


class Label(WireModel):
    """A label of a dataset, a version or an image; key and value up to 128 bytes without ``=`` and ``,``."""

    key: str | None = None
    value: str | None = None


class UserMetricsEndpoint(WireModel):
    """Where a dataset's own metrics are read."""

    path: str | None = None
    port: int | None = None


class DataFields(WireModel):
    """What a dataset, which then means its ``v1``, and a version say of the data, in requests and answers alike.

    Attributes:
        uri: ``oss://<bucket>.<endpoint>/<prefix>/``, ``nas://…``, ``cpfs://…``.
        options: a JSON string; ``{"mountPath": "/mnt/data/"}`` is DLC's default mount path.
        import_info: a JSON string.
        source_id: free text where source_type is ``USER``.
    """

    property: str | None = None
    data_source_type: str | None = None
    uri: str | None = None
    options: str | None = None
    labels: list[Label] | None = None
    description: str | None = None
    source_type: str | None = None
    source_id: str | None = None
    import_info: str | None = None


class VersionFields(DataFields):
    """What a dataset version says beyond that, in requests and answers alike.

    Attributes:
        data_size: bytes.
    """

    data_count: int | None = None
    data_size: int | None = None
    dataset_task_ram_role: str | None = None
    user_metrics_endpoints: list[UserMetricsEndpoint] | None = None


class DatasetVersion(VersionFields):
    """One version of a dataset; ``VersionName`` is ``v1``, ``v2``… and times carry milliseconds."""

    version_name: str | None = None
    mount_access: str | None = None
    gmt_create_time: str | None = None
    gmt_modified_time: str | None = None


class DatasetShareRelationship(WireModel):
    """A share of a dataset with another workspace."""

    allowed_mount_access_levels: list[str] | None = None
    expires_at: str | None = None
    extra: str | None = None
    is_secure_mode: bool | None = None
    shared_at: str | None = None
    source_tenant_id: str | None = None
    source_workspace_id: str | None = None
    status: str | None = None
    tenant_id: str | None = None
    workspace_id: str | None = None


class DatasetSharingConfig(WireModel):
    """With whom a dataset is shared."""

    shared_to: list[DatasetShareRelationship] | None = None


class DatasetFields(WireModel):
    """What a dataset has besides its version's data, in requests and answers alike."""

    name: str | None = None
    data_type: str | None = None
    workspace_id: str | None = None
    accessibility: str | None = None
    accessible_role_id_list: list[str] | None = None
    mount_access_read_write_role_id_list: list[str] | None = None
    provider_type: str | None = None
    edition: str | None = None
    user_id: str | None = None
    source_dataset_id: str | None = None
    source_dataset_version: str | None = None


class CreateDatasetRequest(DatasetFields, VersionFields):
    """Body of CreateDataset, which also creates version ``v1`` from ``Uri``, ``SourceId`` and the like.

    Attributes:
        dry_run: validate only.
        workspace_id: the caller's default workspace where absent: always send it.
    """

    name: str
    property: str
    data_source_type: str
    uri: str
    provider: str | None = None
    version_labels: list[Label] | None = None
    version_description: str | None = None
    dry_run: bool | None = None


class CreateDatasetResponse(WireModel):
    """Answer of CreateDataset."""

    dataset_id: str | None = None
    request_id: str = ""


class Dataset(DatasetFields, DataFields):
    """A dataset as ListDatasets shows it; its ``Uri`` and the like are those of ``v1``, not of the latest version."""

    dataset_id: str | None = None
    owner_id: str | None = None
    gmt_create_time: str | None = None
    gmt_modified_time: str | None = None
    mount_access: str | None = None
    is_shared: bool | None = None
    shared_from: DatasetShareRelationship | None = None
    sharing_config: DatasetSharingConfig | None = None
    tag_template_type: str | None = None
    latest_version: DatasetVersion | None = None


class GetDatasetResponse(Dataset):
    """Answer of GetDataset."""

    provider: str | None = None
    request_id: str = ""


class ListDatasetsRequest(WireModel):
    """Query of ListDatasets.

    Attributes:
        name: part of a name.
        label: part of a label's key or value.
        dataset_ids, data_source_types, data_types, properties, source_types: comma lists.
        page_number: from 1, which is the default.
        page_size: 10 by default.
    """

    workspace_id: str | None = None
    name: str | None = None
    dataset_ids: str | None = None
    data_source_types: str | None = None
    data_types: str | None = None
    properties: str | None = None
    source_types: str | None = None
    source_id: str | None = None
    source_dataset_id: str | None = None
    label: str | None = None
    accessibility: str | None = None
    edition: str | None = None
    provider: str | None = None
    share_scope: str | None = None
    sort_by: str | None = None
    order: str | None = None
    page_number: int | None = None
    page_size: int | None = None


class ListDatasetsResponse(WireModel):
    """Answer of ListDatasets."""

    datasets: list[Dataset] = Field(default_factory=list)
    total_count: int = 0
    request_id: str = ""


class UpdateDatasetRequest(WireModel):
    """Body of UpdateDataset: what may change. ``Uri``, ``DataSourceType`` and ``Property`` may not."""

    name: str | None = None
    description: str | None = None
    options: str | None = None
    accessibility: str | None = None
    accessible_role_id_list: list[str] | None = None
    mount_access_read_write_role_id_list: list[str] | None = None
    edition: str | None = None
    sharing_config: DatasetSharingConfig | None = None


class RequestIdResponse(WireModel):
    """Answer of UpdateDataset, PublishDataset and DeleteDataset."""

    request_id: str = ""


class CreateDatasetVersionRequest(VersionFields):
    """Body of CreateDatasetVersion; ``DataSourceType`` must equal the dataset's."""

    property: str
    data_source_type: str
    uri: str
    dry_run: bool | None = None


class CreateDatasetVersionResponse(WireModel):
    """Answer of CreateDatasetVersion: ``v2`` for the first, as CreateDataset made ``v1``."""

    version_name: str | None = None
    request_id: str = ""


class ListDatasetVersionsRequest(WireModel):
    """Query of ListDatasetVersions; without page number and size it answers ``MissingPageNumber``.

    Attributes:
        label_keys, label_values, properties, source_types: comma lists.
        sort_by: ``GmtCreateTime`` by default.
        order: ``ASC`` or ``DESC``.
    """

    page_number: int
    page_size: int
    sort_by: str | None = None
    order: str | None = None
    label_keys: str | None = None
    label_values: str | None = None
    properties: str | None = None
    source_id: str | None = None
    source_types: str | None = None


class ListDatasetVersionsResponse(WireModel):
    """Answer of ListDatasetVersions."""

    dataset_versions: list[DatasetVersion] = Field(default_factory=list)
    page_number: int | None = None
    page_size: int | None = None
    total_count: int = 0
    request_id: str = ""


class GetDatasetVersionResponse(DatasetVersion):
    """Answer of GetDatasetVersion."""

    dataset_id: str | None = None
    request_id: str = ""


class WorkspaceOwner(WireModel):
    """Who owns a workspace; told only where ``Verbose`` asked for it."""

    user_id: str | None = None
    user_name: str | None = None
    user_kp: str | None = None
    display_name: str | None = None


class WorkspaceFields(WireModel):
    """What both answers about workspaces tell."""

    workspace_id: str | None = None
    workspace_name: str | None = None
    display_name: str | None = None
    description: str | None = None
    status: str | None = None
    is_default: bool | None = None
    env_types: list[str] | None = None
    admin_names: list[str] | None = None
    creator: str | None = None
    extra_infos: dict[str, Any] | None = None
    gmt_create_time: str | None = None
    gmt_modified_time: str | None = None


class GetWorkspaceRequest(WireModel):
    """Query of GetWorkspace."""

    verbose: bool | None = None


class GetWorkspaceResponse(WorkspaceFields):
    """Answer of GetWorkspace."""

    owner: WorkspaceOwner | None = None
    resource_group_id: str | None = None
    request_id: str = ""


class ListWorkspacesRequest(WireModel):
    """Query of ListWorkspaces; ``WorkspaceIds`` is a comma list, paging is 1 and 20 by default."""

    workspace_ids: str | None = None
    workspace_name: str | None = None
    status: str | None = None
    module_list: str | None = None
    option: str | None = None
    fields_: str | None = Field(default=None, alias="Fields")  # the plain name shadows one of pydantic's
    resource_group_id: str | None = None
    user_id: str | None = None
    verbose: bool | None = None
    sort_by: str | None = None
    order: str | None = None
    page_number: int | None = None
    page_size: int | None = None


class WorkspaceItem(WorkspaceFields):
    """A workspace as ListWorkspaces shows it: here ``resourceGroupId`` begins in lower case."""

    resource_group_id: str | None = Field(default=None, alias="resourceGroupId")


class ListWorkspacesResponse(WireModel):
    """Answer of ListWorkspaces."""

    workspaces: list[WorkspaceItem] = Field(default_factory=list)
    total_count: int = 0
    resource_limits: dict[str, Any] | None = None
    request_id: str = ""
