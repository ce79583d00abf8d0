"""The plan of a waiting launch is still declared."""

from __future__ import annotations

from typing import TYPE_CHECKING

from junbi.core.model import Check, Reason, State
from junbi.core.reasons import Code

if TYPE_CHECKING:
    from junbi.core.plan import PlanSpec


def check(plan: PlanSpec | None) -> Check:
    """Blocked where the plan was removed from junbi.yaml."""
    if plan is not None:
        return Check("plan", State.READY)
    return Check(
        "plan",
        State.BLOCKED,
        Reason(
            Code.PLAN_REMOVED,
            "The plan was removed from junbi.yaml.",
            fix="Declare it again and run 'junbi apply'.",
            wakes="the next apply",
        ),
    )
