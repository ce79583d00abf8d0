"""Reads a manifest piece by piece: JSON ``{"files": [{"key": …}]}``, or lines as ``sha256sum`` writes them."""

from __future__ import annotations

import codecs
import json
import re
from typing import TYPE_CHECKING, Any

from junbi.core.manifest import Entry, Unreadable, entry, line_entry

if TYPE_CHECKING:
    from collections.abc import Iterator

#: Characters of one entry, or of anything else in a manifest, at most.
LONGEST = 1 << 20
_SPACE = re.compile(r"[ \t\r\n]*")


def entries(pieces: Iterator[bytes]) -> Iterator[Entry]:
    """Every promised member, in the manifest's own order; Unreadable where it is no manifest."""
    text = _Text(pieces)
    if text.peek() == "{":
        yield from _json(text)
    else:
        yield from _lines(text)


class _Text:
    """Text that comes in pieces; what was used is forgotten."""

    def __init__(self, pieces: Iterator[bytes]) -> None:
        self._pieces, self._decoder = pieces, codecs.getincrementaldecoder("utf-8-sig")()
        self._ended = False
        self.buffer, self.at = "", 0

    def more(self) -> bool:
        """Read another piece; False at the end."""
        if self._ended:
            return False
        if len(self.buffer) - self.at > LONGEST:
            raise Unreadable("something in it is longer than a manifest's entries are")
        piece = next(self._pieces, None)
        self._ended = piece is None
        try:
            decoded = self._decoder.decode(piece or b"", final=self._ended)
        except UnicodeDecodeError:
            raise Unreadable("it is not UTF-8") from None
        self.buffer, self.at = self.buffer[self.at :] + decoded, 0
        return True

    def peek(self) -> str:
        """The next character that is no space; empty at the end."""
        while True:
            self.at = _SPACE.match(self.buffer, self.at).end()  # type: ignore[union-attr]  # matches anything
            if self.at < len(self.buffer):
                return self.buffer[self.at]
            if not self.more():
                return ""

    def expect(self, character: str) -> None:
        """Use up one character."""
        if self.peek() != character:
            raise Unreadable(f"expected {character!r}, got {self.peek() or 'its end'!r}")
        self.at += 1

    def value(self) -> Any:
        """Use up one JSON value."""
        self.peek()
        while True:
            try:
                value, end = json.JSONDecoder().raw_decode(self.buffer, self.at)
            except (ValueError, RecursionError) as error:
                if self.more():
                    continue
                raise Unreadable(f"it is no JSON: {error}") from None
            if end == len(self.buffer) and self.more():
                continue  # a number may go on in the next piece
            self.at = end
            return value


def _json(text: _Text) -> Iterator[Entry]:
    listed = False
    text.expect("{")
    while text.peek() != "}":
        name = text.value()
        text.expect(":")
        if name == "files":
            listed = True
            yield from _files(text)
        else:
            text.value()
        if text.peek() != "}":
            text.expect(",")
    if not listed:
        raise Unreadable('it has no "files"')


def _files(text: _Text) -> Iterator[Entry]:
    number = 0
    text.expect("[")
    while text.peek() != "]":
        yield entry(text.value(), f"files[{number}]")
        number += 1
        if text.peek() != "]":
            text.expect(",")
    text.expect("]")


def _lines(text: _Text) -> Iterator[Entry]:
    number = 0
    while True:
        end = text.buffer.find("\n", text.at)
        if end < 0 and text.more():
            continue
        line = text.buffer[text.at : end if end >= 0 else None].removesuffix("\r")
        number += 1
        if line and not line.startswith("#"):
            yield line_entry(line, f"line {number}")
        if end < 0:
            return
        text.at = end + 1
