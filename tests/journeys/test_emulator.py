"""``junbi emulator``: the local cloud alone, judged by the official clients, for other programs' tests."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from alibabacloud_aiworkspace20210204.client import Client as Workspaces
from alibabacloud_aiworkspace20210204.models import (
    CreateDatasetRequest,
    CreateDatasetVersionRequest,
    GetDatasetRequest,
)
from alibabacloud_pai_dlc20201203.client import Client as Dlc
from alibabacloud_pai_dlc20201203.models import CreateJobRequest, GetJobRequest, GetPodLogsRequest, JobSpec
from alibabacloud_tea_openapi.models import Config

if TYPE_CHECKING:
    from tests.journeys.conftest import House

WORKSPACE = "104231"


def client(house: House, kind: type[Any]) -> Any:
    """An official SDK's client of the local PAI."""
    endpoint = urlsplit(house.where["pai"]).netloc
    return kind(
        Config(access_key_id="emulator", access_key_secret="emulator-secret", endpoint=endpoint, protocol="HTTP")
    )


def test_official_clients_on_the_emulator_alone(house: House) -> None:
    """oss2 and both SDKs work against what it prints; a job runs; and a restart on the same data knows it all."""
    assert set(house.up("emulator").where) == {"pai", "oss", "functions", "control", "git", "registry"}
    bucket = house.bucket("lab")
    bucket.create_bucket()
    bucket.put_object("in/日本 +%.txt", b"four")
    workspaces, place = client(house, Workspaces), "oss://lab.oss-cn-hangzhou.aliyuncs.com/in/"
    kind = {"data_source_type": "OSS", "property": "DIRECTORY", "uri": place}
    wanted = CreateDatasetRequest(name="lab", workspace_id=WORKSPACE, accessibility="PRIVATE", **kind)
    dataset = workspaces.create_dataset(wanted).body.dataset_id
    workspaces.create_dataset_version(dataset, CreateDatasetVersionRequest(**kind))
    worker = JobSpec(type="Worker", pod_count=1, image="any", ecs_spec="ecs.g7.large")
    training = CreateJobRequest(
        display_name="lab",
        job_type="PyTorchJob",
        workspace_id=WORKSPACE,
        user_command="echo it ran",
        job_specs=[worker],
    )
    job = client(house, Dlc).create_job(training).body.job_id
    assert house.end() == 0
    assert house.functions() == []

    house.up("emulator")
    dlc, workspaces = client(house, Dlc), client(house, Workspaces)

    def status() -> str:
        return str(dlc.get_job(job, GetJobRequest()).body.status)

    house.until(lambda: status() == "Succeeded", "the job's end")
    pod = dlc.get_job(job, GetJobRequest()).body.pods[0].pod_id
    assert "it ran" in dlc.get_pod_logs(job, pod, GetPodLogsRequest()).body.logs
    assert workspaces.get_dataset(dataset, GetDatasetRequest()).body.latest_version.version_name == "v2"
    assert house.bucket("lab").get_object("in/日本 +%.txt").read() == b"four"
