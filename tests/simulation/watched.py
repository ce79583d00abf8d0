"""What must hold of watched code and images: after every step, and once nothing is left to happen."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING, Any

from tests.simulation.pushes import CODE, IMAGE, TORCH
from tests.simulation.time import START

from junbi.core.facts import InputKind

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from tests.simulation.world import World

Row = dict[str, Any]


class Watched:
    """Judges where lines are said to be, and what is made for them."""

    def __init__(self, world: World) -> None:
        self._world = world
        #: By line: the revision that is its newest, and when that was read.
        self._heads: dict[str, tuple[str, datetime]] = {}

    def made_once(self) -> None:
        """One code source of a name, one image of a digest; every job trains with what its launch is pinned to."""
        world = self._world
        sources = Counter(one.says.display_name for one in world.code_sources.there)
        images = Counter(one.request.image_uri for one in world.images.all)
        for what, counted in (("code source", sources), ("image", images)):
            for key, number in counted.items():
                if number > 1:
                    world.violated(f"{number} of one {what}: {key}")

    def heads(self, work: dict[tuple[str, str], Row]) -> None:
        """Whatever is watched will be looked at again, and is where it was in the look that says so."""
        world = self._world
        for kind in ("code", "image"):
            for line in world.table(f"{kind}_line"):
                if (kind, line["name"]) not in work:
                    world.violated(f"nothing will ever look at {line['name']} again")
        for row in world.table("head"):
            if row["dataset"] in world.people.pushes.lines:
                self._head(row["dataset"], row["revision"])

    def pinned(self, launch: Row) -> None:
        """What a new launch is pinned to was there at some time since it is watched."""
        for name, pin in json.loads(launch["pins"]).items():
            revision = self._revision(pin)
            if revision["dataset"] != name:
                self._world.violated(f"launch {launch['id']} pins {pin} of {revision['dataset']} as its {name}")
            if name in self._world.people.pushes.lines and not self._was_there(revision, START):
                self._world.violated(f"launch {launch['id']} trains with {revision['digest']}, which never was there")

    def trained_with(self, launch: Row, request: Any) -> None:
        """A job's request names exactly the commit and the digest that its launch is pinned to."""
        pins = {name: self._revision(pin)["digest"] for name, pin in json.loads(launch["pins"]).items()}
        commit = request.code_source.commit if request.code_source else None
        image = request.job_specs[0].image
        if commit != pins.get(CODE) or (TORCH in pins and image != f"{IMAGE}@{pins[TORCH]}"):
            self._world.violated(f"launch {launch['id']} is pinned to {pins}, and its job has {commit} and {image}")

    def problems(self) -> Iterator[str]:
        """What was not found, or not registered."""
        pushes = self._world.people.pushes
        heads = {row["dataset"]: self._revision(row["revision"])["digest"] for row in self._world.table("head")}
        for line in pushes.lines:
            truth = pushes.truth(line)
            if truth and pushes.content(heads.get(line, "")) != pushes.content(truth):
                yield f"{line} is at {truth}, and is said to be at {heads.get(line)}"

    def registration(self, revision: Row, row: Row) -> str | None:
        """What is wrong with a registration that is said to be made."""
        if InputKind(revision["kind"]) is InputKind.CODE:
            return self._code_source(row)
        registers = self._world.people.pushes.images[revision["dataset"]].registers
        known = [one.request.image_uri for one in self._world.images.all if one.request.image_id == row["dataset_id"]]
        if registers and self._is_head(revision) and known != [f"{IMAGE}@{revision['digest']}"]:
            return f"image {revision['digest']} is said to be {row['dataset_id']}: {known}"
        return None

    # Inside

    def _head(self, line: str, revision_id: str) -> None:
        world, task = self._world, self._world.tasks.last
        before, read_before = self._heads.get(line, ("", START))
        if before == revision_id:
            return
        revision = self._revision(revision_id)
        read = task.resolved.get(line) if task else None
        if task is None or read is None or task.looks_since is None:
            world.violated(f"{line} is said to be at {revision['digest']} by somebody who did not look")
            return
        if not self._was_there(revision, task.looks_since):
            world.violated(f"{line} was not at {revision['digest']} in the look that says so")
        if read < read_before:
            world.violated(f"{line} is said to be at {revision['digest']}, which was read before {before} was")
        if not self._is_watched(line, revision["prefix"]):
            world.violated(f"{line} is said to be at {revision['prefix']}, which it does not watch")
        self._heads[line] = revision_id, read

    def _is_watched(self, line: str, name: str) -> bool:
        rows = self._world.table("code_line" if line == CODE else "image_line")
        spec = next((json.loads(row["spec"]) for row in rows if row["name"] == line), {})
        if spec.get("tags"):
            return name.removeprefix("refs/tags/").startswith("v")
        return name in {f"refs/heads/{spec.get('branch')}", spec.get("tag")}

    def _was_there(self, revision: Row, since: datetime) -> bool:
        pushes = self._world.people.pushes
        return pushes.was_there(revision["dataset"], revision["prefix"], revision["digest"], since)

    def _is_head(self, revision: Row) -> bool:
        return any(row["revision"] == revision["id"] for row in self._world.table("head"))

    def _code_source(self, row: Row) -> str | None:
        known = next((one.says for one in self._world.code_sources.all if one.id == row["dataset_id"]), None)
        if not row["dataset_id"] or (known is not None and known.accessibility == "PUBLIC"):
            return None
        return f"the code of {row['revision']} is said to be {row['dataset_id']}: {known}"

    def _revision(self, revision_id: str) -> Row:
        return next(row for row in self._world.table("revision") if row["id"] == revision_id)
