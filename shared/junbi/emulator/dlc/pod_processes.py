"""Finding and ending a pod's processes, wherever they fled: each carries the pod's mark in its environment."""

from __future__ import annotations

import os
import signal
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

MARK = "JUNBI_POD_MARK"  #: environment variable; its value is random, so a reused process id is never mistaken
_ROUNDS = 50


def marked(mark: str) -> Iterator[int]:
    """The ids of the processes with that mark. None where the system has no ``/proc``."""
    needle = f"{MARK}={mark}".encode()
    for entry in Path("/proc").glob("[0-9]*"):
        # A process may end while we look, and those of others are not ours to read.
        with suppress(OSError):
            if needle in (entry / "environ").read_bytes().split(b"\0"):
                yield int(entry.name)


def end(mark: str, group: int | None = None) -> None:
    """Kill whatever is left of a pod: its process group, and those that left the group."""
    if group is not None:
        send(group, signal.SIGKILL)
    for _ in range(_ROUNDS):
        left = [pid for pid in marked(mark) if not _is_zombie(pid)]
        if not left:
            return
        for pid in left:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(0.01)


def send(group: int, number: signal.Signals) -> None:
    """Send a signal to a process group that may be gone."""
    with suppress(ProcessLookupError):
        os.killpg(group, number)


def open_for_writing(mark: str) -> set[tuple[int, int]]:
    """Device and inode of every file that the pod's processes hold open for writing."""
    found: set[tuple[int, int]] = set()
    for pid in marked(mark):
        for handle in Path(f"/proc/{pid}/fd").glob("*"):
            # Handles close and processes end while we look.
            with suppress(OSError):
                if _flags(pid, handle.name) & os.O_ACCMODE != os.O_RDONLY:
                    status = handle.stat()
                    found.add((status.st_dev, status.st_ino))
    return found


def _flags(pid: int, handle: str) -> int:
    lines = Path(f"/proc/{pid}/fdinfo/{handle}").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1], 8) for line in lines if line.startswith("flags:"))


def _is_zombie(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace").rpartition(") ")[2][:1] == "Z"
    except OSError:
        return True
