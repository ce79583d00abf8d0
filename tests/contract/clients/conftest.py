"""A local PAI and OSS on real ports, and a recorder that keeps requests as they came."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl

import pytest

from junbi.clients.api import Api
from junbi.clients.credentials import Credentials
from junbi.clients.dlc import DlcClient
from junbi.clients.objects import ObjectStore
from junbi.clients.workspace import WorkspaceClient
from junbi.emulator import pai
from junbi.emulator.clock import Clock
from junbi.emulator.dlc.executor import LocalExecutor
from junbi.emulator.dlc.state import DlcState
from junbi.emulator.faults import Faults
from junbi.emulator.keys import AccessKey, Keys
from junbi.emulator.oss import app as oss
from junbi.emulator.oss.state import Buckets
from junbi.emulator.records import Records
from junbi.emulator.server import Server
from junbi.emulator.workspace.state import DEFAULT_WORKSPACE_ID, WorkspaceState

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

ROOT = AccessKey("emulator", "emulator-secret")


@dataclass
class Cloud:
    """The local cloud, and our clients of it."""

    data: Path
    faults: Faults = field(default_factory=Faults)
    clock: Clock = field(default_factory=Clock)
    workspace: str = DEFAULT_WORKSPACE_ID

    def __post_init__(self) -> None:
        """Start all services."""
        self.records = Records(self.data / "records.db")
        self.keys = Keys(ROOT, self.clock)
        self.buckets = Buckets(self.data / "oss", self.clock)
        state = WorkspaceState(self.records, self.clock)
        executor = LocalExecutor(self.data / "pods", self.buckets, namespace=False, sync_seconds=0.2, grace_seconds=0.5)
        self.executor = executor
        self.dlc_state = DlcState(self.records, self.clock, state, executor)
        services = {"keys": self.keys, "clock": self.clock, "faults": self.faults}
        self.pai = Server(pai.create_app(records=self.records, workspace=state, dlc=self.dlc_state, **services))
        self.oss = Server(oss.create_app(self.buckets, on_event=lambda _: None, **services))
        self.credentials = Credentials(ROOT.key_id, ROOT.secret)

    def api(self, credentials: Credentials | None = None, deadline: float = 15.0) -> Api:
        """PAI, as some caller."""
        return Api(self.pai.url, credentials or self.credentials, deadline=deadline)

    @property
    def workspaces(self) -> WorkspaceClient:
        """Our client of AIWorkSpace."""
        return WorkspaceClient(self.api())

    @property
    def jobs(self) -> DlcClient:
        """Our client of DLC."""
        return DlcClient(self.api())

    @property
    def store(self) -> ObjectStore:
        """Our client of OSS."""
        return ObjectStore(self.oss.url, "cn-hangzhou", self.credentials, deadline=15.0)

    def stop(self) -> None:
        """End everything."""
        self.pai.stop()
        self.oss.stop()
        self.executor.close()
        self.buckets.close()
        self.records.close()


@pytest.fixture
def cloud(tmp_path: Path) -> Iterator[Cloud]:
    """A running local cloud."""
    running = Cloud(tmp_path)
    yield running
    running.stop()


@dataclass(frozen=True)
class Recorded:
    """What a request says, whatever its spelling on the wire."""

    method: str
    path: str
    query: frozenset[tuple[str, str]]
    body: Any
    action: str
    version: str
    content_type: str


class Recorder:
    """Answers everything with one JSON object and keeps what was asked."""

    def __init__(self) -> None:
        self.requests: list[Recorded] = []
        self.server = Server(self._answer)

    def _answer(self, environ: dict[str, Any], start_response: Callable[..., object]) -> Iterable[bytes]:
        content = environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
        pairs = parse_qsl(environ["QUERY_STRING"], keep_blank_values=True)
        self.requests.append(
            Recorded(
                method=environ["REQUEST_METHOD"],
                path=environ["REQUEST_URI"].partition("?")[0],
                query=frozenset(
                    (name, value.lower() if value in {"True", "False"} else value) for name, value in pairs
                ),
                body=_without_empty(json.loads(content)) if content else None,
                action=environ["HTTP_X_ACS_ACTION"],
                version=environ["HTTP_X_ACS_VERSION"],
                content_type=environ.get("CONTENT_TYPE", ""),
            )
        )
        answer = b'{"RequestId":"R","JobId":"dlc1","DatasetId":"d-1","VersionName":"v2","TotalCount":0}'
        start_response("200 OK", [("Content-Type", "application/json"), ("Content-Length", str(len(answer)))])
        return [answer]


def _without_empty(value: Any) -> Any:
    """The SDK sends unset nested lists as ``[]``, which counts as absent."""
    if isinstance(value, dict):
        return {name: _without_empty(member) for name, member in value.items() if member != []}
    return [_without_empty(member) for member in value] if isinstance(value, list) else value


@pytest.fixture
def recorder() -> Iterator[Recorder]:
    """A recorder on a real port."""
    running = Recorder()
    yield running
    running.server.stop()
