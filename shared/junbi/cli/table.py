"""Tables for a terminal, whatever script their texts are in."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


def table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Columns as wide as their widest text, two spaces apart; control characters are shown, never sent."""
    lines = [[_printable(cell) for cell in line] for line in (heads, *rows)]
    widths = [max(_width(line[column]) for line in lines) for column in range(len(heads))]
    return "\n".join(
        "  ".join(_padded(cell, width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in lines
    )


def moment(at: str | None) -> str:
    """A time of a view, UTC, to the second, as every table shows it."""
    return (at or "")[:19].replace("T", " ")


def _printable(text: str) -> str:
    return "".join(char if char.isprintable() else repr(char)[1:-1] for char in text)


def _width(text: str) -> int:
    """Terminal columns: East Asian wide characters take two, combining ones none."""
    return sum(
        0 if unicodedata.combining(char) else 2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text
    )


def _padded(text: str, width: int) -> str:
    return text + " " * (width - _width(text))
