"""A pod's directory: the files by which the emulator, which may be killed, and the pod's supervisor know each other.

    spec.json       what to run, written once
    prepared        the mounts are filled
    lock            locked (flock) for as long as the supervisor lives
    claim           made exclusively by whoever may start the command, or end the pod without it: at most one, ever
    started.json    the command runs; how its mounts were made
    stop            somebody asked to stop the pod
    outcome.json    how it ended, written once
    delivered       what it wrote is back in OSS: only now is it said to have ended
    log, events     what it wrote, what happened to it

Written for two readers, so with the standard library alone: the supervisor must start fast.
"""

from __future__ import annotations

import fcntl
import json
import os
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_BLOCK = 1 << 16


class PodFiles:
    """The directory of one pod; every method is one file operation that a kill cannot leave half done."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.log = directory / "log"
        self.mounts = directory / "mounts"

    def create(self) -> None:
        """Make the directory, readable by nobody else: its spec may hold secrets."""
        for path in (self.directory, self.directory / "home", self.directory / "work", self.directory / "root"):
            path.mkdir(mode=0o700, parents=True, exist_ok=True)

    def mount(self, index: int) -> Path:
        """The real directory of the spec's mount of that index."""
        return self.mounts / str(index)

    def has(self, name: str) -> bool:
        """Whether that file is there."""
        return (self.directory / name).exists()

    def mark(self, name: str) -> None:
        """Make an empty file."""
        (self.directory / name).touch()

    def read(self, name: str) -> dict[str, Any] | None:
        """A JSON file, or None."""
        try:
            text = (self.directory / name).read_text(encoding="utf-8")
        except FileNotFoundError:
            return None
        document: dict[str, Any] = json.loads(text)
        return document

    def write(self, name: str, document: dict[str, Any]) -> None:
        """Replace a JSON file."""
        draft = self._draft(name, document)
        draft.replace(self.directory / name)

    def write_once(self, name: str, document: dict[str, Any]) -> bool:
        """Write a JSON file unless it is there; tells whether it was written."""
        draft = self._draft(name, document)
        try:
            os.link(draft, self.directory / name)
        except FileExistsError:
            return False
        finally:
            draft.unlink()
        return True

    def claim(self) -> bool:
        """Take the one right to start the command; tells whether it was still free."""
        try:
            os.close(os.open(self.directory / "claim", os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        except FileExistsError:
            return False
        return True

    def lock(self, patience: float = 2.0) -> int | None:
        """Lock the pod for this process and its forks; None where another supervisor has it.

        A few tries, because ``alive`` holds the lock for a moment when it looks.
        """
        handle = os.open(self.directory / "lock", os.O_CREAT | os.O_RDWR, 0o600)
        deadline = time.monotonic() + patience
        while not _try_lock(handle):
            if time.monotonic() > deadline:
                os.close(handle)
                return None
            time.sleep(0.01)
        return handle

    def alive(self) -> bool:
        """Whether a supervisor lives: it holds the lock, and a dead process holds none."""
        try:
            handle = os.open(self.directory / "lock", os.O_RDWR)
        except FileNotFoundError:
            return False
        try:
            return not _try_lock(handle)
        finally:
            os.close(handle)

    def tell(self, text: str) -> None:
        """Add a line to the pod's events, dated as DLC dates them (UTC)."""
        line = f"{time.strftime('%Y-%m-%d %H:%M:%S', time.gmtime())} {' '.join(text.split())}\n"
        with _appending(self.directory / "events") as handle:
            os.write(handle, line.encode(errors="backslashreplace"))

    def events(self) -> list[str]:
        """The pod's events, oldest first."""
        try:
            return (self.directory / "events").read_text(encoding="utf-8").splitlines()
        except FileNotFoundError:
            return []

    def tail(self, lines: int) -> list[str]:
        """The last lines of the log, read from its end; bytes that are no UTF-8 are replaced."""
        try:
            with self.log.open("rb") as stream:
                text = _read_back(stream.fileno(), lines)
        except FileNotFoundError:
            return []
        parts = text.decode(errors="replace").removesuffix("\n").split("\n")
        return parts[-lines:] if lines > 0 and text else []

    def _draft(self, name: str, document: dict[str, Any]) -> Path:
        draft = self.directory / f".{name}.{os.getpid()}.{time.monotonic_ns()}"
        draft.touch(mode=0o600)
        draft.write_text(json.dumps(document), encoding="utf-8")
        return draft


def _try_lock(handle: int) -> bool:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


@contextmanager
def _appending(path: Path) -> Iterator[int]:
    handle = os.open(path, os.O_CREAT | os.O_APPEND | os.O_WRONLY, 0o600)
    try:
        yield handle
    finally:
        os.close(handle)


def _read_back(handle: int, lines: int) -> bytes:
    """The end of a file, far enough back to hold that many lines."""
    at = os.fstat(handle).st_size
    parts: list[bytes] = []
    newlines = 0
    while at > 0 and newlines <= lines:
        size = min(_BLOCK, at)
        at -= size
        parts.append(os.pread(handle, size, at))
        newlines += parts[-1].count(b"\n")
    return b"".join(reversed(parts))
