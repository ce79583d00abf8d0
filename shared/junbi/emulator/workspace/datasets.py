"""The datasets of the emulated workspace and their versions, kept in Records."""

from __future__ import annotations

import secrets
import string
from typing import TYPE_CHECKING

from junbi.emulator.api_error import ApiError, invalid, not_found
from junbi.emulator.workspace.account import timestamp
from junbi.emulator.workspace.validity import check_data, check_json, check_kinds, check_name
from junbi.wire.aiworkspace import Dataset, DatasetFields, DatasetVersion, VersionFields

if TYPE_CHECKING:
    from datetime import datetime

    from junbi.emulator.records import Records
    from junbi.wire.aiworkspace import CreateDatasetRequest, CreateDatasetVersionRequest, UpdateDatasetRequest

_KIND = "dataset"
_ALPHABET = string.ascii_lowercase + string.digits

#: What a dataset's top level repeats of version v1.
_OF_V1 = ("Uri", "Options", "SourceType", "SourceId", "Property", "ImportInfo", "DataSourceType")


class Datasets:
    """Creates, changes and reads datasets and versions; each change is durable when it returns.

    Names are not unique (assumed: nothing documents that they are).
    """

    def __init__(self, records: Records) -> None:
        self._records = records

    def create(self, request: CreateDatasetRequest, workspace_id: str, user: str, now: datetime) -> str | None:
        """Create a dataset and its version v1; the new id, or None where the request was a dry run."""
        check_name(request.name)
        check_data(request.data_source_type, request.property, request.uri)
        check_kinds(request.data_type, request.accessibility, request.source_type)
        check_json("Options", request.options)
        check_json("ImportInfo", request.import_info)
        if request.provider == "pai":
            raise invalid("Provider cannot be set to pai.")
        if request.dry_run:
            return None
        dataset_id = "d-" + "".join(secrets.choice(_ALPHABET) for _ in range(18))
        dataset = _new_dataset(request, dataset_id, workspace_id, user, now)
        first = _new_version(request, now)
        first.description, first.labels = request.version_description, request.version_labels or []
        with self._records.transaction():
            self._records.put(_KIND, dataset_id, {**dataset.to_wire(), "Description": request.description or ""})
            self._put_version(dataset_id, 1, first)
        return dataset_id

    def add_version(self, dataset_id: str, request: CreateDatasetVersionRequest, now: datetime) -> str | None:
        """Create the next version; its name, or None where the request was a dry run."""
        with self._records.transaction():
            dataset = self.get(dataset_id)
            if request.data_source_type != dataset.data_source_type:
                theirs = dataset.data_source_type
                raise invalid(f"DataSourceType not match: the dataset has {theirs}, not {request.data_source_type}.")
            check_data(request.data_source_type, request.property, request.uri)
            check_kinds(None, None, request.source_type)
            check_json("Options", request.options)
            check_json("ImportInfo", request.import_info)
            if request.dry_run:
                return None
            number = len(self.versions(dataset_id)) + 1
            self._put_version(dataset_id, number, _new_version(request, now))
            return f"v{number}"

    def update(self, dataset_id: str, request: UpdateDatasetRequest, now: datetime) -> None:
        """Change what may change; Options are those of v1 (assumed, as the top level shows v1's)."""
        if request.name is not None:
            check_name(request.name)
        check_kinds(None, request.accessibility, None)
        check_json("Options", request.options)
        changes = request.model_dump(mode="json", by_alias=True, exclude_none=True)
        options = changes.pop("Options", None)
        with self._records.transaction():
            document = self._document(dataset_id)
            self._records.put(_KIND, dataset_id, {**document, **changes, "GmtModifiedTime": timestamp(now)})
            if options is not None:
                first = self.version(dataset_id, "v1").model_copy(update={"options": options})
                self._put_version(dataset_id, 1, first)

    def delete(self, dataset_id: str) -> None:
        """Delete a dataset with all its versions."""
        with self._records.transaction():
            self._document(dataset_id)
            for version in self.versions(dataset_id):
                self._records.delete(_versions_kind(dataset_id), _version_key(version))
            self._records.delete(_KIND, dataset_id)

    def get(self, dataset_id: str) -> Dataset:
        """A dataset as the API shows it: v1 at the top, the newest in LatestVersion. ApiError where it is not."""
        return self._shown(self._document(dataset_id))

    def all(self) -> list[Dataset]:
        """Every dataset, by id."""
        return [self._shown(document) for document in self._records.all(_KIND)]

    def versions(self, dataset_id: str) -> list[DatasetVersion]:
        """The versions of a dataset, oldest first."""
        return [DatasetVersion.from_wire(document) for document in self._records.all(_versions_kind(dataset_id))]

    def version(self, dataset_id: str, name: str) -> DatasetVersion:
        """One version; ApiError where the dataset or the version does not exist."""
        self._document(dataset_id)
        digits = name.removeprefix("v")
        key = digits.zfill(8) if name.startswith("v") and digits.isdigit() else ""
        document = self._records.get(_versions_kind(dataset_id), key)
        if document is None:
            raise ApiError("NotFound", f"Version {name} of dataset {dataset_id} does not exist.", 404)
        return DatasetVersion.from_wire(document)

    def _document(self, dataset_id: str) -> dict[str, object]:
        document = self._records.get(_KIND, dataset_id)
        if document is None:
            raise not_found(f"Dataset {dataset_id}")
        return document

    def _shown(self, document: dict[str, object]) -> Dataset:
        versions = self.versions(str(document["DatasetId"]))
        first = versions[0].to_wire()
        repeated = {name: first[name] for name in _OF_V1 if name in first}
        return Dataset.from_wire({**document, **repeated, "LatestVersion": versions[-1].to_wire()})

    def _put_version(self, dataset_id: str, number: int, version: DatasetVersion) -> None:
        named = version.model_copy(update={"version_name": f"v{number}"})
        self._records.put(_versions_kind(dataset_id), f"{number:08d}", named.to_wire())


def _versions_kind(dataset_id: str) -> str:
    return f"dataset-version:{dataset_id}"


def _version_key(version: DatasetVersion) -> str:
    return (version.version_name or "").removeprefix("v").zfill(8)


def _new_dataset(
    request: CreateDatasetRequest, dataset_id: str, workspace_id: str, user: str, now: datetime
) -> Dataset:
    fields = {name: getattr(request, name) for name in DatasetFields.model_fields}
    defaults = {"data_type": "COMMON", "accessibility": "PRIVATE", "provider_type": "Ecs", "edition": "BASIC"}
    chosen = {**defaults, **{name: value for name, value in fields.items() if value}}
    return Dataset(
        **{
            **chosen,
            "dataset_id": dataset_id,
            "workspace_id": workspace_id,
            "user_id": request.user_id or user,
            "owner_id": user,
            "labels": request.labels or [],
            "mount_access": "RW",
            "is_shared": False,
            "gmt_create_time": timestamp(now),
            "gmt_modified_time": timestamp(now),
        }
    )


def _new_version(request: CreateDatasetRequest | CreateDatasetVersionRequest, now: datetime) -> DatasetVersion:
    fields = {name: getattr(request, name) for name in VersionFields.model_fields}
    times = {"gmt_create_time": timestamp(now), "gmt_modified_time": timestamp(now)}
    return DatasetVersion(**{**fields, "source_type": request.source_type or "USER", "mount_access": "RW", **times})
