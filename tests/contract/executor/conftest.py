"""A local OSS with a bucket, and executors whose pods are all ended when the test is over."""

from __future__ import annotations

import ctypes
import json
import os
import time
from dataclasses import dataclass, field
from io import BytesIO
from typing import TYPE_CHECKING, Any

import pytest

from junbi.emulator.clock import Clock
from junbi.emulator.dlc import pod_processes
from junbi.emulator.dlc.executor import LocalExecutor
from junbi.emulator.dlc.pod_files import PodFiles
from junbi.emulator.dlc.pods import Mount, PodSpec, PodState
from junbi.emulator.oss.state import Buckets

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

PATIENCE = 30.0  #: seconds; only a broken executor or a very slow machine needs them
BUCKET = "lab-data"


@dataclass
class Lab:
    """One data directory with its OSS, and the executors that work on it one after the other."""

    directory: Path
    namespace: bool = True
    executors: list[LocalExecutor] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.buckets = Buckets(self.directory / "oss", Clock())
        self.buckets.create_bucket(BUCKET)

    @property
    def pods(self) -> Path:
        """Where the executor keeps its pods."""
        return self.directory / "pods"

    @property
    def executor(self) -> LocalExecutor:
        """The executor at work."""
        return self.executors[-1] if self.executors else self.restart()

    def restart(self, buckets: Any = None, **settings: Any) -> LocalExecutor:
        """Let go of the pods and take them up with a new executor."""
        if self.executors:
            self.executors[-1].close()
        settings = {"namespace": self.namespace, "sync_seconds": 0.2, "grace_seconds": 0.5} | settings
        self.executors.append(LocalExecutor(self.pods, buckets or self.buckets, **settings))
        return self.executors[-1]

    def put(self, key: str, content: bytes = b"content") -> None:
        """Store an object."""
        self.buckets.put(BUCKET, key, BytesIO(content))

    def get(self, key: str) -> bytes:
        """An object's content."""
        with self.buckets.open(BUCKET, key) as stream:
            return stream.read()

    def stored(self, prefix: str = "") -> list[str]:
        """The keys of what is stored."""
        return [stored.key for stored in self.buckets.list(BUCKET, prefix)]

    def mount(self, path: str, prefix: str, *, read_only: bool = False, bucket: str = BUCKET) -> Mount:
        """A mount of the lab's bucket."""
        return Mount(path, bucket, prefix, read_only)

    def until(self, condition: Callable[[], Any], what: str) -> Any:
        """Wait for a condition and give its value."""
        deadline = time.monotonic() + PATIENCE
        while not (value := condition()):
            assert time.monotonic() < deadline, f"never came true: {what}"
            time.sleep(0.005)
        return value

    def start(self, command: str, *mounts: Mount, pod: str = "job-worker-0", **more: Any) -> str:
        """Start a pod."""
        spec = PodSpec(pod, command, more.pop("env", {}), mounts, more.pop("max_seconds", 60.0))
        self.executor.prepare_and_start(spec)
        return pod

    def ended(self, pod: str = "job-worker-0") -> PodState:
        """Wait for a pod's end."""
        executor = self.executor
        self.until(lambda: executor.state(pod).status in {"Succeeded", "Failed"}, f"the end of {pod}")
        return executor.state(pod)

    def run(self, command: str, *mounts: Mount, **more: Any) -> PodState:
        """Start a pod and wait for its end."""
        return self.ended(self.start(command, *mounts, **more))

    def log(self, pod: str = "job-worker-0") -> str:
        """What the pod wrote, without our own notices."""
        lines = self.executor.logs(pod, 1000)
        return "\n".join(line for line in lines if not line.startswith("[junbi] "))

    def told(self, pod: str = "job-worker-0") -> str:
        """The pod's events."""
        return "\n".join(self.executor.events(pod))

    def logged(self, text: str) -> None:
        """Wait for a text in the log."""
        self.until(lambda: text in self.log(), f"{text!r} in the log")

    def end(self) -> None:
        """End every pod and its supervisor, and close."""
        for executor in self.executors:
            executor.close()
        for path in self.pods.glob("*"):
            files = PodFiles(path)
            files.mark("stop")
            self.until(lambda files=files: not files.alive(), f"the end of {path.name}'s supervisor")
            spec = path / "spec.json"
            if spec.exists():
                pod_processes.end(json.loads(spec.read_text())["mark"])
        self.buckets.close()


def namespaces_work() -> bool:
    """Whether this machine lets us have a mount namespace, tried in a process of its own."""
    pid = os.fork()
    if pid == 0:
        libc = ctypes.CDLL(None)
        possible = hasattr(libc, "unshare") and (libc.unshare(0x20000) == 0 or libc.unshare(0x10020000) == 0)
        os._exit(0 if possible else 1)
    return os.waitpid(pid, 0)[1] == 0


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[Lab]:
    """A lab whose pods have private mounts; skipped where the machine allows none."""
    if not namespaces_work():
        pytest.skip("this machine allows no mount namespaces")
    yield from _lab(tmp_path, namespace=True)


@pytest.fixture
def mapped_lab(tmp_path: Path) -> Iterator[Lab]:
    """A lab whose pods see real directories in place of the mount paths."""
    yield from _lab(tmp_path, namespace=False)


@pytest.fixture(params=["lab", "mapped_lab"])
def any_lab(request: pytest.FixtureRequest) -> Lab:
    """Either lab."""
    lab: Lab = request.getfixturevalue(request.param)
    return lab


def _lab(directory: Path, *, namespace: bool) -> Iterator[Lab]:
    lab = Lab(directory, namespace=namespace)
    yield lab
    lab.end()
