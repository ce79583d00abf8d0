"""How long importing a function's app takes, beside importing bare Flask: a cold start pays it each time."""

from __future__ import annotations

import resource
from typing import TYPE_CHECKING

from tests.performance.result import Result
from tests.performance.runtime import FUNCTIONS, python, statement

if TYPE_CHECKING:
    from collections.abc import Iterator

ROUNDS = 11
BUDGET = 2.2
FLASK = "import flask"


def seconds(code: str) -> float:
    """Processor time of a fresh interpreter that runs the code: the wall's depends on what else the machine does."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    python(code)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime + after.ru_stime) - (before.ru_utime + before.ru_stime)


def measure() -> Iterator[Result]:
    """The minimum of 11 fresh processes each, taken in turns so that a busy moment hits all alike."""
    codes = {name: statement(name) for name in FUNCTIONS} | {"flask": FLASK}
    taken: dict[str, list[float]] = {name: [] for name in codes}
    for code in codes.values():
        seconds(code)  # once, so that bytecode and disk cache are warm
    for _ in range(ROUNDS):
        for name, code in codes.items():
            taken[name].append(seconds(code))
    flask = min(taken["flask"])
    for name in FUNCTIONS:
        own = min(taken[name])
        yield Result(
            f"import of {name}", own / flask, BUDGET, f"{own * 1e3:.0f} ms beside {flask * 1e3:.0f} ms for Flask"
        )
