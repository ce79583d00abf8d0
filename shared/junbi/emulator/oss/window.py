"""A part of a file, read as if it were the whole."""

from __future__ import annotations

import io
import os
from typing import TYPE_CHECKING, BinaryIO, cast

if TYPE_CHECKING:
    from pathlib import Path

    from typing_extensions import Buffer


class Window(io.RawIOBase):
    """The bytes ``start`` to ``start + length`` of a file; what is appended behind them stays unseen."""

    def __init__(self, path: Path, start: int, length: int) -> None:
        super().__init__()
        self._file = path.open("rb", buffering=0)
        self._start, self._length, self._at = start, length, 0

    def readable(self) -> bool:
        """Always."""
        return True

    def seekable(self) -> bool:
        """Always."""
        return True

    def readinto(self, buffer: Buffer) -> int:
        """Read from the current position; 0 at the window's end."""
        view = memoryview(buffer)  # a slice of a bytearray would be a copy
        wanted = max(0, min(len(view), self._length - self._at))
        self._file.seek(self._start + self._at)
        count = self._file.readinto(view[:wanted]) or 0
        self._at += count
        return count

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        """Move; positions count from the window's start."""
        origin = {os.SEEK_SET: 0, os.SEEK_CUR: self._at, os.SEEK_END: self._length}[whence]
        self._at = max(0, origin + offset)
        return self._at

    def tell(self) -> int:
        """The position within the window."""
        return self._at

    def close(self) -> None:
        """Close the file too."""
        self._file.close()
        super().close()


def open_window(path: Path, start: int, length: int) -> BinaryIO:
    """The window, buffered. FileNotFoundError where the file is gone."""
    return cast("BinaryIO", io.BufferedReader(Window(path, start, length), buffer_size=1 << 16))
