"""The operations of the PAI APIs that junbi calls and its emulator answers: name, version, method and path."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from urllib.parse import quote, unquote

AIWORKSPACE = "2021-02-04"
DLC = "2020-12-03"
PAISTUDIO = "2022-01-12"


@dataclass(frozen=True)
class Operation:
    """One call of an API.

    Attributes:
        name: the API's own name, sent as ``x-acs-action``.
        version: the API's version, sent as ``x-acs-version``; it tells the products apart, paths do not.
        method: ``GET``, ``POST``, ``PUT`` or ``DELETE``.
        path: with placeholders for its variable segments: ``/api/v1/datasets/{DatasetId}``.
    """

    name: str
    version: str
    method: str
    path: str

    def expand(self, **segments: str) -> str:
        """The path as sent, each segment fully percent-encoded; KeyError where one is missing."""
        return self.path.format_map({name: quote(value, safe="") for name, value in segments.items()})

    def match(self, raw_path: str) -> dict[str, str] | None:
        """The decoded segments of a path as it was sent, or None where it is not this operation's."""
        found = self._pattern.fullmatch(raw_path)
        return {name: unquote(value) for name, value in found.groupdict().items()} if found else None

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        return re.compile(re.sub(r"\{(\w+)\}", r"(?P<\1>[^/]+)", self.path))


GET_WORKSPACE = Operation("GetWorkspace", AIWORKSPACE, "GET", "/api/v1/workspaces/{WorkspaceId}")
LIST_WORKSPACES = Operation("ListWorkspaces", AIWORKSPACE, "GET", "/api/v1/workspaces")
CREATE_DATASET = Operation("CreateDataset", AIWORKSPACE, "POST", "/api/v1/datasets")
GET_DATASET = Operation("GetDataset", AIWORKSPACE, "GET", "/api/v1/datasets/{DatasetId}")
LIST_DATASETS = Operation("ListDatasets", AIWORKSPACE, "GET", "/api/v1/datasets")
UPDATE_DATASET = Operation("UpdateDataset", AIWORKSPACE, "PUT", "/api/v1/datasets/{DatasetId}")
PUBLISH_DATASET = Operation("PublishDataset", AIWORKSPACE, "PUT", "/api/v1/datasets/{DatasetId}/publish")
DELETE_DATASET = Operation("DeleteDataset", AIWORKSPACE, "DELETE", "/api/v1/datasets/{DatasetId}")
CREATE_DATASET_VERSION = Operation("CreateDatasetVersion", AIWORKSPACE, "POST", "/api/v1/datasets/{DatasetId}/versions")
LIST_DATASET_VERSIONS = Operation("ListDatasetVersions", AIWORKSPACE, "GET", "/api/v1/datasets/{DatasetId}/versions")
GET_DATASET_VERSION = Operation(
    "GetDatasetVersion", AIWORKSPACE, "GET", "/api/v1/datasets/{DatasetId}/versions/{VersionName}"
)

CREATE_CODE_SOURCE = Operation("CreateCodeSource", AIWORKSPACE, "POST", "/api/v1/codesources")
GET_CODE_SOURCE = Operation("GetCodeSource", AIWORKSPACE, "GET", "/api/v1/codesources/{CodeSourceId}")
LIST_CODE_SOURCES = Operation("ListCodeSources", AIWORKSPACE, "GET", "/api/v1/codesources")
UPDATE_CODE_SOURCE = Operation("UpdateCodeSource", AIWORKSPACE, "PUT", "/api/v1/codesources/{CodeSourceId}")
PUBLISH_CODE_SOURCE = Operation("PublishCodeSource", AIWORKSPACE, "PUT", "/api/v1/codesources/{CodeSourceId}/publish")
DELETE_CODE_SOURCE = Operation("DeleteCodeSource", AIWORKSPACE, "DELETE", "/api/v1/codesources/{CodeSourceId}")

ADD_IMAGE = Operation("AddImage", AIWORKSPACE, "POST", "/api/v1/images")
GET_IMAGE = Operation("GetImage", AIWORKSPACE, "GET", "/api/v1/images/{ImageId}")
LIST_IMAGES = Operation("ListImages", AIWORKSPACE, "GET", "/api/v1/images")
PUBLISH_IMAGE = Operation("PublishImage", AIWORKSPACE, "PUT", "/api/v1/images/{ImageId}/publish")
REMOVE_IMAGE = Operation("RemoveImage", AIWORKSPACE, "DELETE", "/api/v1/images/{ImageId}")

GET_QUOTA = Operation("GetQuota", PAISTUDIO, "GET", "/api/v1/quotas/{QuotaId}")
LIST_QUOTAS = Operation("ListQuotas", PAISTUDIO, "GET", "/api/v1/quotas/")
LIST_QUOTA_WORKLOADS = Operation("ListQuotaWorkloads", PAISTUDIO, "GET", "/api/v1/quotas/{QuotaId}/workloads")

CREATE_JOB = Operation("CreateJob", DLC, "POST", "/api/v1/jobs")
GET_JOB = Operation("GetJob", DLC, "GET", "/api/v1/jobs/{JobId}")
LIST_JOBS = Operation("ListJobs", DLC, "GET", "/api/v1/jobs")
STOP_JOB = Operation("StopJob", DLC, "POST", "/api/v1/jobs/{JobId}/stop")
DELETE_JOB = Operation("DeleteJob", DLC, "DELETE", "/api/v1/jobs/{JobId}")
UPDATE_JOB = Operation("UpdateJob", DLC, "PUT", "/api/v1/jobs/{JobId}")
GET_JOB_EVENTS = Operation("GetJobEvents", DLC, "GET", "/api/v1/jobs/{JobId}/events")
GET_POD_LOGS = Operation("GetPodLogs", DLC, "GET", "/api/v1/jobs/{JobId}/pods/{PodId}/logs")
GET_POD_EVENTS = Operation("GetPodEvents", DLC, "GET", "/api/v1/jobs/{JobId}/pods/{PodId}/events")
LIST_ECS_SPECS = Operation("ListEcsSpecs", DLC, "GET", "/api/v1/ecsspecs")

#: Every operation above, by version and name: what a gateway dispatches on.
OPERATIONS: dict[tuple[str, str], Operation] = {
    (operation.version, operation.name): operation
    for operation in list(globals().values())
    if isinstance(operation, Operation)
}
