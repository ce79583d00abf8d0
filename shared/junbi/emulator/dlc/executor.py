"""Runs the pods of the local DLC as processes of this machine that outlive the emulator."""

from __future__ import annotations

import os
import posixpath
import re
import secrets
import sys
import threading
import time
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from junbi.emulator.dlc.pod_attendant import Attendant
from junbi.emulator.dlc.pod_files import PodFiles
from junbi.emulator.dlc.pod_processes import MARK
from junbi.emulator.dlc.pods import PodState

if TYPE_CHECKING:
    from junbi.emulator.dlc.mounts import Buckets
    from junbi.emulator.dlc.pods import PodSpec, Status

_POD_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,200}")


class LocalExecutor:
    """The executor of pods that are local processes.

    Everything is on disk: one executor at a time works on a directory, and a new one goes on where a killed one was.

    Args:
        directory: where the pods' files are kept.
        buckets: the local OSS, whose prefixes the pods mount.
        private: what pods must not see, the pods' directory in it; that directory alone by default.
        namespace: False to map mount paths to real directories even where private mounts are possible.
        sync_seconds: how often new files of running pods are put into OSS.
        grace_seconds: how long a pod may take to end by itself after SIGTERM.
    """

    def __init__(
        self,
        directory: Path,
        buckets: Buckets,
        *,
        private: Path | None = None,
        namespace: bool = True,
        sync_seconds: float = 3.0,
        grace_seconds: float = 10.0,
    ) -> None:
        self._directory, self._buckets = directory.absolute(), buckets
        self._private = (private or directory).absolute()
        self._namespace, self._sync_seconds, self._grace_seconds = namespace, sync_seconds, grace_seconds
        self._lock = threading.Lock()
        self._attendants: dict[str, Attendant] = {}
        self._directory.mkdir(parents=True, exist_ok=True)
        for path in sorted(self._directory.iterdir()):
            if path.is_dir() and _POD_ID.fullmatch(path.name):
                self._attend(path.name)

    def prepare_and_start(self, spec: PodSpec) -> None:
        """See to it that the pod is started, once for ever; returns at once, mounts are filled in the background.

        Raises:
            ValueError: the pod's id or a mount's path cannot be used.
        """
        files = self._files(spec.pod_id)
        document = self._document(spec, files)
        files.create()
        if files.write_once("spec.json", document):
            files.tell(f"Created pod: {spec.pod_id}")
        self._attend(spec.pod_id)

    def state(self, pod_id: str) -> PodState:
        """Where the pod stands. It has ended only when what it wrote is in OSS."""
        files = self._files(pod_id)
        started, outcome = files.read("started.json"), files.read("outcome.json")
        problem = self._problem(pod_id)
        if outcome is None:
            return PodState("Running" if started else "Pending", started=_time(started), message=problem)
        if not files.has("delivered"):
            message = problem or "its command ended; what it wrote is being put into OSS"
            return PodState("Running" if started else "Pending", started=_time(started), message=message)
        status: Status = "Succeeded" if outcome["succeeded"] else "Failed"
        return PodState(status, outcome["exit_code"], _time(started), _time(outcome), outcome["message"])

    def stop(self, pod_id: str) -> None:
        """Have the pod end: SIGTERM, and SIGKILL after the grace. One that was not started never will be."""
        files = self._files(pod_id)
        if files.has("outcome.json"):
            return
        files.create()
        files.mark("stop")
        # Whoever has the claim decides; taken here, no supervisor can start the command any more.
        if files.claim():
            message = "stopped before it started"
            files.write_once(
                "outcome.json", {"succeeded": False, "exit_code": None, "message": message, "at": time.time()}
            )
            files.tell(f"Container ended: {message}")
        self._attend(pod_id)

    def logs(self, pod_id: str, max_lines: int) -> list[str]:
        """The last lines that the pod wrote to its standard output and error."""
        return self._files(pod_id).tail(max_lines)

    def events(self, pod_id: str) -> list[str]:
        """What happened to the pod: ``2026-11-30 14:07:24 Created pod: …``, UTC."""
        return self._files(pod_id).events()

    def close(self) -> None:
        """Let go of the pods, which run on; a new executor on the same directory takes them up."""
        with self._lock:
            attendants = list(self._attendants.values())
        for attendant in attendants:
            attendant.close()
        for attendant in attendants:
            attendant.join(timeout=10)

    def _files(self, pod_id: str) -> PodFiles:
        if not _POD_ID.fullmatch(pod_id):
            raise ValueError(f"{pod_id!r} cannot be a pod's id: letters, digits, '.', '_' and '-' only")
        return PodFiles(self._directory / pod_id)

    def _attend(self, pod_id: str) -> None:
        with self._lock:
            present = self._attendants.get(pod_id)
            files = self._files(pod_id)
            if files.has("delivered") or (present is not None and present.is_alive()):
                return
            self._attendants[pod_id] = attendant = Attendant(files, self._buckets, self._sync_seconds)
            attendant.start()

    def _problem(self, pod_id: str) -> str:
        with self._lock:
            attendant = self._attendants.get(pod_id)
        return attendant.problem if attendant else ""

    def _document(self, spec: PodSpec, files: PodFiles) -> dict[str, Any]:
        """The spec as the supervisor reads it; what an attendant reads is under ``given_mounts``."""
        mark = secrets.token_hex(16)
        return {
            "command": spec.command,
            "env": _environment(files.directory / "home") | spec.env | {MARK: mark},
            "mark": mark,
            "given_mounts": [asdict(mount) for mount in spec.mounts],
            "given_code": [asdict(code) for code in spec.code],
            "mounts": [
                {"path": _point(path), "directory": str(files.mount(index)), "read_only": read_only}
                for index, (path, read_only) in enumerate(_points(spec))
            ],
            "needed": [sys.prefix, sys.base_prefix],
            "private": str(self._private),
            "no_namespace": "" if self._namespace else "they are switched off",
            "max_seconds": spec.max_seconds,
            "grace_seconds": self._grace_seconds,
        }


def _environment(home: Path) -> dict[str, str]:
    """What every pod gets: nothing of the emulator's own environment, and its Python before the system's."""
    here = str(Path(sys.executable).parent)
    path = [here, "/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin"]
    return {"PATH": os.pathsep.join(path), "HOME": str(home), "LANG": "C.UTF-8"}


def _points(spec: PodSpec) -> list[tuple[str, bool]]:
    """Where mounts and then code appear, and whether they are read only; code is the pod's own to change."""
    return [(mount.path, mount.read_only) for mount in spec.mounts] + [(code.path, False) for code in spec.code]


def _point(given: str) -> str:
    """A mount's path, normalised."""
    path = posixpath.normpath(given)
    if not path.startswith("/") or path.strip("/") == "" or ".." in given.split("/") or "\0" in path:
        raise ValueError(f"{given!r} cannot be a mount path: absolute, below the root and without '..'")
    return "/" + path.strip("/")


def _time(document: dict[str, Any] | None) -> datetime | None:
    return None if document is None else datetime.fromtimestamp(document["at"], UTC)
