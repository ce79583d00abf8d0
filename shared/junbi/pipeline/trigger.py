"""Evaluates the plans that a revision concerns, at once or once they settled, and writes the launches they want."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from junbi import log
from junbi.core import joining, launching
from junbi.core.facts import Launch, LaunchState
from junbi.core.plan import PlanSpec
from junbi.core.reasons import Code
from junbi.errors import LedgerError

if TYPE_CHECKING:
    from datetime import datetime

    from junbi.core.facts import Revision
    from junbi.core.model import Reason
    from junbi.ledger.ledger import Ledger
    from junbi.pipeline.wiring import Ports


_log = log.logger("reconcile")

#: When a plan whose evaluation failed is evaluated once more; then as every look that fails.
PUT_OFF = timedelta(seconds=5)


def evaluate(ports: Ports, revision: Revision, now: datetime) -> None:
    """Write a launch for each plan that wants one, or tell why not. Call it inside the revision's transaction.

    A plan that cannot be evaluated keeps no other from it: it is put off, and looked at by itself.
    """
    for name, stored in ports.ledger.generations.plans_naming(revision.dataset).items():
        try:
            plan = PlanSpec.model_validate_json(stored)
            outcome = _decide(ports.ledger, plan, revision, now) if plan.settle is None else None
        except LedgerError:
            raise
        except Exception as fault:  # noqa: BLE001 - whatever is wrong with one plan must not stop the others
            _put_off(ports.ledger, name, revision, fault, now)
            continue
        if outcome is None:
            _settle(ports.ledger, plan, plan.settle or 0.0, revision, now)
        else:
            _carry_out(ports.ledger, outcome, revision, now)


def _put_off(ledger: Ledger, name: str, revision: Revision, fault: Exception, now: datetime) -> None:
    ledger.policies.settle(name, revision.id, now)
    ledger.worklist.ask("plan", name, now + PUT_OFF)
    told = (str(fault).splitlines() or [""])[0]  # of what is wrong with a plan the rest shows its content
    _log.error("a plan could not be evaluated", plan=name, revision=revision.id, error=type(fault).__name__, said=told)
    said = (
        f"{name} could not be evaluated for {revision.dataset} {revision.label} ({type(fault).__name__}: {told}). "
        "Other plans were; this one is tried again, as it is declared by then."
    )
    ledger.tell(f"revision:{revision.id}", Code.EVALUATION_FAILED, said, now)


def look(ports: Ports, name: str) -> datetime | None:
    """Evaluate a plan for what came while it settled, once its deadline has passed; when to look again."""
    ledger, now = ports.ledger, ports.ledger.now()
    with ledger.transaction():
        began = ledger.policies.settling_since(name)
        plan = ledger.generations.plan(name)
        if began is None:
            return None
        ends = began + timedelta(seconds=(plan.settle or 0.0) if plan else 0.0)
        if now < ends:
            return ends  # what came after an earlier deadline has one of its own
        for revision_id in ledger.policies.take_settled(name):
            _settled(ledger, name, plan, ledger.revisions.get(revision_id), now)
    return None


def _settled(ledger: Ledger, name: str, plan: PlanSpec | None, revision: Revision, now: datetime) -> None:
    if plan is None or revision.dataset not in plan.inputs:
        said = f"Plan {name}, which {revision.dataset} {revision.label} was to start, no longer trains on it."
        ledger.tell(f"revision:{revision.id}", Code.PLAN_CHANGED if plan else Code.PLAN_REMOVED, said, now)
    else:
        _carry_out(ledger, _decide(ledger, plan, revision, now), revision, now)


def _settle(ledger: Ledger, plan: PlanSpec, seconds: float, revision: Revision, now: datetime) -> None:
    ledger.policies.settle(plan.name, revision.id, now)
    ends = (ledger.policies.settling_since(plan.name) or now) + timedelta(seconds=seconds)
    ledger.worklist.ask("plan", plan.name, ends)
    said = (
        f"{plan.name} waits until {ends:%Y-%m-%d %H:%M:%S} UTC for what else arrives ('settle'); "
        f"{revision.dataset} {revision.label} is then trained on."
    )
    ledger.tell(f"revision:{revision.id}", Code.SETTLING, said, now)


def _carry_out(ledger: Ledger, outcome: Launch | Reason, revision: Revision, now: datetime) -> None:
    if isinstance(outcome, Launch):
        add(ledger, outcome, f"{revision.dataset} {revision.label} is new", now)
    else:
        ledger.tell(f"revision:{revision.id}", outcome.code, outcome.message, now)


def _decide(ledger: Ledger, plan: PlanSpec, revision: Revision, now: datetime) -> Launch | Reason:
    scope = ledger.generations.scope()  # as of this transaction, not of the invocation's start
    chosen = _choose(ledger, plan, revision)
    if (unmatched := joining.no_match(plan, revision, chosen)) is not None:
        return unmatched
    wanted = launching.wanted(plan, revision, chosen, scope.number if scope else 0, now)
    if not isinstance(wanted, Launch):
        return wanted
    same, same_trigger = ledger.launches.with_identity(wanted.identity), ledger.launches.with_trigger(wanted.trigger)
    standing = launching.already(plan, revision, same, same_trigger, wanted)
    if standing is not None or not plan.together:
        return standing or wanted
    used = {name: ledger.launches.with_input(plan.name, name, wanted.pins[name]) for name in plan.on}
    return launching.not_together(plan, used) or wanted


def _choose(ledger: Ledger, plan: PlanSpec, revision: Revision) -> dict[str, Revision | None]:
    heads = {name: ledger.revisions.head(name) for name in plan.inputs}
    started_by = ledger.generations.watched(revision.dataset)
    if started_by and started_by.dataset.backfill == "launch" and revision.dataset in plan.on:
        heads[revision.dataset] = revision
    if not plan.join:
        return heads
    watched = {name: ledger.generations.watched(name) for name in plan.inputs}
    datasets = {name: one.dataset for name, one in watched.items() if one is not None}
    return joining.choose(plan, revision, heads, datasets, ledger.revisions.of)


def add(ledger: Ledger, launch: Launch, why: str, now: datetime) -> None:
    """Write a launch that is wanted, and end those whose place it takes. Call it inside a transaction."""
    ledger.launches.add(launch)
    ledger.worklist.ask("launch", launch.id, now)
    pins = ", ".join(f"{name} {ledger.revisions.get(pin).label}" for name, pin in launch.pins.items())
    said = f"{launch.plan} is to be launched, because {why}; it trains on {pins}."
    ledger.tell(f"launch:{launch.id}", "LaunchCreated", said, now)
    if launch.spec.policy.waiting == "newest" and _is_newest(ledger, launch):
        standing = ledger.launches.of_plan(launch.plan, {LaunchState.WAITING, LaunchState.REFUSED})
        for one in launching.superseded(launch, standing):
            ledger.launches.save(one)
            ledger.tell(f"launch:{one.id}", Code.SUPERSEDED, one.reason.message if one.reason else "", now)


def _is_newest(ledger: Ledger, launch: Launch) -> bool:
    """Whether nothing newer could start the plan: a late version that starts it all the same takes nobody's place."""
    heads = {name: ledger.revisions.head(name) for name in launch.spec.on}
    return all(head is not None and head.id == launch.pins[name] for name, head in heads.items())
