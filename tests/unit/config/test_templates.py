"""Placeholders in command, env and outputs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

COMMAND = "python /mnt/trainer/train.py --v {digits.version} --C {params.C}"
KNOWN = "known here: digits.version, launch, params.C, trainer.version"


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


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        (
            "{digits.version}",
            "{digits.versoin}",
            "28:16: plans.train.job.command: {digits.versoin} names nothing (did you mean 'digits.version'?); "
            f"{KNOWN}. For the braces themselves write {{{{digits.versoin}}}}",
        ),
        (
            "{params.C}",
            "{C}",
            f"28:16: plans.train.job.command: {{C}} names nothing; {KNOWN}. For the braces themselves write {{{{C}}}}",
        ),
        (
            "{MODE: fast}",
            '{MODE: "{launc}"}',
            "29:19: plans.train.job.env.MODE: {launc} names nothing (did you mean 'launch'?); "
            f"{KNOWN}. For the braces themselves write {{{{launc}}}}",
        ),
        (
            "digits/{launch}/",
            "{launch}/{digits.site}/",
            f"31:20: plans.train.outputs.model.uri: {{digits.site}} names nothing (did you mean 'digits.version'?); {KNOWN}. "
            "For the braces themselves write {{digits.site}}",
        ),
        (
            "{params.C}",
            '"{params.C}"',
            "28:16: plans.train.job.command: {params.C} stands inside quotes, a comment, a here-document, ${…} or other "
            "shell syntax, out of which its value could break. junbi quotes values itself: write it outside, such as "
            "--name={params.C}",
        ),
    ],
)
def test_refused(bend: Callable[..., list[str]], old: str, new: str, problem: str) -> None:
    """A placeholder that names nothing, or that stands where its value could break out, is refused."""
    assert bend(old, new) == [f"junbi.yaml:{problem}"]


def test_no_echo_of_another_mistake(bend: Callable[..., list[str]]) -> None:
    """Placeholders of a dataset whose watch is wrong are not called unknown on top."""
    assert len(bend("digits/{version}/", "digits/{version}")) == 1


def test_capture(judge: Callable[..., list[str]], valid: str) -> None:
    """Every placeholder of a watch can be used."""
    text = valid.replace("digits/{version}/", "{site}/{version}/", 1).replace("{params.C}", "{digits.site}")
    assert judge(text) == []
