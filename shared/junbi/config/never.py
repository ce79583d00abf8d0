"""Finds what a plan or a dataset declares that could never come to pass: it would be silent for ever."""

from __future__ import annotations

from typing import TYPE_CHECKING

from junbi.config.policy_specs import compile_policy

if TYPE_CHECKING:
    from junbi.config.findings import Findings
    from junbi.config.model import Config
    from junbi.config.policies import Policy
    from junbi.config.tree import Path
    from junbi.core.plan import DatasetSpec

#: Bytes of an object's key. Source: OSS documentation.
_LONGEST_KEY = 1023
_ONE_PHASE = ("queued", "preparing", "running")


def check_keys(spec: DatasetSpec, path: Path, findings: Findings) -> None:
    """Notes a marker or manifest whose key is longer than OSS allows: nobody could upload it."""
    sign = spec.complete.sign or ""
    # A placeholder takes one character at least.
    shortest = len(spec.watch.root.encode()) + 2 * len(spec.watch.captures) + len(sign.encode())
    if shortest > _LONGEST_KEY:
        what = f"and {sign[:20]!r} below it " if sign else ""
        findings.error((*path, "watch"), f"{what}would be a key of more than {_LONGEST_KEY} bytes: no object has one")


def check_retries(policy: Policy, config: Config, path: Path, findings: Findings) -> None:
    """Notes retries that nothing could lead to."""
    retries, at = policy.retries, (*path, "policy", "retries")
    if not retries.max:
        return
    compiled = compile_policy(policy, config)
    phases = (getattr(compiled.limits, phase) for phase in (*_ONE_PHASE, "total"))
    stopped_for_it = any(limit is not None and limit.then == "retry" for limit in phases)
    if not retries.on and not stopped_for_it:
        message = "names no failure, and no limit says 'then: retry', so nothing is ever tried again"
        findings.error((*at, "on"), message, key=True)
    if not config.defaults.retry_budget:
        findings.error(at, "could never be used: defaults.retry_budget is 0", key=True)


def check_limits(policy: Policy, config: Config, path: Path, findings: Findings) -> None:
    """Notes a plan's limit of one phase that its limit of all of them always comes before."""
    compiled = compile_policy(policy, config).limits
    total = compiled.total
    if total is None or total.then == "notify":
        return
    for phase in _ONE_PHASE:
        limit = getattr(compiled, phase)
        if getattr(policy.limits, phase) is not None and limit.after > total.after:
            message = f"could never be reached: 'total' ends the job after {total.after:g} s"
            findings.error((*path, "policy", "limits", phase), message, key=True)
