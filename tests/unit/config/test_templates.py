"""Placeholders in command, env and outputs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

COMMAND = "python /mnt/trainer/train.py --v {digits.version} --C {params.C}"


@pytest.mark.parametrize(
    "text",
    [
        "echo ${HOME} ${HOME:-x} {a,b} {1..5} {} a{3} {{launch}} {{params.nothing}}",
        "echo {launch} {params.C} {digits.version} {trainer.version}",
        """python -c 'print({"a": {1: 2}})'""",
        "awk '{print $1}' x; ${{ not.ours }}",
    ],
)
def test_taken(bend: Callable[..., list[str]], text: str) -> None:
    """Known placeholders, escapes, and braces that are the shell's or Python's are left in peace."""
    assert bend(f"command: {COMMAND}", "command: |\n        " + text) == []


def test_no_echo_of_another_mistake(bend: Callable[..., list[str]]) -> None:
    """Placeholders of a dataset whose watch is wrong are not called unknown on top."""
    assert len(bend("digits/{version}/", "digits/{version}")) == 1


def test_capture(judge: Callable[..., list[str]], valid: str) -> None:
    """Every placeholder of a watch can be used."""
    text = valid.replace("digits/{version}/", "{site}/{version}/", 1).replace("{params.C}", "{digits.site}")
    assert judge(text) == []
