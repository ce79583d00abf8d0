"""What applying a generation would change: added, removed and changed things, with the fields that differ."""

from __future__ import annotations

import json
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

    from junbi.core.plan import Generation


class ChangeKind(StrEnum):
    """What happens to a thing."""

    ADDED = "added"
    REMOVED = "removed"
    CHANGED = "changed"


@dataclass(frozen=True, slots=True)
class FieldChange:
    """One field, by its dotted name such as ``params.C``: its JSON before and after, None where it was or is absent."""

    name: str
    before: str | None
    after: str | None

    def __str__(self) -> str:
        """``params.C: 1.0 -> 2.0``, as ``junbi diff`` prints it."""
        if self.before is None:
            return f"{self.name}: {self.after}"
        return f"{self.name}: {self.before} -> {'(absent)' if self.after is None else self.after}"


@dataclass(frozen=True, slots=True)
class Change:
    """One thing that differs.

    Attributes:
        what: ``deployment`` (its name, environment, region and workspace), ``dataset`` or ``plan``.
        fields: those that differ; all of an added thing, with no ``before``; all of a removed one, with no ``after``.
    """

    kind: ChangeKind
    what: str
    name: str
    fields: tuple[FieldChange, ...] = ()

    def __str__(self) -> str:
        """``~ plan train-digits`` and, where it changed, one indented line for each field."""
        sign = {ChangeKind.ADDED: "+", ChangeKind.REMOVED: "-", ChangeKind.CHANGED: "~"}[self.kind]
        shown = self.fields if self.kind is ChangeKind.CHANGED else ()
        return "\n".join([f"{sign} {self.what} {self.name}", *(f"    {field}" for field in shown)])


def compare(old: Generation | None, new: Generation) -> tuple[Change, ...]:
    """Every difference, the deployment first, then datasets, then plans, each by name; empty where there is none."""
    before, after = _things(old), _things(new)
    things = sorted(after.keys() | before.keys(), key=_rank)
    changes = (_change(thing, before.get(thing), after.get(thing)) for thing in things)
    return tuple(change for change in changes if change is not None)


_Thing = tuple[str, str]


def _things(generation: Generation | None) -> dict[_Thing, dict[str, str]]:
    if generation is None:
        return {}
    document = generation.model_dump(mode="json")
    datasets, plans = document.pop("datasets") | document.pop("existing"), document.pop("plans")
    things = {("deployment", generation.deployment): document}
    things |= {("dataset", name): _nameless(dataset) for name, dataset in datasets.items()}
    things |= {("plan", name): _nameless(plan) for name, plan in plans.items()}
    return {thing: dict(_flat("", fields)) for thing, fields in things.items()}


def _rank(thing: _Thing) -> tuple[int, str]:
    what, name = thing
    return ("deployment", "dataset", "plan").index(what), name


def _change(thing: _Thing, before: dict[str, str] | None, after: dict[str, str] | None) -> Change | None:
    kind = ChangeKind.ADDED if before is None else ChangeKind.REMOVED if after is None else ChangeKind.CHANGED
    old, new = before or {}, after or {}
    fields = [FieldChange(name, old.get(name), new.get(name)) for name in dict.fromkeys((*old, *new))]
    changed = tuple(field for field in fields if field.before != field.after)
    return Change(kind, *thing, changed) if changed else None


def _flat(prefix: str, value: Any) -> Iterator[tuple[str, str]]:
    """A nested value as dotted names and JSON. A list of named things is taken as a mapping by name."""
    if isinstance(value, list) and value and all(isinstance(item, dict) and "name" in item for item in value):
        value = {item["name"]: _nameless(item) for item in value}
    if isinstance(value, dict) and value:
        for key, item in value.items():
            yield from _flat(f"{prefix}.{key}" if prefix else str(key), item)
    elif value not in (None, {}, []):
        yield prefix, json.dumps(value, ensure_ascii=False)


def _nameless(thing: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in thing.items() if key != "name"}
