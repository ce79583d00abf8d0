"""Which revision of each input a launch would train on: the newest, or the newest whose captures match."""

from __future__ import annotations

from typing import TYPE_CHECKING

from junbi.core.identity import newest
from junbi.core.model import Reason
from junbi.core.reasons import Code

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from junbi.core.facts import Revision
    from junbi.core.plan import DatasetSpec, PlanSpec

Key = dict[str, str]


def key_of(plan: PlanSpec, revision: Revision) -> Key:
    """What a revision's partners must have in common with it; empty where it has none of the plan's ``join``."""
    return {name: revision.captures[name] for name in plan.join if name in revision.captures}


def choose(
    plan: PlanSpec,
    revision: Revision,
    heads: Mapping[str, Revision | None],
    datasets: Mapping[str, DatasetSpec],
    revisions_of: Callable[[str], list[Revision]],
) -> dict[str, Revision | None]:
    """The revision of each input that a launch for a new revision would train on; None where there is none.

    Args:
        plan: with or without ``join``.
        revision: the new one. One without the captures of ``join`` goes with the newest of the joined inputs.
        heads: the newest of each input.
        datasets: that are watched, by name.
        revisions_of: all revisions of an input; asked only where captures have to match.
    """
    key = key_of(plan, revision) or _newest_key(plan, heads)
    return {name: _match(key, name, heads[name], datasets.get(name), revisions_of) for name in plan.inputs}


def no_match(plan: PlanSpec, revision: Revision, chosen: Mapping[str, Revision | None]) -> Reason | None:
    """Why a plan that joins its inputs does not start: which of them has nothing that matches."""
    missing = [name for name in plan.inputs if chosen[name] is None]
    key = key_of(plan, revision)
    if not key or not missing:
        return None
    wanted = ", ".join(f"{name} {value}" for name, value in key.items())
    return Reason(
        Code.WAITING_FOR_MATCH,
        f"{plan.name} waits for {' and '.join(missing)} of {wanted}, to go with {revision.dataset} {revision.label}.",
        fix=f"Upload {' and '.join(missing)} of {wanted}.",
        wakes="that version",
    )


def _match(
    key: Key,
    name: str,
    head: Revision | None,
    dataset: DatasetSpec | None,
    revisions_of: Callable[[str], list[Revision]],
) -> Revision | None:
    shared = [capture for capture in key if dataset is not None and capture in dataset.watch.captures]
    if not shared or dataset is None:
        return head
    matching = [one for one in revisions_of(name) if all(one.captures.get(it) == key[it] for it in shared)]
    return newest(matching, dataset.newest)


def _newest_key(plan: PlanSpec, heads: Mapping[str, Revision | None]) -> Key:
    keys = (key_of(plan, head) for name in (*plan.on, *plan.inputs) if (head := heads[name]) is not None)
    return next((key for key in keys if key), {})
