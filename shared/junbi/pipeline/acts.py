"""What people do: written into the ledger with their names, carried out by ``reconcile``. Nothing here calls PAI."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from junbi.core import acts, identity, launching
from junbi.core.facts import Launch, LaunchState
from junbi.core.reasons import Code
from junbi.errors import JunbiError
from junbi.pipeline import trigger, turns

if TYPE_CHECKING:
    from collections.abc import Mapping

    from junbi.core.acts import Meanwhile
    from junbi.core.facts import Freeze, Revision
    from junbi.core.model import Reason
    from junbi.core.plan import PlanSpec, Scalar
    from junbi.ledger.ledger import Ledger

#: How many waiting launches of a plan a thaw looks at.
_HELD = 10_000


class Unknown(JunbiError):
    """Something that a person named is not there."""


def rerun(ledger: Ledger, launch_id: str, by: str) -> Launch | Reason:
    """Run a launch's versions and parameters again, with the plan as it is now."""
    with ledger.transaction():
        now, launch = ledger.now(), _launch(ledger, launch_id)
        plan = _plan(ledger, launch.plan)
        latest = ledger.launches.with_identity(launch.identity) or launch
        again = acts.rerun(latest, plan, _generation(ledger), by, now)
        if isinstance(again, Launch):
            trigger.add(ledger, again, f"{by} asked for run {again.rerun + 1} of what {launch.id} trained on", now)
        return again


def start(
    ledger: Ledger,
    plan_name: str,
    by: str,
    *,
    labels: Mapping[str, str],
    params: Mapping[str, str],
    dry_run: bool = False,
) -> Launch | Reason:
    """Launch a plan by somebody's word: with the newest version of each input but for the ``labels`` given.

    ``dry_run`` writes nothing. Unknown where a label, a parameter or an input does not exist, or a value does not fit.
    """
    with ledger.transaction():
        now, plan = ledger.now(), _plan(ledger, plan_name)
        chosen = {name: _version(ledger, plan, name, labels.get(name)) for name in plan.inputs}
        for name in {*labels} - {*plan.inputs}:
            raise Unknown(f"{plan.name} has no input {name!r}; it has {', '.join(plan.inputs)}.")
        pins = {name: one.id for name, one in chosen.items()}
        made = launching.made(plan, pins, {**plan.params, **_params(plan, params)}, _generation(ledger), now)
        wanted = replace(made, made_by=by)
        same = ledger.launches.with_identity(wanted.identity)
        if same is not None:
            return launching.launched_already(same, wanted)
        if not dry_run:
            trigger.add(ledger, wanted, f"{by} asked for it", now)
        return wanted


def cancel(ledger: Ledger, launch_id: str, by: str) -> Launch | Reason:
    """Take a launch back; one that has a job is stopped by ``reconcile``."""
    with ledger.transaction():
        now, launch = ledger.now(), _launch(ledger, launch_id)
        after = acts.cancel(launch, by, now)
        if isinstance(after, Launch):
            ledger.launches.save(after)
            if after.state is LaunchState.CANCELLED:
                ledger.tell(f"launch:{launch.id}", "LaunchCancelled", f"{by} cancelled it.", now)
                turns.wake(ledger, launch.plan, now)
            else:
                said = f"{by} cancelled it; its job is being stopped."
                ledger.tell(f"launch:{launch.id}", Code.CANCELLED, said, now)
                ledger.worklist.ask("launch", launch.id, now)
        return after


def approve(ledger: Ledger, launch_id: str, by: str) -> Launch | Reason:
    """Let a launch start whose plan asks for approval."""
    with ledger.transaction():
        now, launch = ledger.now(), _launch(ledger, launch_id)
        after = acts.approve(launch, by, now)
        if isinstance(after, Launch):
            ledger.launches.save(after)
            ledger.tell(f"launch:{launch.id}", "LaunchApproved", f"{by} approved it.", now)
            ledger.worklist.ask("launch", launch.id, now)
        return after


def freeze(ledger: Ledger, plan_name: str, by: str) -> bool:
    """Let a plan, or all for the empty name, launch nothing for now; False where that was so already."""
    with ledger.transaction():
        now = ledger.now()
        if plan_name:
            _plan(ledger, plan_name)
        frozen = ledger.policies.freeze(plan_name, by, now)
        if frozen:
            ledger.tell(_subject(plan_name), Code.FROZEN, f"{by} froze {plan_name or 'all plans'}.", now)
        return frozen


def thaw(ledger: Ledger, plan_name: str, by: str, meanwhile: Meanwhile | None = None) -> dict[str, int] | None:
    """End a freeze; how many of the launches that it held go on and how many are let go by. None: it was not frozen.

    ``meanwhile`` says what becomes of them; without it each plan's own ``waiting`` does.
    """
    with ledger.transaction():
        now = ledger.now()
        found = next((one for one in ledger.policies.freezes() if one.plan == plan_name), None)
        if found is None:
            return None
        ledger.policies.thaw(plan_name)
        told = {"go_on": 0, "let_go": 0}
        for plan in _concerned(ledger, plan_name):
            _thaw_plan(ledger, plan, found, meanwhile, told)
        said = f"{by} thawed {plan_name or 'all plans'}: {told['go_on']} go on, {told['let_go']} are let go by."
        ledger.tell(_subject(plan_name), "LaunchThawed", said, now)
        return told


def _concerned(ledger: Ledger, plan_name: str) -> list[PlanSpec]:
    """The plans that no other freeze holds still."""
    generation = ledger.generations.latest()
    plans = generation.plans if generation else {}
    names = [plan_name] if plan_name else list(plans)
    return [plans[name] for name in names if name in plans and ledger.policies.frozen(name) is None]


def _thaw_plan(
    ledger: Ledger, plan: PlanSpec, freeze: Freeze, meanwhile: Meanwhile | None, told: dict[str, int]
) -> None:
    now = ledger.now()
    held = ledger.launches.of_plan(plan.name, {LaunchState.WAITING}, most=_HELD)
    gone = acts.thaw(freeze, held, meanwhile or plan.policy.waiting, now)
    for one in gone:
        ledger.launches.save(one)
        if one.reason is not None:
            ledger.tell(f"launch:{one.id}", one.reason.code, one.reason.message, now)
    for one in held:
        ledger.worklist.ask("launch", one.id, now)
    told["go_on"] += len(held) - len(gone)
    told["let_go"] += len(gone)


def _subject(plan_name: str) -> str:
    return f"plan:{plan_name}" if plan_name else "plans"


def _launch(ledger: Ledger, launch_id: str) -> Launch:
    found = ledger.launches.get(launch_id)
    if found is None:
        raise Unknown(f"There is no launch {launch_id}. 'junbi launches' lists them.")
    return found


def _plan(ledger: Ledger, name: str) -> PlanSpec:
    found = ledger.generations.plan(name)
    if found is None:
        raise Unknown(f"There is no plan {name!r} in force. Declare it in junbi.yaml and run 'junbi apply'.")
    return found


def _generation(ledger: Ledger) -> int:
    scope = ledger.generations.scope()
    return scope.number if scope else 0


def _params(plan: PlanSpec, given: Mapping[str, str]) -> dict[str, Scalar]:
    for name in {*given} - {*plan.params}:
        raise Unknown(f"{plan.name} has no parameter {name!r}; it has {', '.join(plan.params) or 'none'}.")
    return {name: _param(name, plan.params[name], text) for name, text in given.items()}


def _param(name: str, declared: Scalar, text: str) -> Scalar:
    try:
        return launching.parameter(declared, text)
    except ValueError as mistake:
        raise Unknown(f"{name}: {mistake} Nothing was launched.") from None


def _version(ledger: Ledger, plan: PlanSpec, name: str, label: str | None) -> Revision:
    if label is None:
        head = ledger.revisions.head(name)
        if head is None:
            raise Unknown(f"{name}, an input of {plan.name}, has no version yet. Nothing was launched.")
        return head
    found = [one for one in ledger.revisions.of(name) if one.label == label]
    newest = identity.newest(found, "time")
    if newest is None:
        raise Unknown(f"{name} has no version {label!r}. 'junbi inputs' lists them. Nothing was launched.")
    return newest
