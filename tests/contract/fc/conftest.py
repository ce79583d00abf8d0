"""A local Function Compute per test, with real child processes."""

from __future__ import annotations

import json
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import pytest

from junbi.emulator.clock import Clock
from junbi.emulator.faults import Faults
from junbi.emulator.fc import FunctionCompute, FunctionSpec
from junbi.emulator.keys import AccessKey, Keys
from junbi.emulator.records import Records
from junbi.emulator.server import Server

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

FIXTURES = Path(__file__).parents[2] / "fixtures"
ROOT_KEY = AccessKey("emulator", "emulator-secret")


@dataclass
class Cloud:
    """A Function Compute with all it stands on."""

    data: Path
    clock: Clock = field(default_factory=Clock)
    faults: Faults = field(default_factory=Faults)
    region: str = "cn-hangzhou"

    def __post_init__(self) -> None:
        """Open the records and start."""
        self.records = Records(self.data / "records.db")
        self.keys = Keys(ROOT_KEY, self.clock)
        self.fc = FunctionCompute(
            records=self.records,
            keys=self.keys,
            clock=self.clock,
            faults=self.faults,
            region=self.region,
            account_id="1234567890123456",
            data=self.data,
            start_seconds=20,
        )
        self._server: Server | None = None

    def plain(self, name: str = "plain", environment: dict[str, str] | None = None, **settings: object) -> FunctionSpec:
        """The spec of a function in the standard library, which starts fast."""
        return FunctionSpec(
            name=name,
            command=(sys.executable, "-S", str(FIXTURES / "functions/plain/server.py")),
            environment={"TRACE": str(self.data / f"{name}.trace"), **(environment or {})},
            working_directory=self.data,
            **settings,
        )

    def junbi(self, name: str, environment: dict[str, str] | None = None, **settings: object) -> FunctionSpec:
        """The spec of a function on junbi's own runtime."""
        return FunctionSpec(
            name=name,
            command=(sys.executable, "-m", "junbi.runtime", name),
            environment=environment or {},
            working_directory=FIXTURES,
            **settings,
        )

    def trace(self, name: str = "plain", control: str = "/invoke") -> list[dict[str, Any]]:
        """The calls that reached a plain function."""
        path = self.data / f"{name}.trace"
        calls = [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
        return [call for call in calls if call["headers"].get("x-fc-control-path") == control]

    @property
    def url(self) -> str:
        """Where the gateway is served."""
        if self._server is None:
            self._server = Server(self.fc.gateway())
        return self._server.url

    def stop(self) -> None:
        """End everything."""
        if self._server:
            self._server.stop()
        self.fc.stop()
        self.records.close()


def eventually(condition: Callable[[], Any], seconds: float = 10.0) -> Any:
    """Wait for a condition to hold and return what it gave."""
    deadline = time.monotonic() + seconds
    while not (value := condition()):
        assert time.monotonic() < deadline, f"not within {seconds} s"
        time.sleep(0.02)
    return value


class Eventually(Protocol):
    """What the fixture of that name gives."""

    def __call__(self, condition: Callable[[], Any], seconds: float = ...) -> Any:
        """Wait for a condition to hold and return what it gave."""


@pytest.fixture
def open_cloud() -> Iterator[Callable[[Path], Cloud]]:
    """Opens a Function Compute on a folder, perhaps one that an earlier one left."""
    opened: list[Cloud] = []

    def open_on(data: Path) -> Cloud:
        opened.append(Cloud(data))
        return opened[-1]

    yield open_on
    for cloud in opened:
        cloud.stop()


@pytest.fixture
def cloud(tmp_path: Path, open_cloud: Callable[[Path], Cloud]) -> Cloud:
    """A running Function Compute."""
    return open_cloud(tmp_path)


@pytest.fixture(name="eventually")
def _eventually() -> Eventually:
    """Waits for a condition, and returns what it gave."""
    return eventually
