"""What changed between two readings of PAI's quotas. Pure."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from junbi.core.amounts import amount

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import datetime

#: What somebody declared of a quota: a change of these is a change of the quota. Left out on purpose: the dates, the id
#: and the message of the last operation, which change while the quota does not.
DECLARED = (
    "QuotaName",
    "Status",
    "ReasonCode",
    "ResourceType",
    "ParentQuotaId",
    "SubQuotas",
    "Min",
    "GPUType",
    "Labels",
    "Workspaces",
    "ResourceGroupIds",
    "HyperZones",
    "QueueStrategy",
    "AllocateStrategy",
    "QuotaConfig",
    "QuotaCluster",
    "Description",
)

#: PAI's name for what a resource is declared as.
KIND_OF = {"general": "ECS", "lingjun": "Lingjun"}

#: The resources of a quota whose amounts are numbers.
RESOURCES = ("CPU", "Memory", "GPU")

_SHOWN = 120  #: characters of a member that a message shows


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A quota as it was read last.

    Attributes:
        kind: under which it is listed: ``ECS``, ``Lingjun`` or ``ACS``.
        declared: the members ``DECLARED`` that say something, by their names, their lists in one order.
        details: ``QuotaDetails`` as PAI tells them: how much there is, and how much is used.
        read_at: when it was read last.
        changed_at: when a declared member was seen changed last, or the quota was seen first.
        gone_at: since when it is in no list any more; None where it is.
    """

    id: str
    kind: str
    declared: Mapping[str, Any]
    details: Mapping[str, Any]
    read_at: datetime
    changed_at: datetime
    gone_at: datetime | None = None

    @property
    def name(self) -> str:
        """What people call it."""
        return str(self.declared.get("QuotaName") or self.id)

    @property
    def full_name(self) -> str:
        """What people call it, and its id."""
        return f"{self.name} ({self.id})"


@dataclass(frozen=True, slots=True)
class Change:
    """Something that is different since the reading before.

    Attributes:
        code: ``QuotaFound``, ``QuotaChanged``, ``QuotaGone`` or ``FreeGrew``.
        message: one sentence for a person.
        members: of ``QuotaChanged``, the declared members that differ; of ``FreeGrew``, the resources.
    """

    quota: str
    code: str
    message: str
    members: tuple[str, ...] = ()


#: Changes that are told in the story, and after which all checks of a launch may come out otherwise. More of something
#: free comes with each job that ends, and matters to those who stand in the line for it.
DECISIVE = frozenset({"QuotaFound", "QuotaChanged", "QuotaGone"})


def snapshot(document: Mapping[str, Any], kind: str, now: datetime) -> Snapshot:
    """A quota as ListQuotas tells it with its details, read now."""
    said = {name: _in_order(document.get(name)) for name in DECLARED}
    declared = {name: value for name, value in said.items() if value not in _NOTHING}
    details = document.get("QuotaDetails") or {}
    return Snapshot(str(document["QuotaId"]), kind, declared, details, read_at=now, changed_at=now)


def compare(before: Iterable[Snapshot], after: Iterable[Snapshot]) -> list[Change]:
    """What happened to the quotas of a kind between two whole readings of it, by the quotas' ids."""
    known, read = {one.id: one for one in before}, {one.id: one for one in after}
    changes: list[Change] = []
    for key in sorted(known.keys() | read.keys()):
        changes += _changes(known.get(key), read.get(key))
    return changes


def follow(before: Snapshot | None, after: Snapshot) -> Snapshot:
    """What is kept of a reading: the time of the last change goes on where nothing declared changed."""
    if before is None or before.gone_at is not None or before.declared != after.declared:
        return after
    return replace(after, changed_at=before.changed_at)


def gone(before: Snapshot, now: datetime) -> Snapshot:
    """What is kept of a quota that a whole reading does not show: what it was, and since when it is gone."""
    return before if before.gone_at is not None else replace(before, gone_at=now)


def free(details: Mapping[str, Any], resource: str) -> Any:
    """How much of a resource is neither allocated nor reserved; None where the details do not tell it."""
    has, used = _of(details, "AllocatableQuota", resource), _of(details, "AllocatedQuota", resource)
    return None if has is None or used is None else has - used


def _changes(before: Snapshot | None, after: Snapshot | None) -> list[Change]:
    if after is None:
        if before is None or before.gone_at is not None:
            return []
        told = f"Quota {before.name} ({before.id}, {before.kind}) is not listed any more."
        return [Change(before.id, "QuotaGone", told)]
    if before is None or before.gone_at is not None:
        again = "is there again" if before else "is there"
        return [Change(after.id, "QuotaFound", f"Quota {after.name} ({after.id}, {after.kind}) {again}.")]
    return [*_declared(before, after), *_freed(before, after)]


def _declared(before: Snapshot, after: Snapshot) -> list[Change]:
    members = tuple(name for name in DECLARED if before.declared.get(name) != after.declared.get(name))
    if not members:
        return []
    said = "; ".join(
        f"{name} was {_shown(before.declared.get(name))} and is {_shown(after.declared.get(name))}" for name in members
    )
    return [Change(after.id, "QuotaChanged", f"Quota {after.full_name}: {said}.", members)]


def _freed(before: Snapshot, after: Snapshot) -> list[Change]:
    then_and_now = {name: (free(before.details, name), free(after.details, name)) for name in RESOURCES}
    grew = {name: (then, now) for name, (then, now) in then_and_now.items() if None not in {then, now} and now > then}
    if not grew:
        return []
    said = ", ".join(f"{then:f} to {now:f} {name}" for name, (then, now) in grew.items())
    return [Change(after.id, "FreeGrew", f"Free in quota {after.full_name} grew from {said}.", tuple(grew))]


def _of(details: Mapping[str, Any], member: str, resource: str) -> Any:
    held = details.get(member)
    return amount(held.get(resource)) if isinstance(held, dict) else None


_NOTHING: tuple[Any, ...] = (None, "", [], {})


def _in_order(value: Any) -> Any:
    """A document whose lists say nothing by their order, as none here do, and without members that say nothing."""
    if isinstance(value, dict):
        said = {name: _in_order(inner) for name, inner in value.items()}
        return {name: inner for name, inner in sorted(said.items()) if inner not in _NOTHING}
    if isinstance(value, list):
        return sorted((_in_order(inner) for inner in value), key=_text)
    return value


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True)


def _shown(value: Any) -> str:
    if value is None:
        return "nothing"
    text = value if isinstance(value, str) else _text(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
