"""Jobs that really run, and an emulator that is really killed."""

from __future__ import annotations

import contextlib
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from alibabacloud_pai_dlc20201203 import models as sdk
from alibabacloud_pai_dlc20201203.client import Client
from alibabacloud_tea_openapi.utils_models import Config

if TYPE_CHECKING:
    from collections.abc import Iterator

WORKSPACE = "104231"
URI = "oss://vision-data.oss-cn-hangzhou-internal.aliyuncs.com/digits/v1/"
PATIENCE = 30.0  #: seconds
ENDED = {"Succeeded", "Failed", "Stopped"}


def request(command: str, **more: Any) -> sdk.CreateJobRequest:
    """A job of one CPU worker."""
    worker = sdk.JobSpec(type="Worker", image="i", pod_count=1, ecs_spec="ecs.c6.large")
    members = {"display_name": "j", "job_type": "PyTorchJob", "workspace_id": WORKSPACE, "job_specs": [worker]}
    return sdk.CreateJobRequest(**members, user_command=command, **more)


def source(uri: str) -> sdk.CreateJobRequestDataSources:
    """A direct read-only mount."""
    return sdk.CreateJobRequestDataSources(uri=uri, mount_path="/mnt/junbi-test", mount_access="RO")


def test_a_job_reads_its_mount_and_succeeds(running_pai: Any) -> None:
    """The official SDK starts a command that reads the mounted object; its output is in the logs."""
    client = running_pai.dlc_sdk()
    command = 'cat /mnt/junbi-test/part-0.csv; echo "rank $RANK of $WORLD_SIZE"'
    job_id = client.create_job(request(command, data_sources=[source(URI)])).body.job_id
    running_pai.bring_to(job_id, "Succeeded")
    pod_id = client.get_job(job_id, sdk.GetJobRequest()).body.pods[0].pod_id
    logs = client.get_pod_logs(job_id, pod_id, sdk.GetPodLogsRequest()).body.logs
    assert [line for line in logs if not line.startswith("[junbi]")] == ["1,2,3", "rank 0 of 1"]


def test_an_exit_code_fails_the_job(running_pai: Any) -> None:
    """The command's code is in the reason."""
    job_id = running_pai.job(UserCommand="exit 7")
    while running_pai.get_job(job_id)["Status"] not in ENDED:
        running_pai.pass_time()
        time.sleep(0.05)
    job = running_pai.get_job(job_id)
    assert (job["Status"], "code 7" in job["ReasonMessage"]) == ("Failed", True)


def test_a_missing_bucket_fails_the_job(running_pai: Any) -> None:
    """The environment cannot be prepared, and the reason says why; the command never runs."""
    missing = URI.replace("vision-data", "no-such-bucket")
    job_id = running_pai.job(DataSources=[{"Uri": missing, "MountPath": "/mnt/junbi-test"}])
    deadline = time.monotonic() + PATIENCE
    while running_pai.get_job(job_id)["Status"] not in ENDED:
        assert time.monotonic() < deadline
        running_pai.pass_time()
        time.sleep(0.05)
    job = running_pai.get_job(job_id)
    assert (job["Status"], job["ReasonCode"]) == ("Failed", "EnvPrepareFailed")
    assert "NoSuchBucket" in job["ReasonMessage"]


def test_a_running_job_is_stopped(running_pai: Any) -> None:
    """StopJob ends the process."""
    job_id = running_pai.job(UserCommand="sleep 600")
    running_pai.bring_to(job_id, "Running")
    running_pai.dlc_sdk().stop_job(job_id)
    running_pai.bring_to(job_id, "Stopped")


class Process:
    """A local PAI in its own process, killed and started as the test says."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.start()

    def start(self) -> None:
        """Start it and find its port."""
        script = Path(__file__).with_name("pai_process.py")
        command = [sys.executable, str(script), str(self.directory)]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        port = int(self.process.stdout.readline())
        config = Config(access_key_id="emulator", access_key_secret="emulator-secret", protocol="http")
        config.endpoint, config.region_id = f"127.0.0.1:{port}", "cn-hangzhou"
        self.client = Client(config)

    def kill(self) -> None:
        """As ``kill -9`` does."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        assert self.process.stdout is not None
        self.process.stdout.close()

    def job(self, job_id: str) -> Any:
        """What GetJob answers."""
        return self.client.get_job(job_id, sdk.GetJobRequest()).body

    def wait_for(self, job_id: str, status: set[str]) -> str:
        """Wait until a job has one of these statuses."""
        deadline = time.monotonic() + PATIENCE
        while (found := self.job(job_id).status) not in status:
            assert time.monotonic() < deadline, f"{job_id} stays {found}"
            time.sleep(0.02)
        return str(found)


@pytest.fixture
def process(tmp_path: Path) -> Iterator[Process]:
    """A local PAI that can be killed."""
    running = Process(tmp_path / "data")
    yield running
    with contextlib.suppress(ProcessLookupError):
        running.kill()


@pytest.mark.parametrize("status", ["Creating", "EnvPreparing", "Running"])
def test_killed_and_started_again_a_job_runs_once(process: Process, tmp_path: Path, status: str) -> None:
    """SIGKILL when the job was just answered, while it is prepared, while it runs: it succeeds, having run once."""
    trace = tmp_path / "trace"
    command = f"echo began >> {trace}; sleep 1; echo ended >> {trace}"
    job_id = process.client.create_job(request(command)).body.job_id
    if status != "Creating":
        process.wait_for(job_id, {status, "Running"})
    process.kill()
    process.start()
    assert process.wait_for(job_id, ENDED) == "Succeeded"
    assert trace.read_text().split() == ["began", "ended"]
