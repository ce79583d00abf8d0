"""What must be reached once faults have stopped and time has passed, judged by what the bucket really holds."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from junbi.core.facts import ArrivalState, CreateState, InputKind, LaunchState
from junbi.core.lifecycle import FINAL
from junbi.core.reasons import Code
from junbi.ledger.rows import to_time

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.simulation.world import World

Row = dict[str, Any]

#: What changed so shortly before a call may, by clocks that differ, have changed after it.
MARGIN = timedelta(seconds=31)


class Liveness:
    """Judges a world at rest."""

    def __init__(self, world: World) -> None:
        self._world = world

    @property
    def quiet(self) -> bool:
        """Whether nothing more can be expected to happen by itself."""
        world = self._world
        if not world.at_rest:
            return False
        now = to_time(world.ledger_clock())
        busy = any(row["due_at"] <= now or row["failures"] or row["kind"] == "revision" for row in world.table("work"))
        return not busy and all(self._stands(row) for row in world.table("launch"))

    def problems(self) -> Iterator[str]:
        """What was not reached."""
        for row in self._world.table("arrival"):
            yield from self._arrival(row)
        known = {row["prefix"] for row in self._world.table("arrival")}
        for prefix in self._world.oss.changed:
            if prefix not in known and self._world.oss.below(prefix):
                yield f"nobody ever found {prefix}"
        for row in self._world.table("registration"):
            yield from self._registration(row)
        for row in self._world.table("launch"):
            if row["state"] == LaunchState.WAITING and not self._waits_rightly(row):
                yield f"launch {row['id']} waits for no good reason: {row['reason']}"
            if row["state"] == LaunchState.REFUSED and "refused" not in self._world.profile_before.creates:
                yield f"launch {row['id']} is refused, and nobody refused it: {row['reason']}"
        yield from self._world.invariants.watched.problems()
        yield from self._launched()

    def _stands(self, row: Row) -> bool:
        state = LaunchState(row["state"])
        return state in FINAL or state in {LaunchState.REFUSED, LaunchState.WAITING}

    def _complete(self, prefix: str) -> bool:
        """Whether an upload is complete, by its dataset's condition and what lies there."""
        complete = self._world.people.datasets[prefix.split("/", maxsplit=1)[0]].complete
        listing = self._world.oss.listing(prefix, complete.marker)
        if not listing.members or listing.newest_at is None:
            return False
        if complete.marker is not None:
            return listing.marker_at is not None and listing.newest_at <= listing.marker_at
        if complete.call:
            called = self._world.people.acting.called.get(prefix)
            return called is not None and listing.newest_at + MARGIN <= called
        return listing.members >= (complete.count or 1)

    def _arrival(self, row: Row) -> Iterator[str]:
        prefix, state = row["prefix"], ArrivalState(row["state"])
        if state is ArrivalState.CLOSING:
            yield f"{prefix} is still being listed"
        if not self._complete(prefix) or not self._known(row):
            return
        revision = next((one for one in self._world.table("revision") if one["id"] == row["revision"]), None)
        marker = self._world.people.datasets[row["dataset"]].complete.marker
        truth = self._world.oss.listing(prefix, marker).digest
        if state is not ArrivalState.CLOSED or revision is None:
            yield f"{prefix} is complete, and its arrival is {state}: {row['reason']}"
        elif revision["digest"] != truth:
            yield f"{prefix} holds something else than its revision {revision['id']}"

    def _known(self, row: Row) -> bool:
        """Whether an event of a new object, or a listing, told of this prefix after it had changed last."""
        world = self._world
        changed = world.oss.changed[row["prefix"]]
        taken = world.observed.taken.get(row["prefix"])
        return taken is not None and taken >= changed

    def _registration(self, row: Row) -> Iterator[str]:
        revision = next(one for one in self._world.table("revision") if one["id"] == row["revision"])
        if row["state"] == CreateState.DONE and revision["kind"] != InputKind.DATASET:
            problem = self._world.invariants.watched.registration(revision, row)
            yield from [problem] if problem else []
        elif row["state"] == CreateState.DONE:
            dataset = next((one for one in self._world.workspace.datasets if one.id == row["dataset_id"]), None)
            named = dataset and [one.source_id for one in dataset.versions if one.name == row["version_name"]]
            if named != [revision["digest"]]:
                yield f"revision {row['revision']} is said to be {row['dataset_id']} {row['version_name']}: {named}"
        elif row["state"] != CreateState.REFUSED or "refused" not in self._world.profile_before.creates:
            yield f"revision {row['revision']} is not registered: {row['state']} {row['reason']}"

    def _waits_rightly(self, row: Row) -> bool:
        world = self._world
        code = json.loads(row["reason"])["code"] if row["reason"] else ""
        revisions = {one["id"]: one for one in world.table("revision")}
        pinned = [revisions[pin] for pin in json.loads(row["pins"]).values()]
        states = {one["revision"]: one["state"] for one in world.table("registration")}
        if code == Code.PLAN_REMOVED:
            return all(one["name"] != row["plan"] for one in world.table("plan"))
        if code in {Code.NO_DATASET_VERSION, Code.NO_CODE_REVISION, Code.NO_IMAGE_REVISION}:
            return any(states[one["id"]] == CreateState.REFUSED for one in pinned)
        return code == Code.DATASET_CHANGED and any(self._changed(one) for one in pinned)

    def _changed(self, revision: Row) -> bool:
        if revision["kind"] != InputKind.DATASET:
            return False
        marker = self._world.people.datasets[revision["dataset"]].complete.marker
        return bool(self._world.oss.listing(revision["prefix"], marker).digest != revision["digest"])

    def _launched(self) -> Iterator[str]:
        """Every plan that nobody touched has a launch for the newest revisions of the inputs that start it."""
        world = self._world
        heads = {one["dataset"]: one["revision"] for one in world.table("head")}
        launches = [(one["plan"], json.loads(one["pins"])) for one in world.table("launch")]
        for plan in world.people.plans.values():
            if plan.name in world.people.touched or not heads.keys() >= set(plan.inputs):
                continue
            wanted = {name: heads[name] for name in plan.on}
            if not any(name == plan.name and wanted.items() <= pins.items() for name, pins in launches):
                yield f"{plan.name} was never launched for {wanted}"
