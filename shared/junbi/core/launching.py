"""Which launch a plan wants, by an arrival or by somebody's word, and what stands in its way."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from junbi.core import identity
from junbi.core.facts import Launch, LaunchState, Revision
from junbi.core.model import Reason
from junbi.core.reasons import Code

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import datetime

    from junbi.core.plan import PlanSpec, Scalar


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
        heads: the revision of each input that a launch would train on, None where an input has none yet.
        generation: the number of the generation the plan is from.
        now: the ledger's time.
    """
    missing = [name for name in plan.inputs if heads[name] is None]
    if missing:
        return _missing(plan, missing)
    pins = {name: head.id for name, head in heads.items() if head is not None}
    if pins[revision.dataset] != revision.id:
        head = heads[revision.dataset]
        label = head.label if head else ""
        return Reason(
            Code.OLDER_VERSION,
            f"{revision.dataset} {revision.label} is older than {label}, which is what {plan.name} trains on.",
        )
    return made(plan, pins, plan.params, generation, now)


def made(
    plan: PlanSpec, pins: Mapping[str, str], params: Mapping[str, Scalar], generation: int, now: datetime
) -> Launch:
    """The first launch of an identity."""
    named = identity.identity(plan, params, pins)
    return Launch(
        id=identity.launch_id(named, 0),
        plan=plan.name,
        identity=named,
        rerun=0,
        trigger=identity.trigger_key(plan, pins),
        pins=pins,
        params=params,
        spec=plan,
        generation=generation,
        state=LaunchState.WAITING,
        created_at=now,
        updated_at=now,
        since=now,
    )


def already(
    plan: PlanSpec,
    revision: Revision,
    same: Launch | None,
    same_trigger: Launch | None,
    new: Launch | None = None,
) -> Reason | None:
    """Why a wanted launch is not made: one of its identity exists, or its dataset does not start this plan.

    A dataset that is not in ``on`` starts a plan only once: when it was the last input missing. ``new`` is the launch
    that is wanted: what differs from the one that exists is told.
    """
    match = same or (None if revision.dataset in plan.on else same_trigger)
    if match is None:
        return None
    return launched_already(match, new)


def launched_already(match: Launch, new: Launch | None = None) -> Reason:
    """The reason that names the launch which exists, and what is different by now."""
    which = f"launch {match.id}" + (f", job {match.job_id}" if match.job_id else "")
    return Reason(
        Code.ALREADY_LAUNCHED,
        f"{match.plan} was launched for this already: {which}, {match.state}.{_differs(match, new)}",
        fix=f"Nothing to do. To train again: junbi rerun {match.id}",
        facts={"launch": match.id},
    )


def _differs(match: Launch, new: Launch | None) -> str:
    if new is None:
        return ""
    inputs = [name for name, pin in new.pins.items() if match.pins.get(name) != pin]
    changed = [f"the version of {name}" for name in inputs]
    if new.spec.model_copy(update={"policy": match.spec.policy}) != match.spec:
        changed.insert(0, "the plan")
    return f" Since then {' and '.join(changed)} changed, which is no new launch." if changed else ""


def not_together(plan: PlanSpec, used: Mapping[str, Launch | None]) -> Reason | None:
    """Why a plan that starts when all its inputs are new does not start yet.

    Args:
        plan: whose ``on`` is meant.
        used: by input in ``on``, the launch that trained on its present revision; None where that is new.
    """
    old = {name: launch for name, launch in used.items() if launch is not None}
    if not plan.together or not old:
        return None
    told = " and ".join(f"{name} (trained on by {launch.id})" for name, launch in old.items())
    return Reason(
        Code.INPUTS_NOT_NEW,
        f"{plan.name} starts once all of {', '.join(plan.on)} are new; still to come: {told}.",
        fix=f"Upload a new version, or start it as it is: junbi launch {plan.name}",
        wakes="their next version",
    )


def superseded(new: Launch, waiting: Iterable[Launch]) -> list[Launch]:
    """The waiting launches whose place a new one takes, with the reason; those that people made keep theirs."""
    if new.spec.policy.waiting != "newest" or new.made_by:
        return []
    reason = Reason(
        Code.SUPERSEDED,
        f"Launch {new.id} is newer and took its place ('waiting: newest').",
        fix=f"To train on this one all the same: junbi rerun {{}}, or 'waiting: every' for {new.plan}.",
        facts={"by": new.id},
    )
    return [_dropped(one, reason, new.created_at) for one in waiting if one.id != new.id and not one.made_by]


def _dropped(launch: Launch, reason: Reason, now: datetime) -> Launch:
    told = Reason(reason.code, reason.message, reason.fix.format(launch.id), facts=reason.facts)
    return launch.to(LaunchState.SUPERSEDED, now, told)


def parameter(declared: Scalar, text: str) -> Scalar:
    """A parameter's value from a command line, of the kind that the plan declares: so 1 stands for 1.0 there.

    ValueError where the text is not of that kind.
    """
    if isinstance(declared, bool):
        if text not in {"true", "false"}:
            raise ValueError(f"Expected true or false, got {text!r}.")
        return text == "true"
    if isinstance(declared, str):
        return text
    kind = "whole number" if isinstance(declared, int) else "finite number"
    mistake = ValueError(f"Expected a {kind}, got {text!r}.")
    try:
        value = type(declared)(text)
    except ValueError:
        raise mistake from None
    if not math.isfinite(value):
        raise mistake
    return value


def _missing(plan: PlanSpec, missing: list[str]) -> Reason:
    names = " and ".join(missing)
    return Reason(
        Code.NO_DATASET_VERSION,
        f"{plan.name} waits for a first version of {names}.",
        fix=f"Upload {names}, each with what closes it; what is code or an image is pushed.",
        wakes="their first version",
    )
