"""Compiles what a plan says of its policies, and finds what could never hold or never do anything."""

from __future__ import annotations

from typing import TYPE_CHECKING

from junbi.config.findings import listed, suggestion
from junbi.core import policy as core

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from junbi.config.findings import Findings
    from junbi.config.model import Config, Plan
    from junbi.config.policies import Limit, Policy
    from junbi.config.tree import Path
    from junbi.core.plan import DatasetSpec

_PHASES = ("queued", "preparing", "running", "total")


def compile_policy(policy: Policy, config: Config) -> core.Policy:
    """The policies of a plan, with the defaults of the file."""
    window = policy.window
    return core.Policy(
        overlap=policy.overlap,
        spare=policy.spare,
        waiting=policy.waiting,
        retries=core.Retries(
            max=policy.retries.max,
            on=tuple(core.FailureClass(name) for name in policy.retries.on),
            backoff=policy.retries.backoff,
        ),
        limits=core.Limits(**{name: limit for name in _PHASES if (limit := _limit(policy, config, name)) is not None}),
        per_hour=policy.per_hour,
        window=core.Window(start=window.start, end=window.end, days=tuple(window.days), timezone=config.timezone)
        if window
        else None,
        approve=policy.approve,
        mode=policy.mode,
        priority=policy.priority,
        retry_budget=config.defaults.retry_budget,
    )


def _limit(policy: Policy, config: Config, phase: str) -> core.Limit | None:
    found: float | Limit | None = getattr(policy.limits, phase)
    if found is None:
        found = getattr(config.defaults.limits, phase)
    if found is None or isinstance(found, float):
        return None if found is None else core.Limit(after=found)
    return core.Limit(after=found.after, then=found.then)


def check_policy(policy: Policy, config: Config, path: Path, findings: Findings) -> None:
    """Notes policies that could never do what they say."""
    if policy.spare is not None and policy.overlap != "replace":
        message = f"spares runs from being replaced, and with 'overlap: {policy.overlap}' none is"
        findings.error((*path, "policy", "spare"), message, key=True)
    for phase in _PHASES:
        limit = _limit(policy, config, phase)
        if limit is not None and limit.then == "retry" and not policy.retries.max:
            message = f"'limits.{phase}' is to try again, and there are no retries: write retries: {{max: 1}} beside it"
            findings.error((*path, "policy"), message, key=True)


def check_joins(
    plan: Plan, datasets: Mapping[str, DatasetSpec], existing: Collection[str], path: Path, findings: Findings
) -> None:
    """Notes what a plan joins by and what fewer than two of its inputs have: it could never match."""
    watched = [name for name in plan.datasets if name not in existing]
    inputs = [datasets[name] for name in watched if name in datasets]
    if len(inputs) < len(watched):
        return  # told already; the missing one may have it
    known = {capture for one in inputs for capture in one.watch.captures}
    for index, name in enumerate(plan.join):
        having = [one.name for one in inputs if name in one.watch.captures]
        if not having:
            message = f"no input's watch has {{{name}}}{suggestion(name, known)}; they have: {listed(known)}"
            findings.error((*path, "join", index), message)
        elif len(having) == 1:
            message = f"only {having[0]} has {{{name}}} in its watch, so there is nothing for it to agree with"
            findings.error((*path, "join", index), message)
