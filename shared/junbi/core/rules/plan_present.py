"""The plan of a waiting launch is still declared, and still says what the launch was made for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from junbi.core.model import Check, Reason, State
from junbi.core.reasons import Code

if TYPE_CHECKING:
    from collections.abc import Collection

    from junbi.core.plan import PlanSpec


def check(plan: PlanSpec | None, inputs: Collection[str], unknown: Collection[str] = ()) -> Check:
    """Blocked where the plan was removed, or changed so that the launch no longer fits it.

    Args:
        plan: the plan in force, None where there is none of that name any more.
        inputs: the datasets that the launch has a pinned revision of.
        unknown: placeholders of the plan that nothing pinned gives a value for.
    """
    if plan is None:
        return _blocked(Code.PLAN_REMOVED, "The plan was removed from junbi.yaml.", "Declare it again")
    if set(plan.inputs) != set(inputs):
        said = f"The plan now trains on {', '.join(plan.inputs)}; this launch was made for {', '.join(inputs)}."
        return _blocked(Code.PLAN_CHANGED, f"{said} A new version makes a new launch.", "Put the inputs back")
    if unknown:
        said = f"The plan now speaks of {', '.join(unknown)}, which this launch was made without."
        return _blocked(Code.PLAN_CHANGED, f"{said} A new version makes a new launch.", "Put the plan back")
    return Check("plan", State.READY)


def _blocked(code: Code, message: str, fix: str) -> Check:
    return Check("plan", State.BLOCKED, Reason(code, message, f"{fix} and run 'junbi apply'.", "the next apply"))
