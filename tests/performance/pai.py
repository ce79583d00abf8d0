"""PAI at the port where junbi calls it: the local one with every request counted, and one that takes no time."""

from __future__ import annotations

import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from junbi.clients.api import Api
from junbi.clients.credentials import Credentials
from junbi.clients.dlc import DlcClient
from junbi.clients.workspace import WorkspaceClient
from junbi.core.assumptions import Settling
from junbi.emulator.cloud import Cloud, Settings
from junbi.emulator.keys import AccessKey
from junbi.pipeline.invocation import Invocation
from junbi.pipeline.wiring import Ports
from junbi.wire.aiworkspace import GetWorkspaceResponse
from junbi.wire.dlc import EcsSpec

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from junbi.ledger.ledger import Ledger

INSTANCE_TYPE = "ecs.g7.large"
KEY = Credentials("emulator", "emulator-secret")


class CountedApi(Api):
    """PAI's APIs, and how many requests were sent to them."""

    requests = 0

    def send(self, *arguments: Any, **named: Any) -> Any:
        """Send one more."""
        self.requests += 1
        return super().send(*arguments, **named)


@contextmanager
def counted(directory: Path) -> Iterator[CountedApi]:
    """The local PAI while the block lasts."""
    cloud = Cloud(Settings(directory, AccessKey(KEY.key_id, KEY.secret)))
    try:
        yield CountedApi(cloud.pai, KEY)
    finally:
        cloud.stop()


def ports(ledger: Ledger, seconds: float = 120.0, **replaced: Any) -> Ports:
    """The ports of an invocation of so many seconds, some replaced."""
    made = Ports(Invocation("reconcile", "1", KEY, time.monotonic() + seconds, "cn-hangzhou"), ledger, Settling())
    for name, value in replaced.items():
        setattr(made, name, value)
    return made


def clients(api: Api) -> dict[str, Any]:
    """The clients of PAI that go through it, to be replaced in ``ports``."""
    return {"workspace": WorkspaceClient(api), "dlc": DlcClient(api)}


class Yes:
    """A PAI that says yes at once and keeps nothing: what is left is junbi's own."""

    def __init__(self) -> None:
        self.jobs = 0

    def get_workspace(self, _workspace: str) -> GetWorkspaceResponse:
        """It is there."""
        return GetWorkspaceResponse(status="ENABLED")

    def list_instance_types(self) -> list[EcsSpec]:
        """What the plans ask for."""
        return [EcsSpec(instance_type=INSTANCE_TYPE)]

    def find_dataset(self, *_: Any) -> None:
        """Nothing is there yet."""

    find_version = find_dataset

    def create_dataset(self, *_: Any) -> str:
        """The dataset's id."""
        return "d-1"

    def create_version(self, *_: Any) -> str:
        """The version's name."""
        return "v2"

    def create_job(self, *_: Any) -> str:
        """The job's id; the null CreateJob."""
        self.jobs += 1
        return f"dlc-{self.jobs}"
