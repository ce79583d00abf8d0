"""The whole local cloud in one process: OSS, PAI, Function Compute, Git and images, each on a loopback port."""

from __future__ import annotations

import errno
import fcntl
import json
import os
import sqlite3
import sys
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, TextIO

import structlog

from junbi.emulator import control, pai
from junbi.emulator.clock import Clock
from junbi.emulator.dlc.executor import LocalExecutor
from junbi.emulator.dlc.state import DlcState
from junbi.emulator.faults import Faults
from junbi.emulator.fc import FunctionCompute
from junbi.emulator.git import GitHost
from junbi.emulator.keys import AccessKey, Keys
from junbi.emulator.oss.app import create_app as create_oss
from junbi.emulator.oss.mounted import MountedBuckets
from junbi.emulator.oss.state import Buckets
from junbi.emulator.records import Records
from junbi.emulator.registry import RegistryHost
from junbi.emulator.server import Server
from junbi.emulator.workspace.state import WorkspaceState

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

#: The account that everything local belongs to.
ACCOUNT = "1000000000000001"

#: Ports in a row that a cloud listens on.
PORTS = 6


class CloudUnavailable(Exception):
    """The local cloud cannot start: its directory is in use or cannot be written, or a port is not to be had."""


@dataclass(frozen=True, slots=True)
class Settings:
    """What a local cloud is made with.

    Attributes:
        data: where all states are kept; a restart with the same directory goes on where it was.
        key: the one long-lived access key.
        port: of Function Compute; the next five are for OSS, PAI, the control API, Git and images. 0: any free ones.
        scale: how many emulated seconds pass in a real one.
        region, workspace: the one region and the one workspace there are.
        signature_validity: how long a signed PAI or FC request may be under way; 15 minutes on the real service.
    """

    data: Path
    key: AccessKey
    port: int = 0
    scale: float = 1.0
    region: str = "cn-hangzhou"
    workspace: str = "104231"
    signature_validity: timedelta = timedelta(minutes=15)


class Cloud:
    """The running cloud. ``stop()`` ends it; pods go on, as jobs do when somebody's terminal closes."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._stack = ExitStack()
        try:
            self._start(settings)
        except (OSError, sqlite3.Error) as error:
            self._stack.close()
            raise CloudUnavailable(
                f"The data directory {settings.data} cannot be used: {error}. Nothing was started, and what it holds "
                "is kept. Correct that (free space, the directory's rights), or choose another directory with --data."
            ) from error
        except BaseException:
            self._stack.close()
            raise

    def _start(self, settings: Settings) -> None:
        # Standard output is for the one line of addresses; troubles of the cloud go where a person sees them.
        # Plain tracebacks: the fancy ones show the values of variables, and keys are among them.
        structlog.configure(
            processors=[
                structlog.processors.add_log_level,
                structlog.processors.TimeStamper(fmt="iso", utc=True),
                structlog.dev.ConsoleRenderer(colors=False, exception_formatter=structlog.dev.plain_traceback),
            ],
            logger_factory=lambda *_: structlog.PrintLogger(sys.stderr),
        )
        _make_private(settings.data)
        self._stack.enter_context(_only_one(settings.data))
        self.clock = _clock(settings)
        self.faults = Faults()
        self.keys = Keys(settings.key, self.clock, settings.signature_validity)
        records = Records(settings.data / "cloud.db")
        self._stack.callback(records.close)
        self.buckets = Buckets(settings.data / "oss", self.clock)
        self._stack.callback(self.buckets.close)
        self.functions = FunctionCompute(
            records=records,
            keys=self.keys,
            clock=self.clock,
            faults=self.faults,
            region=settings.region,
            account_id=ACCOUNT,
            data=settings.data,
        )
        self._stack.callback(self.functions.stop)
        mounted = MountedBuckets(self.buckets, self._object_changed, self.clock, settings.region, ACCOUNT)
        executor = LocalExecutor(settings.data / "pods", mounted, private=settings.data)
        self._stack.callback(executor.close)
        workspace = WorkspaceState(records, self.clock, workspace_id=settings.workspace)
        self.dlc = DlcState(records, self.clock, workspace, executor)
        self.quotas = self.dlc.quotas
        self.dlc.scheduler.start()
        self._stack.callback(self.dlc.scheduler.stop)
        self._serve(settings, records, workspace)

    def _serve(self, settings: Settings, records: Records, workspace: WorkspaceState) -> None:
        ports = [settings.port + offset if settings.port else 0 for offset in range(PORTS)]
        keys, clock, faults = self.keys, self.clock, self.faults
        oss = create_oss(
            self.buckets,
            keys=keys,
            clock=clock,
            faults=faults,
            on_event=self._object_changed,
            region=settings.region,
            owner=ACCOUNT,
        )
        self.oss = self._listen(oss, ports[1])
        app = pai.create_app(
            records=records,
            keys=keys,
            clock=clock,
            faults=faults,
            workspace=workspace,
            dlc=self.dlc,
        )
        self.pai = self._listen(app, ports[2])
        self.control = self._listen(control.create_app(self.faults, self.clock, self.quotas), ports[3])
        self.git_host = GitHost(settings.data / "git")
        self.git = self.git_host.url = self._listen(self.git_host, ports[4])
        self.dlc.mirror = self.git_host.mirror
        self.registry_host = RegistryHost(settings.data / "registry")
        self.registry = self._listen(self.registry_host, ports[5])
        self.gateway = self._listen(self.functions.gateway(), ports[0])

    def _object_changed(self, record: dict[str, Any]) -> None:
        self.functions.oss_event(record)

    def _listen(self, app: Callable[..., object], port: int) -> str:
        try:
            server = Server(app, port, threads=16)
        except OSError as error:
            why = "is taken by another program" if error.errno == errno.EADDRINUSE else f"is not to be had: {error}"
            raise CloudUnavailable(
                f"Port {port} of 127.0.0.1 {why}. Nothing was started. Choose another with --port, or end what has it "
                f"({PORTS} ports in a row are used; 0 takes any free ones)."
            ) from error
        self._stack.callback(server.stop)
        return server.url

    def stop(self) -> None:
        """End the servers, the functions' instances and the threads; everything is on disk."""
        self._stack.close()


def _make_private(data: Path) -> None:
    """Make the directory for its owner alone: keys, tokens and everybody's data are in it.

    So are folders above it that are not there yet: .junbi is the directory of another house than .junbi/cloud.
    """
    for folder in reversed((data, *data.parents)):
        if not folder.exists():
            folder.mkdir(mode=0o700, exist_ok=True)
    status = data.stat()
    if not status.st_mode & 0o077:
        return
    # Somebody's home, or /tmp, is not ours to close; what we made, or find empty, is.
    if status.st_uid == os.geteuid() and ((data / "lock").exists() or not any(data.iterdir())):
        data.chmod(0o700)
    else:
        structlog.get_logger().warning(
            "others may look into the data directory, which holds keys and tokens: "
            "choose one of your own with --data, or close it with chmod 700",
            path=str(data),
        )


def _clock(settings: Settings) -> Clock:
    """A clock that goes on from where this directory's last one would be by now, so that time never goes back."""
    path = settings.data / "clock.json"
    wall = datetime.now(UTC)
    start = wall
    if path.exists():
        last = json.loads(path.read_text("utf-8"))
        passed = wall - datetime.fromisoformat(last["wall"])
        start = max(wall, datetime.fromisoformat(last["emulated"]) + passed * last["scale"])
    text = json.dumps({"wall": wall.isoformat(), "emulated": start.isoformat(), "scale": settings.scale})
    path.write_text(text, "utf-8")
    return Clock(settings.scale, start)


class _only_one:  # noqa: N801 - used like a function
    """Keeps a second cloud away from the directory; the lock goes with the process, however it ends."""

    def __init__(self, data: Path) -> None:
        self._path = data / "lock"
        self._file: TextIO | None = None

    def __enter__(self) -> None:
        self._file = self._path.open("a+")
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            self._file.close()
            raise CloudUnavailable(
                f"{self._path.parent} is in use by another 'junbi up' or 'junbi emulator'. Nothing was started. "
                "End that one, or choose another directory with --data."
            ) from None

    def __exit__(self, *_: object) -> None:
        if self._file is not None:
            self._file.close()
