"""What a person may do to a launch, and what becomes of it: run again, cancel, approve. Others save it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from junbi.core import identity, lifecycle
from junbi.core.facts import Launch, LaunchState, Stop
from junbi.core.model import Reason
from junbi.core.reasons import Code

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from junbi.core.facts import Freeze
    from junbi.core.plan import PlanSpec

#: What may become of the launches that a freeze held back.
Meanwhile = Literal["every", "newest", "skip"]

#: Without a job, so that taking it back is all there is to do.
_WITHOUT_JOB = frozenset({LaunchState.WAITING, LaunchState.REFUSED})


def rerun(latest: Launch, plan: PlanSpec, generation: int, by: str, now: datetime) -> Launch | Reason:
    """The next launch of an identity: the same revisions and parameters, the plan as it is now.

    Args:
        latest: the last launch of the identity. While it is under way there is nothing to run again.
        plan: the plan in force.
        generation: its number.
        by: who wants it.
        now: the ledger's time.
    """
    if latest.state not in lifecycle.FINAL:
        return Reason(
            Code.STILL_UNDER_WAY,
            f"Launch {latest.id} of the same versions and parameters is {latest.state}.",
            fix=f"Wait for its end, or take it back: junbi cancel {latest.id}",
            facts={"launch": latest.id},
        )
    again = latest.rerun + 1
    return Launch(
        id=identity.launch_id(latest.identity, again),
        plan=latest.plan,
        identity=latest.identity,
        rerun=again,
        trigger=latest.trigger,
        pins=latest.pins,
        params=latest.params,
        spec=plan,
        generation=generation,
        state=LaunchState.WAITING,
        created_at=now,
        updated_at=now,
        made_by=by,
        since=now,
    )


def cancel(launch: Launch, by: str, now: datetime) -> Launch | Reason:
    """The launch taken back, or, where it has or may have a job, with the wish that the job ends.

    A job that may have been created is found out about first; only one that exists can be stopped.
    """
    if launch.state in lifecycle.FINAL:
        return Reason(
            Code.HAS_ENDED, f"Launch {launch.id} is {launch.state}: there is nothing to cancel.", facts={"by": by}
        )
    reason = Reason(Code.CANCELLED, f"{by} cancelled it.", fix=_run_all_the_same(launch), facts={"by": by})
    if launch.state in _WITHOUT_JOB:
        return launch.to(LaunchState.CANCELLED, now, reason)
    if launch.stop is not None and not launch.stop.retry:
        return Reason(
            Code.STILL_UNDER_WAY, f"Launch {launch.id} is being stopped already: {launch.stop.reason.message}"
        )
    return replace(launch, stop=Stop(reason, now, by), updated_at=now)


def approve(launch: Launch, by: str, now: datetime) -> Launch | Reason:
    """The launch with somebody's approval."""
    if launch.state in lifecycle.FINAL:
        return Reason(Code.HAS_ENDED, f"Launch {launch.id} is {launch.state}: there is nothing to approve.")
    if launch.approved_by:
        return Reason(Code.STILL_UNDER_WAY, f"{launch.approved_by} approved launch {launch.id} already.")
    return replace(launch, approved_by=by, updated_at=now)


def thaw(freeze: Freeze, held: Sequence[Launch], meanwhile: Meanwhile, now: datetime) -> list[Launch]:
    """What becomes of a plan's waiting launches when a freeze ends: those that change, changed.

    Only what arrivals made while it was frozen is concerned: what waited before, and what people asked for, goes on.

    Args:
        freeze: that ends.
        held: the plan's waiting launches, oldest first.
        meanwhile: ``every`` goes on, only the ``newest`` does, or all are let go by (``skip``).
        now: the ledger's time.
    """
    came = [one for one in held if not one.made_by and one.attempt == 1 and one.created_at >= freeze.frozen_at]
    if meanwhile == "skip":
        said = f"It came while {freeze.frozen_by}'s freeze was in force, and was let go by when that ended."
        return [one.to(LaunchState.SKIPPED, now, Reason(Code.FROZEN, said, _run_all_the_same(one))) for one in came]
    if meanwhile == "newest" and came:
        said = f"Launch {came[-1].id} is newer; of what came during a freeze only the newest goes on."
        by = {"by": came[-1].id}
        return [
            one.to(LaunchState.SUPERSEDED, now, Reason(Code.SUPERSEDED, said, _run_all_the_same(one), facts=by))
            for one in came[:-1]
        ]
    return []


def _run_all_the_same(launch: Launch) -> str:
    return f"To run it all the same: junbi rerun {launch.id}"
