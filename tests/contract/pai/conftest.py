"""A local PAI on a real port, the official SDKs that judge it, and ways to send it less well-behaved requests."""

from __future__ import annotations

import hashlib
import http.client
import json
import os
import time
import uuid
from dataclasses import dataclass, field
from datetime import UTC, datetime
from io import BytesIO
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
from alibabacloud_aiworkspace20210204.client import Client as WorkspaceClient
from alibabacloud_pai_dlc20201203.client import Client as DlcClient
from alibabacloud_tea_openapi.utils import Utils
from alibabacloud_tea_openapi.utils_models import Config

from junbi.emulator.clock import Clock
from junbi.emulator.dlc.executor import LocalExecutor
from junbi.emulator.dlc.pods import PodState
from junbi.emulator.dlc.scheduler import Pace
from junbi.emulator.dlc.state import DlcState
from junbi.emulator.faults import Faults
from junbi.emulator.keys import AccessKey, Keys
from junbi.emulator.oss.state import Buckets
from junbi.emulator.pai import create_app
from junbi.emulator.records import Records
from junbi.emulator.server import Server
from junbi.emulator.workspace.state import WorkspaceState

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from junbi.emulator.dlc.pods import PodSpec

ROOT = AccessKey("emulator", "emulator-secret")
WORKSPACE = "104231"
URI = "oss://vision-data.oss-cn-hangzhou-internal.aliyuncs.com/digits/v1/"
PATIENCE = 30.0  #: seconds


class ScriptedExecutor:
    """An executor whose pods do what the test says; it outlives the emulator as the real pods do."""

    def __init__(self) -> None:
        self.specs: list[PodSpec] = []
        self.stopped: list[str] = []
        self.states: dict[str, PodState] = {}
        self.trouble: Exception | None = None
        self.meanwhile: Callable[[], Any] = lambda: None  #: happens while a pod is started

    def prepare_and_start(self, spec: PodSpec) -> None:
        """Count a pod's start, once."""
        if self.trouble:
            raise self.trouble
        if spec.pod_id not in {known.pod_id for known in self.specs}:
            self.specs.append(spec)
            self.states.setdefault(spec.pod_id, PodState("Running", started=datetime.now(UTC)))
            self.meanwhile()

    def say(self, status: Any, *, exit_code: int | None = None, message: str = "", started: bool = True) -> None:
        """Put every pod that was started into a state."""
        now = datetime.now(UTC)
        for spec in self.specs:
            self.states[spec.pod_id] = PodState(status, exit_code, now if started else None, now, message)

    def state(self, pod_id: str) -> PodState:
        """As said."""
        return self.states.get(pod_id, PodState("Pending"))

    def stop(self, pod_id: str) -> None:
        """The pod fails, as a stopped one does."""
        self.stopped.append(pod_id)
        self.states[pod_id] = PodState("Failed", None, None, None, "stopped")

    def logs(self, pod_id: str, max_lines: int) -> list[str]:
        """Three lines."""
        return [f"{pod_id} one", "two", "three"][-max_lines:]

    def events(self, pod_id: str) -> list[str]:
        """One line."""
        return [f"2026-11-30 14:07:24 Created pod: {pod_id}"]


@dataclass
class LocalPai:
    """The emulated PAI over one data directory; ``restart`` opens the same data anew."""

    directory: Path
    executor: Any
    clock: Clock = field(default_factory=Clock)
    pace: Pace = field(default_factory=Pace)

    def __post_init__(self) -> None:
        self.keys = Keys(ROOT, self.clock)
        self._open()

    def _open(self, workspace_id: str = WORKSPACE) -> None:
        self.records = Records(self.directory / "pai.sqlite3")
        self.faults = Faults()
        self.workspace = WorkspaceState(self.records, self.clock, workspace_id=workspace_id)
        self.dlc = DlcState(self.records, self.clock, self.workspace, self.executor, pace=self.pace)
        app = create_app(
            records=self.records,
            keys=self.keys,
            clock=self.clock,
            faults=self.faults,
            workspace=self.workspace,
            dlc=self.dlc,
        )
        self.server = Server(app)
        self.host = f"127.0.0.1:{self.server.port}"

    def close(self) -> None:
        """Stop serving."""
        self.dlc.scheduler.stop()
        self.server.stop()
        self.records.close()

    def restart(self, workspace_id: str = WORKSPACE) -> None:
        """Serve the same data from a new process's point of view."""
        self.close()
        self._open(workspace_id)

    def config(self, key: AccessKey = ROOT) -> Config:
        """How an SDK client finds us."""
        return Config(
            access_key_id=key.key_id,
            access_key_secret=key.secret,
            security_token=key.token or None,
            region_id="cn-hangzhou",
            endpoint=self.host,
            protocol="http",
        )

    def workspace_sdk(self, key: AccessKey = ROOT) -> WorkspaceClient:
        """The official AIWorkSpace client."""
        return WorkspaceClient(self.config(key))

    def dlc_sdk(self, key: AccessKey = ROOT) -> DlcClient:
        """The official DLC client."""
        return DlcClient(self.config(key))

    def signed(self, method: str, path: str, action: str, version: str, body: bytes = b"", **more: Any) -> Any:
        """A request that the official signer signed: its headers can be changed before it is sent."""
        digest = more.pop("digest", hashlib.sha256(body).hexdigest())
        key = more.pop("key", ROOT)
        query = more.pop("query", {})
        headers = {
            "host": self.host,
            "x-acs-action": action,
            "x-acs-version": version,
            "x-acs-date": f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}",
            "x-acs-signature-nonce": uuid.uuid4().hex,
            "x-acs-content-sha256": digest,
            **({"content-type": "application/json; charset=utf-8"} if body else {}),
            **more,
        }
        request = SimpleNamespace(method=method, pathname=path, query=query, headers=headers)
        headers["Authorization"] = Utils.get_authorization(request, "ACS3-HMAC-SHA256", digest, key.key_id, key.secret)
        return SimpleNamespace(method=method, target=path, headers=headers, body=body)

    def send(self, request: Any) -> tuple[int, dict[str, Any]]:
        """Send exactly that; status and body of the answer."""
        connection = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=10)
        try:
            connection.request(request.method, request.target, request.body or None, request.headers)
            answer = connection.getresponse()
            return answer.status, json.loads(answer.read())
        finally:
            connection.close()

    def call(self, method: str, path: str, action: str, version: str, document: Any = None) -> Any:
        """Send a well-signed request with a JSON body."""
        body = b"" if document is None else json.dumps(document).encode()
        return self.send(self.signed(method, path, action, version, body))

    def create_job(self, **changes: Any) -> tuple[int, dict[str, Any]]:
        """A CreateJob that is accepted unless a member is changed; None leaves a member out."""
        document = {
            "DisplayName": "digits",
            "JobType": "PyTorchJob",
            "WorkspaceId": WORKSPACE,
            "UserCommand": "echo hello",
            "JobSpecs": [{"Type": "Worker", "Image": "i", "PodCount": 1, "EcsSpec": "ecs.g7.large"}],
            **changes,
        }
        document = {name: value for name, value in document.items() if value is not None}
        return self.call("POST", "/api/v1/jobs", "CreateJob", "2020-12-03", document)

    def job(self, **changes: Any) -> str:
        """The id of a job that was accepted."""
        status, answer = self.create_job(**changes)
        assert status == 200, answer
        return str(answer["JobId"])

    def get_job(self, job_id: str) -> dict[str, Any]:
        """What GetJob answers."""
        status, answer = self.call("GET", f"/api/v1/jobs/{job_id}", "GetJob", "2020-12-03")
        assert status == 200, answer
        return dict(answer)

    def pass_time(self, seconds: float = 2.0) -> None:
        """Let emulated time go by, and the scheduler notice."""
        self.clock.advance(seconds)
        self.dlc.scheduler.step()

    def bring_to(self, job_id: str, status: str) -> dict[str, Any]:
        """Let time go by until a job has a status."""
        deadline = time.monotonic() + PATIENCE
        while (job := self.get_job(job_id))["Status"] != status:
            assert time.monotonic() < deadline, f"{job_id} is {job['Status']}, never {status}"
            assert job["Status"] not in {"Succeeded", "Failed", "Stopped"}, job["ReasonMessage"]
            self.pass_time()
            time.sleep(0.02 if self.executor_is_real else 0)
        return job

    @property
    def executor_is_real(self) -> bool:
        """Whether pods are processes, which take real time."""
        return isinstance(self.executor, LocalExecutor)


@pytest.fixture(autouse=True)
def _no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    """The SDK heeds the proxies of the environment; we are on loopback."""
    for name in [name for name in os.environ if name.lower() in {"http_proxy", "https_proxy", "all_proxy"}]:
        monkeypatch.delenv(name)


@pytest.fixture
def pai(tmp_path: Path) -> Iterator[LocalPai]:
    """A local PAI whose pods do what the test says."""
    local = LocalPai(tmp_path, ScriptedExecutor())
    yield local
    local.close()


@pytest.fixture
def running_pai(tmp_path: Path) -> Iterator[LocalPai]:
    """A local PAI that really runs jobs, with a bucket ``vision-data`` that holds one object."""
    clock = Clock()
    buckets = Buckets(tmp_path / "oss", clock)
    buckets.create_bucket("vision-data")
    buckets.put("vision-data", "digits/v1/part-0.csv", BytesIO(b"1,2,3\n"))
    executor = LocalExecutor(tmp_path / "pods", buckets, sync_seconds=0.2, grace_seconds=0.5)
    local = LocalPai(tmp_path, executor, clock)
    yield local
    for job in local.dlc.jobs.all():
        for pod in job.pods:
            executor.stop(pod.pod_id)
    local.close()
    executor.close()
    buckets.close()
