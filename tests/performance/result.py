"""One measured budget."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Result:
    """What was measured, as a ratio to what a user would have otherwise; ``how`` gives both figures."""

    what: str
    ratio: float
    budget: float
    how: str
