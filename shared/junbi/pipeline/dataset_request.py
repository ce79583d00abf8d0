"""The dataset that stands for one of ours in AIWorkSpace, as CreateDataset and CreateDatasetVersion take it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from junbi.core.assumptions import TAG_DEPLOYMENT
from junbi.wire.aiworkspace import CreateDatasetRequest, CreateDatasetVersionRequest, Label

if TYPE_CHECKING:
    from junbi.core.facts import Revision
    from junbi.ledger.generations import Scope
    from junbi.wire.aiworkspace import Dataset


def name(scope: Scope, revision: Revision) -> str:
    """What a dataset is called in the workspace: other deployments may have one of the same name."""
    return f"{scope.deployment}-{revision.dataset}"


def uri(scope: Scope, revision: Revision) -> str:
    """The version's prefix as the API writes it: with the region's internal endpoint, which jobs read from."""
    return f"oss://{revision.bucket}.oss-{scope.region}-internal.aliyuncs.com/{revision.prefix}"


def is_ours(scope: Scope, dataset: Dataset) -> bool:
    """Whether this deployment made a dataset, by its label."""
    return any(label.key == TAG_DEPLOYMENT and label.value == scope.deployment for label in dataset.labels or ())


def create_dataset(scope: Scope, revision: Revision) -> CreateDatasetRequest:
    """The dataset together with its first version."""
    return CreateDatasetRequest(
        name=name(scope, revision),
        property="DIRECTORY",
        data_source_type="OSS",
        uri=uri(scope, revision),
        workspace_id=scope.workspace,
        accessibility="PUBLIC",
        source_type="USER",
        source_id=revision.digest,
        data_count=revision.members,
        data_size=max(revision.size, 1),
        labels=[Label(key=TAG_DEPLOYMENT, value=scope.deployment)],
        version_labels=[Label(key="junbi.version", value=revision.label)],
        description=f"Registered by junbi for {scope.deployment}.",
        version_description=_description(revision),
    )


def create_version(scope: Scope, revision: Revision) -> CreateDatasetVersionRequest:
    """A further version of a dataset."""
    return CreateDatasetVersionRequest(
        property="DIRECTORY",
        data_source_type="OSS",
        uri=uri(scope, revision),
        source_type="USER",
        source_id=revision.digest,
        data_count=revision.members,
        data_size=max(revision.size, 1),
        labels=[Label(key="junbi.version", value=revision.label)],
        description=_description(revision),
    )


def _description(revision: Revision) -> str:
    return f"{revision.label}: {revision.members} objects, {revision.size} bytes, digest {revision.digest}"
