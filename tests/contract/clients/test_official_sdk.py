"""Our requests say what the official SDK's say."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest

from junbi.clients.api import Api
from junbi.clients.credentials import Credentials
from junbi.clients.dlc import DlcClient
from junbi.clients.signing import Stamp
from junbi.clients.workspace import WorkspaceClient
from junbi.wire import aiworkspace, dlc

if TYPE_CHECKING:
    from collections.abc import Callable

DATASET = {
    "Name": "digits",
    "Property": "DIRECTORY",
    "DataSourceType": "OSS",
    "Uri": "oss://b.oss-cn-hangzhou-internal.aliyuncs.com/数字/v1/",
    "WorkspaceId": "104231",
    "Options": '{"mountPath":"/mnt/digits/"}',
    "SourceType": "USER",
    "SourceId": "sha256:ab",
    "Labels": [{"Key": "junbi.deployment", "Value": "vision"}],
    "DataCount": 1797,
}
VERSION = {"Property": "DIRECTORY", "DataSourceType": "OSS", "Uri": "oss://b.e/p/", "SourceId": "sha256:cd"}
JOB = {
    "DisplayName": "train-digits",
    "JobType": "PyTorchJob",
    "WorkspaceId": "104231",
    "UserCommand": "python train.py --名 'a b'",
    "JobSpecs": [{"Type": "Worker", "PodCount": 2, "Image": "r/i@sha256:ab", "EcsSpec": "ecs.g6.large"}],
    "DataSources": [{"DataSourceId": "d-1", "DataSourceVersion": "v2", "MountPath": "/mnt", "MountAccess": "RO"}],
    "Envs": {"JUNBI_LAUNCH": "l-1"},
    "Settings": {"Tags": {"junbi.launch": "l-1"}},
    "UserVpc": {"VpcId": "vpc-1", "ExtendedCIDRs": ["10.0.0.0/8"]},
}
START, END = datetime(2026, 11, 1, tzinfo=UTC), datetime(2026, 11, 30, 10, 22, 32, tzinfo=UTC)
STAMP = Stamp("nonce", "2026-11-30T10:22:32Z")


@pytest.fixture
def sdks(recorder: Any, monkeypatch: pytest.MonkeyPatch) -> tuple[Any, Any]:
    """The official clients of AIWorkSpace and DLC, pointed at the recorder."""
    monkeypatch.setenv("ALIBABA_CLOUD_ECS_METADATA_DISABLED", "true")
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"):
        monkeypatch.delenv(name, raising=False)
    from alibabacloud_aiworkspace20210204.client import Client as Workspace  # slow to load
    from alibabacloud_pai_dlc20201203.client import Client as Dlc
    from alibabacloud_tea_openapi.utils_models import Config

    def config() -> Any:
        where = f"127.0.0.1:{recorder.server.port}"
        return Config(
            access_key_id="k", access_key_secret="s", region_id="cn-hangzhou", endpoint=where, protocol="http"
        )

    return Workspace(config()), Dlc(config())


def sdk_calls() -> dict[str, Callable[[Any, Any], object]]:
    """The same calls by the official SDKs."""
    from alibabacloud_aiworkspace20210204 import models as w  # slow to load
    from alibabacloud_pai_dlc20201203 import models as d

    window = {"StartTime": "2026-11-01T00:00:00Z", "EndTime": "2026-11-30T10:22:32Z"}
    paged = {"PageNumber": 1, "PageSize": 100}
    listing = {"WorkspaceId": "104231", "ShowOwn": False, **window, "SortBy": "GmtCreateTime", "Order": "asc", **paged}
    named = {"WorkspaceId": "104231", "Name": "数字 a+b/c~*", **paged}
    return {
        "get_workspace": lambda s, _: s.get_workspace("104231", w.GetWorkspaceRequest()),
        "find_dataset": lambda s, _: s.list_datasets(w.ListDatasetsRequest().from_map(named)),
        "get_dataset": lambda s, _: s.get_dataset("d/1 x", w.GetDatasetRequest()),
        "create_dataset": lambda s, _: s.create_dataset(w.CreateDatasetRequest().from_map(DATASET)),
        "find_version": lambda s, _: s.list_dataset_versions(
            "d-1", w.ListDatasetVersionsRequest().from_map({"SourceId": "sha256:cd", **paged})
        ),
        "get_version": lambda s, _: s.get_dataset_version("d-1", "v2", w.GetDatasetVersionRequest()),
        "create_version": lambda s, _: s.create_dataset_version(
            "d-1", w.CreateDatasetVersionRequest().from_map(VERSION)
        ),
        "create_job": lambda _, s: s.create_job(d.CreateJobRequest().from_map(JOB)),
        "get_job": lambda _, s: s.get_job("dlc1", d.GetJobRequest()),
        "find_jobs": lambda _, s: s.list_jobs(d.ListJobsRequest().from_map(listing)),
        "stop_job": lambda _, s: s.stop_job("dlc1"),
        "list_instance_types": lambda _, s: s.list_ecs_specs(d.ListEcsSpecsRequest().from_map(paged)),
        "job_events": lambda _, s: s.get_job_events("dlc1", d.GetJobEventsRequest().from_map({"MaxEventsNum": 2000})),
        "pod_logs": lambda _, s: s.get_pod_logs(
            "dlc1", "dlc1-worker-0", d.GetPodLogsRequest().from_map({"MaxLines": 2000})
        ),
    }


OURS: dict[str, Callable[[WorkspaceClient, DlcClient], object]] = {
    "get_workspace": lambda w, _: w.get_workspace("104231"),
    "find_dataset": lambda w, _: w.find_dataset("104231", "数字 a+b/c~*"),
    "get_dataset": lambda w, _: w.get_dataset("d/1 x"),
    "create_dataset": lambda w, _: w.create_dataset(aiworkspace.CreateDatasetRequest.from_wire(DATASET), STAMP),
    "find_version": lambda w, _: w.find_version("d-1", "sha256:cd", "oss://b.e/p/"),
    "get_version": lambda w, _: w.get_version("d-1", "v2"),
    "create_version": lambda w, _: w.create_version(
        "d-1", aiworkspace.CreateDatasetVersionRequest.from_wire(VERSION), STAMP
    ),
    "create_job": lambda _, d: d.create_job(dlc.CreateJobRequest.from_wire(JOB), STAMP),
    "get_job": lambda _, d: d.get_job("dlc1"),
    "find_jobs": lambda _, d: d.find_jobs("104231", {"junbi.launch": "l-1"}, START, END),
    "stop_job": lambda _, d: d.stop_job("dlc1"),
    "list_instance_types": lambda _, d: d.list_instance_types(),
    "job_events": lambda _, d: d.job_events("dlc1"),
    "pod_logs": lambda _, d: d.pod_logs("dlc1", "dlc1-worker-0"),
}


class TestSameRequest:
    """One call, two clients, one meaning."""

    @pytest.mark.parametrize("call", OURS)
    def test_the_wire_says_the_same(self, recorder: Any, sdks: tuple[Any, Any], call: str) -> None:
        """Method, path, query, body, action, version and content type are those of the official SDK."""
        api = Api(recorder.server.url, Credentials("k", "s"))
        OURS[call](WorkspaceClient(api), DlcClient(api))
        sdk_calls()[call](*sdks)
        ours, theirs = recorder.requests
        assert ours == theirs
