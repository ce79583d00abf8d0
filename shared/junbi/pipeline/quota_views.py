"""What people and programs are shown of PAI's quotas as they were read last, ready for JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from junbi.core.demand import written
from junbi.core.quotas import RESOURCES, free
from junbi.pipeline.views import time

if TYPE_CHECKING:
    from collections.abc import Mapping

    from junbi.core.admission import Reservation
    from junbi.core.quotas import Snapshot
    from junbi.ledger.ledger import Ledger
    from junbi.ledger.quotas import Reading
    from junbi.pipeline.views import View


def quotas(ledger: Ledger) -> View:
    """The quotas of the region in force, those that are gone too; and when each kind was read, or why not."""
    scope = ledger.generations.scope()
    region = scope.region if scope else ""
    return {
        "region": region or None,
        "quotas": [_quota(one) | {"line": line(ledger, region, one.id)} for one in ledger.quotas.all(region)],
        "readings": [_reading(one) for one in ledger.quotas.readings(region).values()],
    }


def _quota(one: Snapshot) -> View:
    said = one.declared
    return {
        "id": one.id,
        "name": one.name,
        "kind": one.kind,
        "status": "gone" if one.gone_at else said.get("Status"),
        "parent": said.get("ParentQuotaId"),
        "workspaces": [each.get("WorkspaceId") for each in said.get("Workspaces", ())],
        "resources": {name: amounts for name in RESOURCES if (amounts := _amounts(one.details, name))},
        "declared": dict(said),
        "read_at": time(one.read_at),
        "changed_at": time(one.changed_at),
        "gone_at": time(one.gone_at),
    }


def line(ledger: Ledger, region: str, quota: str) -> View:
    """The launches let into a quota, and the first of those that wait for it, in their order; and how many of each."""
    held, waiting = ledger.reservations.held(region, quota), ledger.reservations.waiting(region, quota)
    counts = {"in": len(held), "waiting": ledger.reservations.in_line(region, quota)}
    return {"in": [_place(one) for one in held], "waiting": [_place(one) for one in waiting], "counts": counts}


def _place(one: Reservation) -> View:
    return {"launch": one.launch, "needs": written(one.need), "priority": one.priority, "asked_at": time(one.asked_at)}


def _amounts(details: Mapping[str, Any], resource: str) -> View:
    """How much is used and how much there is, as PAI writes it; empty where the details tell neither.

    ``free`` is what lies between, a number without a unit (of memory bytes), where both are told.
    """
    used, has = (_told(details, member, resource) for member in ("AllocatedQuota", "AllocatableQuota"))
    if used is has is None:
        return {}
    between = free(details, resource)
    return {"used": used, "allocatable": has, "free": None if between is None else f"{between:f}"}


def _told(details: Mapping[str, Any], member: str, resource: str) -> Any:
    amounts = details.get(member)
    return amounts.get(resource) if isinstance(amounts, dict) else None


def _reading(one: Reading) -> View:
    return {"kind": one.kind, "read_at": time(one.read_at), "problem": one.problem or None}
