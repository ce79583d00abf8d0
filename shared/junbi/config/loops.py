"""Finds outputs that start the plan that wrote them, at once or by way of other plans."""

from __future__ import annotations

from typing import TYPE_CHECKING

from junbi.core.reasons import Code
from junbi.core.rules import feedback_loop

if TYPE_CHECKING:
    from collections.abc import Mapping

    from junbi.config.findings import Findings
    from junbi.core.plan import DatasetSpec, PlanSpec


def check_loops(plans: Mapping[str, PlanSpec], datasets: Mapping[str, DatasetSpec], findings: Findings) -> None:
    """An error for every output that leads back to its plan, a warning for one that makes an arrival elsewhere."""
    arrivals = {
        (name, output.name): feedback_loop.triggered(output, datasets)
        for name, plan in plans.items()
        for output in plan.outputs
    }
    starts: dict[str, set[str]] = {name: set() for name in plans}
    for (name, _), reached in arrivals.items():
        starts[name] |= _started(reached, plans)
    for name, plan in plans.items():
        for output in plan.outputs:
            path = ("plans", name, "outputs", output.name, "uri")
            reached = arrivals[name, output.name]
            started = _started(reached, plans)
            alone = plan.model_copy(update={"outputs": (output,)})
            if reason := feedback_loop.check(alone, datasets).reason:
                findings.error(path, f"{reason.code}: {reason.message} {reason.fix}")
            elif name in _all_started(started, starts):
                way = " or ".join(sorted(started))
                findings.error(path, f"{Code.FEEDBACK_LOOP}: it starts plan {way}, which leads back to plan {name}")
            elif reached:
                told = f"lies under the watch of {' and '.join(reached)}: every job makes an arrival there"
                findings.warn(path, told)


def _started(datasets: tuple[str, ...], plans: Mapping[str, PlanSpec]) -> set[str]:
    return {name for name, plan in plans.items() if set(datasets) & set(plan.on)} if datasets else set()


def _all_started(first: set[str], starts: Mapping[str, set[str]]) -> set[str]:
    seen: set[str] = set()
    todo = list(first)
    while todo:
        plan = todo.pop()
        if plan not in seen:
            seen.add(plan)
            todo += starts[plan]
    return seen
