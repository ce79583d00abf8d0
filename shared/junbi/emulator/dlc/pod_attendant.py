"""Looks after one pod from its spec to its end: fills its mounts, hands it to a supervisor, puts its outputs into OSS.

It holds nothing that matters: killed at any moment, the next emulator's attendant reads the pod's directory, goes on.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import junbi
from junbi.emulator.dlc import mounts, pod_processes
from junbi.emulator.dlc.code_checkout import Code, Uncheckable, checkout
from junbi.emulator.dlc.mount_sync import MountSync
from junbi.emulator.dlc.pods import Mount

if TYPE_CHECKING:
    from junbi.emulator.dlc.mounts import Buckets
    from junbi.emulator.dlc.pod_files import PodFiles

_TICK = 0.1  #: seconds between looks at a pod's files
_LAUNCH_TIMEOUT = 60.0
_LONGEST_PAUSE = 10.0  #: seconds between tries of something that fails


class Attendant(threading.Thread):
    """The thread of one pod that has not ended.

    Args:
        sync_seconds: how often new files of a running pod are put into OSS.
    """

    def __init__(self, files: PodFiles, buckets: Buckets, sync_seconds: float) -> None:
        super().__init__(name=f"pod-{files.directory.name}", daemon=True)
        self.problem = ""  #: what keeps the pod from going on, for a person
        self._files, self._buckets, self._sync_seconds = files, buckets, sync_seconds
        self._closing = threading.Event()
        self._syncs: list[MountSync] | None = None
        self._next_sync = time.monotonic() + sync_seconds

    def close(self) -> None:
        """Leave the pod to itself, and to the next emulator."""
        self._closing.set()

    def run(self) -> None:
        """Go on until the pod has ended and its outputs are in OSS."""
        pause = 0.0
        while not self._closing.wait(pause):
            try:
                if self._step():
                    return
            except mounts.Interrupted:
                return
            except Exception as error:  # noqa: BLE001 - any fault of the store or the disk: told, and tried again
                self._fail(error)
                pause = min(max(pause, _TICK) * 2, _LONGEST_PAUSE)
            else:
                self.problem, pause = "", _TICK

    def _fail(self, error: Exception) -> None:
        problem = f"{type(error).__name__}: {error}"
        if problem != self.problem and not self._closing.is_set():
            with suppress(OSError):  # a full disk: the problem is still told by the pod's state
                self._files.tell(f"Failed, will be tried again: {problem}")
        self.problem = problem

    def _step(self) -> bool:
        """Do what is due; tells whether nothing is left to do."""
        files = self._files
        if not files.has("claim"):
            return self._begin()
        if not files.has("outcome.json"):
            if files.alive():
                self._sync_if_due()
                return False
            self._conclude()
        self._put_back(busy=None)
        self._tidy()
        files.mark("delivered")
        return True

    def _begin(self) -> bool:
        files = self._files
        spec = files.read("spec.json")
        if spec is None:
            return True  # killed before anything was promised
        if files.alive():
            return False
        if not files.has("prepared"):
            given = [Mount(**mount) for mount in spec["given_mounts"]]
            try:
                self._check_out([Code(**code) for code in spec.get("given_code", ())], len(given))
            except Uncheckable as error:
                self._refuse(f"the code could not be checked out: {error}")
                return False
            self._prepare(given)
        launch(files)
        return False

    def _prepare(self, given: list[Mount]) -> None:
        files = self._files
        for index, mount in enumerate(given):
            filled = mounts.fill(self._buckets, mount, files.mount(index), self._closing.is_set)
            files.write(f"mount-{index}.json", {"files": filled.files})
            files.tell(f"Mounted oss://{mount.bucket}/{mount.prefix} at {mount.path}: {len(filled.files)} files")
            for line in filled.told():
                files.tell(line)
        files.mark("prepared")

    def _check_out(self, given: list[Code], first: int) -> None:
        for index, code in enumerate(given, first):
            commit = checkout(code, self._files.mount(index))
            self._files.tell(f"Checked out {code.repository} at {commit} into {code.path}")

    def _refuse(self, message: str) -> None:
        """End a pod that can never start."""
        files = self._files
        if files.claim():
            files.write_once(
                "outcome.json", {"succeeded": False, "exit_code": None, "message": message, "at": time.time()}
            )
            files.tell(f"Container ended: {message}")

    def _conclude(self) -> None:
        """Say how a pod ended whose supervisor cannot: it was killed, or never got as far as starting the command."""
        files = self._files
        spec = files.read("spec.json")
        if spec is not None:
            pod_processes.end(spec["mark"])
        message = (
            "stopped before it started"
            if files.has("stop") and not files.has("started.json")
            else "its supervisor was killed; what the command did is unknown, and it is not run again"
        )
        outcome = {"succeeded": False, "exit_code": None, "message": message, "at": time.time()}
        if files.write_once("outcome.json", outcome):
            files.tell(f"Container ended: {message}")

    def _sync_if_due(self) -> None:
        if time.monotonic() < self._next_sync or not self._writable():
            return
        began = time.monotonic()
        spec = self._files.read("spec.json")
        self._put_back(busy=pod_processes.open_for_writing(spec["mark"]) if spec else None)
        # Large directories are looked at less often, so that looking never takes more than a tenth of the time.
        self._next_sync = time.monotonic() + max(self._sync_seconds, 10 * (time.monotonic() - began))

    def _put_back(self, busy: set[tuple[int, int]] | None) -> None:
        for sync in self._writable():
            sync.put_back(busy)

    def _tidy(self) -> None:
        """Free what the mounts took, but for a mount with files that are nowhere else."""
        files = self._files
        kept = {sync.directory for sync in self._writable() if sync.kept}
        for directory in files.mounts.glob("*"):
            if directory not in kept:
                shutil.rmtree(directory, ignore_errors=True)  # left-overs cost room, nothing else

    def _writable(self) -> list[MountSync]:
        """The writable mounts, as they were filled; none where the pod ended before that."""
        if self._syncs is None:
            files = self._files
            spec = files.read("spec.json") if files.has("prepared") else None
            given = [Mount(**mount) for mount in spec["given_mounts"]] if spec else []
            self._syncs = [self._sync(index, mount) for index, mount in enumerate(given) if not mount.read_only]
        return self._syncs

    def _sync(self, index: int, mount: Mount) -> MountSync:
        filled = self._files.read(f"mount-{index}.json") or {"files": {}}
        known = {name: (size, time_ns) for name, (size, time_ns) in filled["files"].items()}
        return MountSync(self._buckets, mount, self._files.mount(index), known, self._files.tell)


def launch(files: PodFiles) -> None:
    """Run the pod's supervisor, which detaches itself, holding the pod's lock when this returns.

    It gets no variable of ours: our environment may hold keys that are none of a job's business.
    """
    command = [sys.executable, "-S", "-m", "junbi.emulator.dlc.pod", str(files.directory)]
    with (files.directory / "supervisor.log").open("ab") as log:
        subprocess.run(  # noqa: S603 - our own interpreter
            command,
            check=True,
            cwd="/",
            env={"PYTHONPATH": str(Path(junbi.__file__).parents[1]), "LANG": "C.UTF-8"},
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
            timeout=_LAUNCH_TIMEOUT,
        )
