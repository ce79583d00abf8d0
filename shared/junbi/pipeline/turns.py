"""Reads what policies look at, saves what they do to other launches, and wakes those whose turn it may be."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from junbi.core import lifecycle, limits, turn
from junbi.core.facts import LaunchState
from junbi.core.turn import HOUR, Run, Turn, TurnFacts

if TYPE_CHECKING:
    from junbi.core.facts import Launch
    from junbi.ledger.ledger import Ledger

#: How many of a plan's waiting launches are looked at when a run of it ends: the oldest, and two more in case that it
#: is held by something else. The others look for themselves every few minutes.
_WOKEN = 3

#: How many waiting launches of a plan are looked through for one that comes first.
_BEFORE = 20


def decide(ledger: Ledger, launch: Launch, now: datetime, *, ready: bool) -> Turn:
    """What the policies say. Call it in the transaction that acts on it, so that it is still true then."""
    return turn.decide(_facts(ledger, launch, now, ready=ready))


def _facts(ledger: Ledger, launch: Launch, now: datetime, *, ready: bool) -> TurnFacts:
    policy, policies = launch.spec.policy, ledger.policies
    watches_others = policy.overlap != "allow" or policy.mode == "shadow"
    return TurnFacts(
        launch,
        now,
        ready,
        runs=tuple(_runs(ledger, launch)) if watches_others else (),
        ahead=_ahead(ledger, launch) if policy.overlap in {"queue", "replace"} else None,
        begun=tuple(policies.begun_since(launch, now - HOUR)) if policy.per_hour is not None else (),
        retried=tuple(policies.retried_since(launch, now - HOUR)) if launch.attempt > 1 else (),
        frozen=policies.frozen(launch.plan),
    )


def _runs(ledger: Ledger, launch: Launch) -> list[Run]:
    found = ledger.launches.of_plan(launch.plan, lifecycle.LIVE)
    return [Run(one, begun_at(ledger, one) or one.created_at) for one in found if one.id != launch.id]


def begun_at(ledger: Ledger, launch: Launch) -> datetime | None:
    """When the present attempt of a launch was submitted first; None where an earlier version submitted it."""
    found = (one.begun_at for one in ledger.policies.attempts(launch.id) if one.number == launch.attempt)
    return next(found, None)


def _ahead(ledger: Ledger, launch: Launch) -> Launch | None:
    waiting = ledger.launches.of_plan(launch.plan, {LaunchState.WAITING}, most=_BEFORE)
    before = (one for one in waiting if (one.created_at, one.id) < (launch.created_at, launch.id))
    return next((one for one in before if turn.waits_for_turn(one)), None)


def save_wishes(ledger: Ledger, wishes: tuple[Launch, ...], now: datetime) -> None:
    """Save the wishes that other launches end, and have them carried out."""
    for one in wishes:
        ledger.launches.save(one)
        ledger.worklist.ask("launch", one.id, now)
        if one.stop is not None:
            ledger.tell(f"launch:{one.id}", one.stop.reason.code, one.stop.reason.message, now)


def wake(ledger: Ledger, plan: str, now: datetime) -> None:
    """Look at the launches of a plan that may have waited for a run that is over."""
    for one in ledger.launches.of_plan(plan, {LaunchState.WAITING}, most=_WOKEN):
        due = one.not_before if one.not_before is not None and one.not_before > now else now
        ledger.worklist.ask("launch", one.id, due)


def next_look(ledger: Ledger, launch: Launch, now: datetime) -> datetime | None:
    """When a launch with a job has to be looked at: now for a wish to stop it, else at its next deadline."""
    if launch.stop is not None:
        return now
    coming = (one.at for one in limits.deadlines(launch, begun_at(ledger, launch)) if not limits.is_told(launch, one))
    return next(coming, None)


def ask(ledger: Ledger, launch: Launch, now: datetime) -> None:
    """Have a launch looked at when something of it is due."""
    if launch.state is LaunchState.WAITING:
        ledger.worklist.ask("launch", launch.id, max(launch.not_before or now, now))
    elif launch.state in lifecycle.ACTIVE and (due := next_look(ledger, launch, now)) is not None:
        ledger.worklist.ask("launch", launch.id, due)


#: How long after StopJob a job is looked at again, should it not have ended.
STOP_AGAIN = timedelta(minutes=1)
