"""Every mistake in problems.txt gives exactly the one line that stands there."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable


def cases() -> list[tuple[str, str, str]]:
    """What goes, what comes instead, and the problem, for each case of the file."""
    text = Path(__file__).with_name("problems.txt").read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if line[:2] in {"- ", "+ ", "! "}]
    rows = zip(lines[::3], lines[1::3], lines[2::3], strict=True)
    return [(old[2:].replace("\\n", "\n"), new[2:].replace("\\n", "\n"), told[2:]) for old, new, told in rows]


@pytest.mark.parametrize(("old", "new", "problem"), cases())
def test_problem(bend: Callable[..., list[str]], old: str, new: str, problem: str) -> None:
    """A mistake is told once, with its line and column, in words that say what would be right."""
    assert bend(old, new) == [f"junbi.yaml:{problem}"]


def test_format() -> None:
    """The file holds its cases whole: three lines each, and all of them are read."""
    text = Path(__file__).with_name("problems.txt").read_text(encoding="utf-8")
    assert len(cases()) == text.count("\n! ") > 70
