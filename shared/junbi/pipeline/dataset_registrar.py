"""Registers a dataset's revisions as versions of one dataset in AIWorkSpace, recognised by their digest."""

from __future__ import annotations

from typing import TYPE_CHECKING

from junbi.core import refusals
from junbi.core.assumptions import TAG_DEPLOYMENT
from junbi.core.model import Reason
from junbi.core.reasons import Code
from junbi.pipeline.registrar import Create, Found
from junbi.wire.aiworkspace import CreateDatasetRequest, CreateDatasetVersionRequest, Label

if TYPE_CHECKING:
    from junbi.core.facts import Registration, Revision
    from junbi.ledger.generations import Scope
    from junbi.pipeline.wiring import Ports
    from junbi.wire.aiworkspace import Dataset

#: CreateDataset makes the first version itself, and calls it so. Source: notes of use on the real service.
FIRST_VERSION = "v1"


def find(ports: Ports, scope: Scope, revision: Revision, known_id: str) -> Found | Reason:
    """The dataset and the version that was made for this digest."""
    workspace, dataset_id = ports.workspace_in(scope.region), known_id
    if not dataset_id:
        dataset = workspace.find_dataset(scope.workspace, name(scope, revision))
        if dataset is None:
            return Found()
        if not is_ours(scope, dataset):
            return _name_taken(dataset.name or "")
        dataset_id = dataset.dataset_id or ""
    version = workspace.find_version(dataset_id, revision.digest, uri(scope, revision))
    return Found(dataset_id, (version.version_name or "") if version else "")


def create(ports: Ports, revision: Revision, known_id: str) -> Create:
    """CreateDataset for the first version, CreateDatasetVersion for each that follows."""
    if not known_id:
        dataset = create_dataset(ports.scope, revision)
        return Create("CreateDataset", dataset, lambda stamp: ports.workspace.create_dataset(dataset, stamp))
    version = create_version(ports.scope, revision)
    return Create(
        "CreateDatasetVersion", version, lambda stamp: ports.workspace.create_version(known_id, version, stamp)
    )


def created(operation: str, made: str, _revision: Revision, known_id: str) -> Found:
    """The id of a dataset with its first version, or the name of a further version."""
    return Found(made, FIRST_VERSION) if operation == "CreateDataset" else Found(known_id, made)


def is_gone(operation: str, code: str) -> bool:
    """Whether the dataset that a version was to be added to, or looked for in, is not there any more."""
    return operation != "CreateDataset" and code in refusals.DATASET_GONE


def told(revision: Revision, registration: Registration) -> tuple[str, str]:
    """Which dataset and version it is."""
    said = f"{revision.dataset} {revision.label} is dataset {registration.dataset_id} {registration.version_name}."
    return "DatasetRegistered", said


def _name_taken(taken: str) -> Reason:
    return Reason(
        Code.PLATFORM_REFUSED,
        f"The workspace has a dataset named {taken} that junbi did not make.",
        fix="Rename that dataset, or the one in junbi.yaml; then run 'junbi apply'.",
    )


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
