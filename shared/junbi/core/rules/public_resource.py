"""A plan on public resources names an instance type that the region has."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

from junbi.core.model import Check, Reason, State
from junbi.core.reasons import Code

if TYPE_CHECKING:
    from junbi.core.plan import Resource


def check(resource: Resource, instance_types: frozenset[str] | None) -> Check:
    """Blocked where the region lists no such type; Unknown where we may not list them."""
    if instance_types is None:
        reason = Reason(
            Code.PUBLIC_RESOURCE_UNKNOWN,
            "We may not list the instance types of DLC.",
            fix="Grant paidlc:ListEcsSpecs to the role of the function 'reconcile'.",
        )
        return Check("resource", State.UNKNOWN, reason)
    if resource.public in instance_types:
        return Check("resource", State.READY)
    near = difflib.get_close_matches(resource.public, sorted(instance_types), n=3)
    reason = Reason(
        Code.PUBLIC_RESOURCE_UNKNOWN,
        f"DLC has no public instance type {resource.public} in this region.",
        fix=f"Correct resources.{resource.name}.public" + (f", perhaps to {' or '.join(near)}." if near else "."),
        wakes="the next apply, or a look every few minutes",
    )
    return Check("resource", State.BLOCKED, reason)
