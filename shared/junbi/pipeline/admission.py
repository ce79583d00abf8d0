"""The lines before quotas: launches that are ready otherwise stand in them, and are let in as there is room."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING

from junbi.core import admission, demand
from junbi.core.admission import Reservation
from junbi.core.model import Check, Reason, State
from junbi.core.reasons import Code

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from junbi.core.facts import Launch
    from junbi.core.plan import PlanSpec
    from junbi.core.quotas import Snapshot
    from junbi.ledger.ledger import Ledger
    from junbi.pipeline.wiring import Ports

#: While somebody waits the line is gone through so often: what our own started jobs hold twice ends without an event.
AGAIN = timedelta(minutes=1)

#: So many of those who moved up are looked at, so that they say what they wait for now.
_MOVED_UP = 3

#: What the check is called.
TURN = "quota turn"

#: PAI's priority of a job that names none. Source: DLC SDK 1.11.6.
_PRIORITY = 1


def look(ports: Ports, quota: str) -> datetime | None:
    """Let in whoever there is room for, of all who wait for a quota, one that it is nested in, or one nested in it."""
    ledger, region = ports.ledger, ports.scope.region
    with ledger.transaction():
        now = ledger.now()
        quotas = known(ledger, region)
        tree = tree_of(quotas, quota)
        holding = _holding(ledger, region, tree, now)
        waiting = _waiting(ledger, region, tree)
        admitted = admission.admit(quotas, holding, waiting, now).admitted
        for one in admitted:
            ledger.reservations.hold(region, one, now)
            ledger.worklist.ask("launch", one.launch, now)
        for quota_id in {one.quota for one in admitted}:
            for first in ledger.reservations.waiting(region, quota_id)[:_MOVED_UP]:
                ledger.worklist.ask("launch", first.launch, now)
    return now + AGAIN if len(waiting) > len(admitted) else None


def placed(ledger: Ledger, launch: Launch, plan: PlanSpec, now: datetime) -> tuple[PlanSpec, int]:
    """The plan with the fallback that the launch has waited long enough for, and which one that is; 0 for none."""
    own, left = ledger.reservations.of(launch.id), plan.queue.fallback
    if own is None or own.attempt != launch.attempt:
        return plan, 0
    turned = own.choice if launch.attempt > 1 else 0  # a further attempt's plan was left so by the look before
    overdue = [one for one in left if own.asked_at + timedelta(seconds=one.after) <= now]
    choice = own.choice if own.held_at is not None else max(own.choice, turned + len(overdue))
    step = min(choice - turned, len(left))
    if not step:
        return plan, turned
    chosen = left[step - 1]
    changes = {
        "resource": chosen.resource,
        "job": plan.job.model_copy(update={"workers": chosen.workers}),
        "queue": plan.queue.model_copy(update={"fallback": left[step:]}),
    }
    return plan.model_copy(update=changes), turned + step


def line_up(
    ledger: Ledger, region: str, launch: Launch, choice: int, now: datetime
) -> tuple[tuple[Check, ...], datetime | None]:
    """Put a launch that is ready otherwise into the line: whether it may go, and when it turns to its next fallback.

    One that is not ready any more leaves the line, and what it held; one that is only being looked at keeps it. Call
    it inside a transaction.
    """
    plan, own = launch.spec, ledger.reservations.of(launch.id)
    states = {check.state for check in launch.checks} - {State.READY}
    if states - {State.PENDING} or plan.policy.mode == "shadow" or not (plan.resource.quota or choice):
        if own is None:
            return (), None
        ledger.reservations.free(launch.id, now)
        return (), _wait_for_next(ledger, region, launch, replace(own, choice=choice))
    wanted = _wanted(launch, choice, own, now)
    if own is None or _asks(own) != _asks(wanted):
        if states:
            return (), None
        if own is not None and own.quota != wanted.quota:
            ledger.reservations.free(launch.id, now)  # who waits behind it there may go
        ledger.reservations.put(region, wanted)
        own = wanted
    return _standing(ledger, region, own, now, pending=bool(states)), _next_fallback(launch, own)


def _wait_for_next(ledger: Ledger, region: str, launch: Launch, own: Reservation) -> datetime | None:
    """Where a fallback cannot be had, the time until the next goes on, though nothing is asked for meanwhile."""
    lacks = any(check.name == "resource" and not check.ready for check in launch.checks)
    if not own.choice or not lacks or not launch.spec.queue.fallback or own.attempt != launch.attempt:
        return None
    nothing = replace(own, quota="", need={}, held_at=None)
    ledger.reservations.put(region, nothing)
    return _next_fallback(launch, nothing)


def _next_fallback(launch: Launch, own: Reservation) -> datetime | None:
    rest = launch.spec.queue.fallback
    return None if own.held_at is not None or not rest else own.asked_at + timedelta(seconds=rest[0].after)


def known(ledger: Ledger, region: str) -> dict[str, Snapshot]:
    """The quotas that PAI lists, by id, as they were read last."""
    return {one.id: one for one in ledger.quotas.all(region) if one.gone_at is None}


def _wanted(launch: Launch, choice: int, own: Reservation | None, now: datetime) -> Reservation:
    plan = launch.spec
    since = own.asked_at if own is not None and own.attempt == launch.attempt else now
    return Reservation(
        launch=launch.id,
        attempt=launch.attempt,
        choice=choice,
        quota=plan.resource.quota,
        need=demand.demand(plan.job.workers) if plan.resource.quota else {},
        queue=plan.queue.model_copy(update={"fallback": ()}),
        priority=plan.policy.priority or _PRIORITY,
        made_at=launch.created_at,
        asked_at=since,
        held_at=None if plan.resource.quota else now,
    )


def _asks(one: Reservation) -> tuple[object, ...]:
    return (one.attempt, one.choice, one.quota, one.need, one.queue, one.priority)


def _standing(ledger: Ledger, region: str, own: Reservation, now: datetime, *, pending: bool) -> tuple[Check, ...]:
    if not own.quota:
        return (Check(TURN, State.READY),)  # public resources are there for everybody
    if own.held_at is not None and not own.lapsed(now):
        if pending:
            ledger.reservations.hold(region, own, now)  # still at work on it: the lease begins anew
        return (Check(TURN, State.READY),)
    ledger.worklist.ask("quota", own.quota, now)
    return (Check(TURN, State.RETRY, _why_not(ledger, region, own, now)),)


def _why_not(ledger: Ledger, region: str, own: Reservation, now: datetime) -> Reason:
    quotas = known(ledger, region)
    ahead, quota = ledger.reservations.ahead(region, own), quotas.get(own.quota)
    named = quota.full_name if quota else own.quota
    position = {"position": str(ahead + 1)}
    if ahead:
        said = f"{ahead} other{'s' if ahead > 1 else ''} of ours come{'' if ahead > 1 else 's'} before it in the line "
        said += f"for quota {named}."
        return Reason(Code.WAITING_FOR_QUOTA, said, wakes="when it is its turn", facts=position)
    tree = tree_of(quotas, own.quota)
    holding = _holding(ledger, region, tree, now, lapse=False)
    line = [one for one in _waiting(ledger, region, tree) if one.launch != own.launch]
    reason = admission.admit(quotas, holding, [*line, replace(own, held_at=None)], now).reasons.get(own.launch)
    if reason is None:
        said = f"It is first in the line for quota {named}, and is being let in."
        return Reason(Code.WAITING_FOR_QUOTA, said, wakes="the next look, at once", facts=position)
    return replace(reason, facts={**reason.facts, **position})


def _holding(ledger: Ledger, region: str, tree: set[str], now: datetime, *, lapse: bool = True) -> list[Reservation]:
    """What is held in a tree of quotas; what was held for too long without being used goes back into the line."""
    held = [one for each in sorted(tree) for one in ledger.reservations.held(region, each)]
    for one in held if lapse else ():
        if one.lapsed(now):
            ledger.reservations.put(region, replace(one, held_at=None))
    return [one for one in held if not one.lapsed(now)]


def _waiting(ledger: Ledger, region: str, tree: set[str]) -> list[Reservation]:
    return [one for each in tree for one in ledger.reservations.waiting(region, each)]


def tree_of(quotas: Mapping[str, Snapshot], quota: str) -> set[str]:
    """A quota and all that share its root: what is held in one of them may be what another lacks."""
    line = admission.chain(quotas, quota)
    root = line[-1].id if line else quota
    return {each for each in quotas if admission.chain(quotas, each)[-1].id == root} | {quota}
