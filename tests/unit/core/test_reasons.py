"""Codes and assumptions that others rely on."""

from __future__ import annotations

import re
from datetime import timedelta

from junbi.core.assumptions import Settling
from junbi.core.reasons import Code


def test_codes_are_camel_case_and_unique() -> None:
    """A code is a stable name: each is spelled once, in one way."""
    values = [code.value for code in Code]
    assert len(set(values)) == len(values)
    assert all(re.fullmatch(r"(?:[A-Z][a-z]+)+", value) for value in values)


def test_bc_124_settling_covers_validity_skew_and_lag() -> None:
    """'Not found' counts only after a late copy would be refused, by the wrong clock, and listings have caught up."""
    assert Settling().time == timedelta(minutes=17)
    assert Settling(timedelta(minutes=1), timedelta(seconds=2), timedelta(seconds=3)).time == timedelta(seconds=65)
