"""Content on disk: one file per blob, and marks for those whose fate the index has yet to decide.

A blob is written under a fresh name that no index row names yet; the row's commit makes it an object's content.
Before a blob is written, and before one is given up, a mark is set; it is cleared when the fate is settled. After a
crash the marks are the only blobs to look at, however many objects there are.
"""

from __future__ import annotations

import fcntl
import os
import sys
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, BinaryIO
from uuid import uuid4

from junbi.emulator.oss.checksums import Tally, crc64
from junbi.emulator.oss.window import open_window

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

CHUNK = 1 << 18


@dataclass(frozen=True, slots=True)
class Draft:
    """Content that has arrived and belongs to no object yet; ``md5`` are 16 bytes, ``size`` counts bytes."""

    blob: str
    size: int
    md5: bytes
    crc64: int

    @property
    def etag(self) -> str:
        """The ETag of an object put in one piece."""
        return self.md5.hex().upper()


class Blobs:
    """The blob files under one directory, which one process at a time may use."""

    def __init__(self, directory: Path) -> None:
        self._files, self._marks = directory / "blobs", directory / "unsettled"
        self._files.mkdir(parents=True, exist_ok=True)
        self._marks.mkdir(exist_ok=True)
        self._lock = (directory / "lock").open("wb")
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            self._lock.close()
            message = f"{directory} is in use by another local OSS; stop that one first, or use another directory"
            raise RuntimeError(message) from error

    def path(self, blob: str) -> Path:
        """Where a blob lies."""
        return self._files / blob[:2] / blob

    def open(self, blob: str, start: int, length: int) -> BinaryIO:
        """Read ``length`` bytes from ``start``; FileNotFoundError where the blob was given up."""
        return open_window(self.path(blob), start, length)

    def receive(self, pieces: Iterable[bytes]) -> Draft:
        """Write content of any length. OSError where the disk is full: nothing stays behind."""
        blob, tally = self._fresh(), Tally()
        try:
            with self.path(blob).open("xb") as file:
                for piece in pieces:
                    tally.add(piece)
                    file.write(piece)
        except BaseException:
            self.drop([blob])
            raise
        return Draft(blob, tally.size, tally.md5, tally.crc64)

    def link(self, blob: str) -> str:
        """A second name for the same content, which costs no space."""
        fresh = self._fresh()
        try:
            os.link(self.path(blob), self.path(fresh))
        except BaseException:
            self.drop([fresh])
            raise
        return fresh

    def extend(self, blob: str, size: int, draft: Draft, so_far: int) -> int:
        """Write a draft's content behind the first ``size`` bytes, whose CRC-64 is ``so_far``; the new CRC-64."""
        with self.path(draft.blob).open("rb") as source, self.path(blob).open("r+b") as file:
            file.truncate(size)  # what an append that was never committed left behind
            file.seek(size)
            for piece in pieces_of(source):
                file.write(piece)
                so_far = crc64(piece, so_far)
        return so_far

    def doubt(self, blobs: Iterable[str]) -> None:
        """Mark blobs that the next commit may give up."""
        for blob in blobs:
            (self._marks / blob).touch()

    def settle(self, blobs: Iterable[str]) -> None:
        """Clear the marks of blobs that the index names for good."""
        for blob in blobs:
            (self._marks / blob).unlink(missing_ok=True)

    def drop(self, blobs: Iterable[str]) -> None:
        """Delete blobs that no row names."""
        for blob in blobs:
            self.path(blob).unlink(missing_ok=True)
            self.settle([blob])

    def recover(self, named: Callable[[list[str]], set[str]]) -> None:
        """After a crash: keep the marked blobs that the index names, delete the others."""
        marked = [mark.name for mark in self._marks.iterdir()]
        kept = named(marked)
        self.settle(kept)
        self.drop(blob for blob in marked if blob not in kept)

    def close(self) -> None:
        """Let another process use the directory."""
        self._lock.close()

    def _fresh(self) -> str:
        blob = uuid4().hex
        self.doubt([blob])
        self.path(blob).parent.mkdir(exist_ok=True)
        return blob


def pieces_of(stream: IO[bytes], left: int = sys.maxsize) -> Iterator[bytes]:
    """A stream, or as many bytes of it as are ``left``, in pieces that fit in memory."""
    while left and (piece := stream.read(min(CHUNK, left))):
        left -= len(piece)
        yield piece
