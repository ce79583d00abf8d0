"""One measured budget."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Result:
    """What was measured beside what a user would have otherwise.

    Attributes:
        ratio: the one over the other; in ``unit`` where it is a number of things and no ratio.
        budget: the most that the ratio may be, or the least where ``at_least``; None for what is only reported.
        how: both figures, and how they were taken.
    """

    what: str
    ratio: float
    budget: float | None
    how: str
    at_least: bool = False
    unit: str = "x"

    @property
    def kept(self) -> bool:
        """Whether the budget is kept."""
        if self.budget is None:
            return True
        return self.ratio >= self.budget if self.at_least else self.ratio <= self.budget

    def line(self, width: int) -> str:
        """The result for a person, what it is about in so many columns."""
        sign = "≥" if self.at_least else "≤"
        budget = "reported" if self.budget is None else f"{sign} {self.budget:.2f}"
        verdict = "    " if self.budget is None else "kept" if self.kept else "FAIL"
        return f"{verdict}  {self.what:<{width}}  {self.ratio:9.2f} {self.unit:<5}  budget {budget:<9}  {self.how}"
