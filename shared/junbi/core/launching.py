"""Which launch a plan wants now that a dataset has a new revision, if any."""

from __future__ import annotations

from typing import TYPE_CHECKING

from junbi.core import identity
from junbi.core.facts import Launch, LaunchState, Revision
from junbi.core.model import Reason
from junbi.core.reasons import Code

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from junbi.core.plan import PlanSpec


def wanted(
    plan: PlanSpec,
    revision: Revision,
    heads: Mapping[str, Revision | None],
    generation: int,
    now: datetime,
) -> Launch | Reason:
    """The launch that a revision calls for, or why it calls for none.

    Args:
        plan: a plan that has the revision's dataset among its inputs.
        revision: the new revision.
        heads: the newest revision of each input, None where an input has none yet.
        generation: the number of the generation the plan is from.
        now: the ledger's time.
    """
    missing = [name for name in plan.datasets if heads[name] is None]
    if missing:
        return Reason(
            Code.NO_DATASET_VERSION,
            f"{plan.name} waits for a first version of {' and '.join(missing)}.",
            fix=f"Upload {' and '.join(missing)}, each with what closes it.",
            wakes="their first version",
        )
    pins = {name: head.id for name, head in heads.items() if head is not None}
    if pins[revision.dataset] != revision.id:
        head = heads[revision.dataset]
        label = head.label if head else ""
        return Reason(
            Code.OLDER_VERSION,
            f"{revision.dataset} {revision.label} is older than {label}, which is what {plan.name} trains on.",
        )
    named = identity.identity(plan, plan.params, pins)
    return Launch(
        id=identity.launch_id(named, 0),
        plan=plan.name,
        identity=named,
        rerun=0,
        trigger=identity.trigger_key(plan, pins),
        pins=pins,
        params=plan.params,
        spec=plan,
        generation=generation,
        state=LaunchState.WAITING,
        created_at=now,
        updated_at=now,
    )


def already(plan: PlanSpec, revision: Revision, same: Launch | None, same_trigger: Launch | None) -> Reason | None:
    """Why a wanted launch is not made: one of its identity exists, or its dataset does not start this plan.

    A dataset that is not in ``on`` starts a plan only once: when it was the last input missing.
    """
    match = same or (None if revision.dataset in plan.on else same_trigger)
    if match is None:
        return None
    which = f"launch {match.id}" + (f", job {match.job_id}" if match.job_id else "")
    return Reason(
        Code.ALREADY_LAUNCHED,
        f"{plan.name} was launched for this already: {which}, {match.state}.",
        fix="Nothing to do. To train again, upload a new version.",
        facts={"launch": match.id},
    )
