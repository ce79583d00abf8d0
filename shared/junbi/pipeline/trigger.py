"""Evaluates the plans that a revision concerns, and writes the launches they want."""

from __future__ import annotations

from typing import TYPE_CHECKING

from junbi.core import launching
from junbi.core.facts import Launch

if TYPE_CHECKING:
    from datetime import datetime

    from junbi.core.facts import Revision
    from junbi.core.model import Reason
    from junbi.core.plan import PlanSpec
    from junbi.pipeline.wiring import Ports


def evaluate(ports: Ports, revision: Revision, now: datetime) -> None:
    """Write a launch for each plan that wants one, or tell why not. Call it inside the revision's transaction."""
    for plan in ports.ledger.generations.plans_naming(revision.dataset):
        outcome = _evaluate_plan(ports, plan, revision, now)
        if isinstance(outcome, Launch):
            _tell_launch(ports, outcome, revision, now)
        else:
            ports.ledger.tell(f"revision:{revision.id}", outcome.code, outcome.message, now)


def _evaluate_plan(ports: Ports, plan: PlanSpec, revision: Revision, now: datetime) -> Launch | Reason:
    ledger = ports.ledger
    scope = ledger.generations.scope()  # as of this transaction, not of the invocation's start
    number = scope.number if scope else 0
    heads = {name: ledger.revisions.head(name) for name in plan.datasets}
    wanted = launching.wanted(plan, revision, heads, number, now)
    if not isinstance(wanted, Launch):
        return wanted
    same, same_trigger = ledger.launches.with_identity(wanted.identity), ledger.launches.with_trigger(wanted.trigger)
    standing = launching.already(plan, revision, same, same_trigger)
    if standing is not None:
        return standing
    ledger.launches.add(wanted)
    ledger.worklist.ask("launch", wanted.id, now)
    return wanted


def _tell_launch(ports: Ports, launch: Launch, revision: Revision, now: datetime) -> None:
    pins = ", ".join(f"{name} {ports.ledger.revisions.get(pin).label}" for name, pin in launch.pins.items())
    ports.ledger.tell(
        f"launch:{launch.id}",
        "LaunchCreated",
        f"{launch.plan} is to be launched, because {revision.dataset} {revision.label} is new; it trains on {pins}.",
        now,
    )
