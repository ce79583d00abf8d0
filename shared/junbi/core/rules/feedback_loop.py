"""No output of a plan lies where it would trigger the plan again: each job would start the next, for ever."""

from __future__ import annotations

from typing import TYPE_CHECKING

from junbi.core.model import Check, Reason, State
from junbi.core.places import place, place_of
from junbi.core.reasons import Code

if TYPE_CHECKING:
    from collections.abc import Mapping

    from junbi.core.plan import DatasetSpec, Output, PlanSpec


def check(plan: PlanSpec, datasets: Mapping[str, DatasetSpec]) -> Check:
    """Blocked where an output can land under the watch of a dataset in the plan's ``on``."""
    starting = {name: datasets[name] for name in plan.on if name in datasets}
    loops = [(output, name) for output in plan.outputs for name in triggered(output, starting)]
    if not loops:
        return Check("feedback", State.READY)
    told = "; ".join(f"output {output.name} ({output.uri}) lies under dataset {name}" for output, name in loops)
    reason = Reason(
        Code.FEEDBACK_LOOP,
        f"{told}, which starts plan {plan.name}: each job would start the next.",
        fix="Write outputs to a prefix that no dataset of this plan watches, or to another bucket.",
        wakes="the next apply",
    )
    return Check("feedback", State.BLOCKED, reason)


def triggered(output: Output, datasets: Mapping[str, DatasetSpec]) -> tuple[str, ...]:
    """The datasets for which writing this output is an arrival, by name."""
    written = place(output.uri)
    return tuple(
        name
        for name, dataset in datasets.items()
        if dataset.watch.bucket == written.bucket and place_of(dataset.watch).overlaps(written)
    )
