"""A house on real processes: ``junbi up`` as a user starts it, and everything a test asks of it from outside."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from contextlib import closing, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx
import oss2
import pytest

from junbi.emulator.dlc import pod_processes
from junbi.emulator.dlc.pod_files import PodFiles

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ROOT = Path(__file__).parents[2]
JUNBI = str(Path(sys.executable).with_name("junbi"))
PATIENCE = 120.0  #: seconds; only a broken house or a very slow machine needs them
PARTS = {"part-0": b"seven", "part-1": b"eleven"}
ENDS = {"JobSucceeded", "JobEnded", "JobGone"}

#: One dataset, and a job that counts its bytes and writes a line to a file of the test each time it runs.
CONFIG = """\
deployment: journeys
environments:
  local: {{workspace: "104231", region: cn-hangzhou}}
datasets:
  digits:
    watch: oss://in-data/digits/{{version}}/
    complete: {{marker: _SUCCESS}}
    newest: version
    mount: /mnt/digits
images:
  any: {{uri: registry.example.com/any:1}}
resources:
  cpu: {{public: ecs.g7.large}}
plans:
  count:
    on: [digits]
    datasets: [digits]
    image: any
    resource: cpu
    job:
      type: PyTorchJob
      workers: {{count: 1}}
      command: "cat /mnt/digits/part-* | wc -c > /mnt/out/count && echo {{digits.version}} >> {runs}{more}"
    outputs:
      out: {{uri: "oss://out-data/digits/{{launch}}/", mount: /mnt/out}}
"""


class House:
    """One data directory, its junbi.yaml, and the ``junbi up`` that works on it, if one does.

    Attributes:
        stderr: what the last process told the user so far.
        where: the addresses it printed when it was ready.
    """

    def __init__(self, directory: Path, *, data: Path | None = None) -> None:
        self.directory, self.data = directory, data or directory / "data"
        self.config, self.runs_file = directory / "junbi.yaml", directory / "runs"
        self.environment = _environment()
        self.write_config()
        self.where: dict[str, str] = {}
        self._process: subprocess.Popen[str] | None = None
        self._stderr = directory / "stderr"

    def write_config(self, more: str = "") -> None:
        """Write junbi.yaml; ``more`` goes on with the job's command."""
        self.config.write_text(CONFIG.format(runs=self.runs_file, more=more))

    # -- the process

    def begin(self, *arguments: str, port: int = 0) -> subprocess.Popen[str]:
        """Start ``junbi up`` without waiting for it."""
        command = [JUNBI, *(arguments or ("up", "--config", str(self.config)))]
        command += ["--data", str(self.data), "--port", str(port)]
        with self._stderr.open("w") as stderr:
            self._process = subprocess.Popen(
                command, stdout=subprocess.PIPE, stderr=stderr, text=True, process_group=0,
                cwd=ROOT, env=self.environment,
            )  # fmt: skip
        return self._process

    def up(self, *arguments: str) -> House:
        """Start it and wait until it is ready."""
        process = self.begin(*arguments)
        assert process.stdout
        late = threading.Timer(60, process.kill)
        late.start()
        line = process.stdout.readline()
        late.cancel()
        assert line, f"it did not come up: {self.stderr}"
        self.where = json.loads(line)
        return self

    def refused(self, *arguments: str, port: int = 0) -> tuple[int, str]:
        """Start it where it must not come up; its exit code, and what it said."""
        process = self.begin(*arguments, port=port)
        said, _ = process.communicate(timeout=60)
        assert not said, "it printed addresses all the same"
        assert "Traceback" not in self.stderr, self.stderr
        return process.returncode, self.stderr

    def kill(self) -> None:
        """Kill ``junbi up`` alone with -9; its functions must die with it."""
        assert self._process
        self._process.kill()
        self._process.communicate()

    def end(self, number: int = signal.SIGTERM) -> int:
        """End it as a terminal or a service manager does; its exit code."""
        assert self._process
        os.killpg(self._process.pid, number)
        self._process.communicate(timeout=20)
        return self._process.returncode

    @property
    def stderr(self) -> str:
        """What the last process told the user so far."""
        return self._stderr.read_text()

    def functions(self) -> list[int]:
        """The processes of this house's functions that live."""
        mark = f"JUNBI_LEDGER=sqlite:///{self.data / 'ledger.db'}".encode()
        return [pid for pid in _processes(b"junbi.runtime") if mark in _read(f"/proc/{pid}/environ").split(b"\0")]

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """A command of junbi in a shell that loaded this house's ``env`` file."""
        script = f'set -a; . {self.data}/env; set +a; exec {JUNBI} "$@"'
        command = ["/bin/sh", "-c", script, "sh", *arguments]
        return subprocess.run(
            command, check=False, capture_output=True, text=True, env=self.environment, cwd=ROOT, timeout=60
        )

    # -- from outside

    def bucket(self, name: str, key: tuple[str, str] = ("emulator", "emulator-secret")) -> oss2.Bucket:
        """A bucket, by the ordinary OSS client."""
        return oss2.Bucket(oss2.Auth(*key), self.where["oss"], name, connect_timeout=20, enable_crc=False)

    def upload(self, version: str, parts: dict[str, bytes] | None = None) -> None:
        """Put a version's files, and its marker last."""
        bucket = self.bucket("in-data")
        for name, content in (parts or PARTS | {"part-v": version.encode()}).items():
            bucket.put_object(f"digits/{version}/{name}", content)
        bucket.put_object(f"digits/{version}/_SUCCESS", b"")

    def get(self, path: str) -> Any:
        """What the API answers."""
        headers = {"Authorization": f"Bearer {self.where['token']}"}
        return httpx.get(f"{self.where['api']}/{path}", headers=headers, timeout=30).raise_for_status().json()

    def order(self, **fault: Any) -> None:
        """Order a fault through the control API."""
        httpx.post(f"{self.where['control']}/faults", json=fault, timeout=10).raise_for_status()

    def faults_left(self) -> list[dict[str, Any]]:
        """The faults that have not struck yet."""
        left: list[dict[str, Any]] = httpx.get(f"{self.where['control']}/faults", timeout=10).json()
        return left

    # -- the ledger, whoever lives

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        """What the ledger's file says now; nothing where there is none yet."""
        if not (self.data / "ledger.db").exists():
            return []
        with closing(sqlite3.connect(self.data / "ledger.db", timeout=20)) as ledger:
            try:
                return ledger.execute(query).fetchall()
            except sqlite3.OperationalError as error:
                if "no such table" in str(error):  # its first moments
                    return []
                raise

    def codes(self) -> list[str]:
        """The story so far."""
        return [code for (code,) in self.rows("SELECT code FROM story ORDER BY number")]

    def until(self, condition: Callable[[], Any], what: str, patience: float = PATIENCE) -> Any:
        """Wait for a condition and give its value."""
        deadline = time.monotonic() + patience
        while not (value := condition()):
            assert time.monotonic() < deadline, f"never came true: {what}; {self.codes()}; {self.stderr}"
            time.sleep(0.02)
        return value

    def until_told(self, code: str, times: int = 1) -> None:
        """Wait until the story has told this so often."""
        self.until(lambda: self.codes().count(code) >= times, f"{code} in the story")

    def until_ended(self, launches: int = 1) -> None:
        """Wait until so many launches have ended."""
        query = "SELECT count(*) FROM launch WHERE state IN ('succeeded', 'failed', 'stopped', 'refused')"
        self.until(lambda: self.rows(query) == [(launches,)], f"the end of {launches} launches")

    def runs(self) -> list[str]:
        """The versions that jobs ran on, once for each time that one ran."""
        return self.runs_file.read_text().split() if self.runs_file.exists() else []

    def close(self) -> None:
        """End everything, the pods that outlive a house included."""
        if self._process and self._process.poll() is None:
            self._process.kill()
            self._process.communicate()
        for pid in self.functions():  # none, unless a test found that they outlive their house
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        for path in (self.data / "pods").glob("*"):
            files = PodFiles(path)
            if files.has("spec.json"):
                files.mark("stop")
                pod_processes.end(json.loads((path / "spec.json").read_text())["mark"])


def _environment() -> dict[str, str]:
    hidden = ("proxy", "junbi_", "alibaba_", "oss_")
    kept = {name: value for name, value in os.environ.items() if not any(word in name.lower() for word in hidden)}
    return kept | {"ALIBABA_CLOUD_ECS_METADATA_DISABLED": "true"}


def _processes(word: bytes) -> list[int]:
    folders = [path for path in Path("/proc").iterdir() if path.name.isdigit()]
    return [int(path.name) for path in folders if word in _read(f"{path}/cmdline")]


def _read(path: str) -> bytes:
    try:
        return Path(path).read_bytes()
    except OSError:  # it ended while we looked
        return b""


@pytest.fixture(autouse=True)
def _direct(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever proxy this machine has, a house on loopback is reached without."""
    for name in [name for name in os.environ if "proxy" in name.lower()]:
        monkeypatch.delenv(name)


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    """A house that is not up yet; whatever becomes of it, nothing of it runs on."""
    house = House(tmp_path)
    yield house
    house.close()
