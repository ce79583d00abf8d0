"""Keys and values that cannot be: each with its place and what would be right."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from junbi.config.model import Complete

if TYPE_CHECKING:
    from collections.abc import Callable


def test_all_at_once(judge: Callable[..., list[str]], valid: str) -> None:
    """Every mistake is told in one go, in the order of the file."""
    bent = valid.replace('"104231"', "1").replace("image: sklearn", "imge: sklearn").replace("count: 1", "count: x")
    paths = [problem.split(": ")[1] for problem in judge(bent)]
    assert paths == [
        "environments.local.workspace",
        "plans.train.image",
        "plans.train.imge",
        "plans.train.job.workers.count",
    ]


def test_no_environment(judge: Callable[..., list[str]]) -> None:
    """A file without any environment is told so, whether the key is missing or empty."""
    assert judge("deployment: v") == ["junbi.yaml:1:1: environments: is missing"]
    assert judge("deployment: v\nenvironments: {}") == [
        "junbi.yaml:2:1: environments: is empty: at least one is needed"
    ]


def test_extensions_and_anchors(judge: Callable[..., list[str]], valid: str) -> None:
    """Keys that begin with x- are ignored in every section and beside every name; anchors and merges work anywhere."""
    text = valid.replace("  digits:\n", "  x-base: &base {newest: semver, x-y: ~}\n  digits:\n    x-note: [~]\n", 1)
    text = text.replace("  trainer:\n", "  trainer:\n    <<: *base\n") + "x-more: {anything: [1, ~]}\n"
    assert judge(text) == []


def test_problem_in_an_alias(judge: Callable[..., list[str]], valid: str) -> None:
    """A mistake that came by an alias is placed where it is written."""
    text = "x-job: &e {MODE: 1}\n" + valid.replace("env: {MODE: fast}", "env: *e")
    problem = 'plans.train.job.env.MODE: expected text, got the number 1: write it in quotes, "1"'
    assert judge(text) == [f"junbi.yaml:1:18: {problem}"]


@pytest.mark.parametrize(
    ("text", "seconds"), [("10m", 600), ("6h", 21600), ("1h30m", 5400), ("2d", 172800), ("1d2h3m4s", 93784), ("1s", 1)]
)
def test_duration(text: str, seconds: float) -> None:
    """Durations are days, hours, minutes and seconds, in that order."""
    assert Complete.model_validate({"quiet": text}).quiet == seconds
