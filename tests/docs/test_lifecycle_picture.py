"""The picture of a launch's states in the README is that of core.lifecycle."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from junbi.core import lifecycle
from junbi.core.facts import LaunchState

if TYPE_CHECKING:
    from pathlib import Path


def arrows(root: Path) -> set[tuple[str, str]]:
    """The arrows that are drawn."""
    picture = re.search(r"```mermaid\nstateDiagram-v2\n(.*?)```", (root / "README.md").read_text("utf-8"), re.DOTALL)
    assert picture
    lines = [line.strip() for line in picture[1].splitlines()]
    found = [re.fullmatch(r"(\S+) --> (\S+?)(?:: .+)?", line) for line in lines]
    assert all(found), "a line of the picture is no arrow"
    return {(arrow[1], arrow[2]) for arrow in found if arrow}


def test_every_arrow_is_a_move(root: Path) -> None:
    """Nothing is drawn that a launch may not do."""
    states = [(old, new) for old, new in arrows(root) if "[*]" not in {old, new}]
    assert states
    assert [it for it in states if not lifecycle.may_move(LaunchState(it[0]), LaunchState(it[1]))] == []


def test_every_move_before_the_job_is_drawn(root: Path) -> None:
    """Each move of a launch without a job is drawn; those of a job may be left out, as the README says."""
    moves = {
        (old.value, new.value)
        for old, news in lifecycle.MOVES.items()
        for new in news
        if old not in lifecycle.ACTIVE and old is not new
    }
    assert moves <= arrows(root)


def test_beginning_and_ends_are_drawn(root: Path) -> None:
    """A launch begins by waiting, and ends in the final states and in no others."""
    drawn = arrows(root)
    assert {new for old, new in drawn if old == "[*]"} == {"waiting"}
    assert {old for old, new in drawn if new == "[*]"} == {state.value for state in lifecycle.FINAL}


def test_every_state_is_drawn(root: Path) -> None:
    """No state is left out."""
    assert {state.value for state in LaunchState} <= {state for arrow in arrows(root) for state in arrow}
