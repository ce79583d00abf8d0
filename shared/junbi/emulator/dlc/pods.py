"""What the emulated DLC asks of whatever runs its pods: the values both speak in and the calls between them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol

if TYPE_CHECKING:
    from datetime import datetime

    from junbi.emulator.dlc.code_checkout import Code

Status = Literal["Pending", "Running", "Succeeded", "Failed"]


@dataclass(frozen=True)
class Mount:
    """An OSS prefix mounted at a path of the pod.

    Attributes:
        path: absolute, inside the pod.
        prefix: keys under it appear as files, without it; empty for the whole bucket, else ends in ``/``.
    """

    path: str
    bucket: str
    prefix: str
    read_only: bool


@dataclass(frozen=True)
class PodSpec:
    """One pod to run.

    Attributes:
        pod_id: unique for ever; a pod id is started at most once.
        command: for a shell.
        env: on top of what every pod gets.
        max_seconds: real seconds after which the pod is stopped and Failed.
        code: what is checked out before the command runs.
    """

    pod_id: str
    command: str
    env: dict[str, str]
    mounts: tuple[Mount, ...]
    max_seconds: float
    code: tuple[Code, ...] = ()


@dataclass(frozen=True)
class PodState:
    """Where a pod stands; times are the wall's, UTC."""

    status: Status
    exit_code: int | None = None
    started: datetime | None = None
    finished: datetime | None = None
    message: str = ""


class Executor(Protocol):
    """Runs pods and remembers them across restarts of the emulator."""

    def prepare_and_start(self, spec: PodSpec) -> None:
        """Start the pod unless its id was ever started; may be called again after a crash."""

    def state(self, pod_id: str) -> PodState:
        """Where the pod stands; ``Pending`` for one that was never started."""

    def stop(self, pod_id: str) -> None:
        """Stop the pod if it runs; returns once that is under way."""

    def logs(self, pod_id: str, max_lines: int) -> list[str]:
        """The last lines the pod wrote."""

    def events(self, pod_id: str) -> list[str]:
        """What happened to the pod, as DLC's lines of free text."""
