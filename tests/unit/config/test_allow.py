"""Which expressions may judge the names that strangers give, and that those which may are quick."""

from __future__ import annotations

import re
import time
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from junbi.config.expressions import slow_to_match

if TYPE_CHECKING:
    from collections.abc import Callable

QUICK = [
    "",
    ".+",
    "[A-Za-z0-9._-]{1,128}",
    r"v\d+\.\d+",
    r"\d{4}-\d{2}-\d{2}",
    r"\d{1,9}\.\d{1,9}\.\d{1,9}(?:-[0-9a-z.]{1,20})?",
    "(train|test|(dev|prod)-[a-z]*)",
    "^[^]/]+$",
    "日本.{3,}",
]
SLOW = [
    "([a-z]+)+",
    "(a|a)*",
    "(?:a?){20}",
    "((a|b)c*)+d",
    r"(a+)\1",
    "(?=a)b",
    "(?i)a",
    "a+?",
    "a*a*a*a*",
    "(a*)(a*)a*",
]


@pytest.mark.parametrize("expression", QUICK)
def test_plain_expressions_may_judge_names(expression: str) -> None:
    """Characters, classes and alternatives with few repetitions are accepted."""
    assert slow_to_match(expression) == ""


@pytest.mark.parametrize("expression", SLOW)
def test_what_tries_many_ways_is_refused(expression: str) -> None:
    """Repeated groups, back-references, look-around and many free repetitions are refused, valid as they are."""
    re.compile(expression)
    assert slow_to_match(expression)


def test_the_file_is_refused_with_the_way_out(judge: Callable[..., list[str]], valid: str) -> None:
    """junbi.yaml with such an expression has one problem, at its place, that says what to write instead."""
    (problem,) = judge(valid.replace("newest: version\n", "newest: version\n    allow: '([a-z]+)+'\n", 1))
    assert problem.startswith("junbi.yaml:9:12: datasets.digits.allow: holds '+', which is not supported: write ")
    (problem,) = judge(valid.replace("newest: version\n", "newest: version\n    allow: 'a*a*a*'\n", 1))
    assert problem.endswith(r"limit what repeats, for example \d{1,4} in place of \d+")


_ATOMS = st.sampled_from(
    ["a", ".", "[ab]", r"\w", "a*", ".+", "[ab]{1,90}", "a?", r"\w{2}", "(a|b+)", "(?:a|ab)?", "|"]
)


@given(st.lists(_ATOMS, max_size=8).map("".join))
def test_whatever_is_accepted_is_quick(expression: str) -> None:
    """The longest name that fits everywhere but at its end is judged within a moment."""
    if not slow_to_match(expression):
        began = time.process_time()
        re.fullmatch(expression, "a" * 254 + "!")
        assert time.process_time() - began < 0.1
