"""What must hold after every step."""

from __future__ import annotations

import json
import re
from collections import Counter
from typing import TYPE_CHECKING, Any

from tests.simulation.placing import choices
from tests.simulation.policies import Policies
from tests.simulation.reserved import Reserved
from tests.simulation.watched import Watched

from junbi.core.facts import ArrivalState, CreateState, InputKind, LaunchState
from junbi.core.lifecycle import may_move
from junbi.ledger.worklist import DIED

if TYPE_CHECKING:
    from datetime import datetime

    from tests.simulation.tasks import Task
    from tests.simulation.world import World

Row = dict[str, Any]

#: What stands in one of these has something to be done, and so must have a wake-up.
_ARRIVALS = frozenset({ArrivalState.OPEN, ArrivalState.CLOSING})
_CREATES = frozenset({CreateState.PENDING, CreateState.SUBMITTING, CreateState.UNKNOWN})
_LAUNCHES = frozenset({LaunchState.WAITING, LaunchState.SUBMITTING, LaunchState.SUBMIT_UNKNOWN})

#: States that say why by themselves or by a reason that must be there.
_NEED_REASON = frozenset({LaunchState.REFUSED, LaunchState.FAILED, LaunchState.STOPPED})

#: How a look may fail: by an answer of a cloud API, or with its worker. Anything else is a fault of ours.
_FORESEEN = re.compile(
    r"|(?:ListObjectsV2|GetWorkspace|ListDatasets|ListDatasetVersions|ListEcsSpecs|ListJobs|StopJob|GetJobEvents): .*"
    r"|(?:git ls-remote|GetManifest|ListTags|GetImage|(?:List|Get|Update|Publish)CodeSources?): .*"
)


class Invariants:
    """Compares what there is now with what there was a step ago."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._policies = Policies(world)
        self._reserved = Reserved(world)
        self.watched = Watched(world)
        self._changes = -1
        self._made = (0, 0, 0)
        self._launches: dict[str, Row] = {}
        #: By upload: the revision and the last change with which it was compared.
        self._compared: dict[str, tuple[str, datetime]] = {}
        self._revisions: dict[str, Row] = {}

    def check(self) -> None:
        """Everything, where anything changed."""
        world = self._world
        changes = world.database.changes
        versions = sum(len(one.versions) for one in world.workspace.datasets)
        registered = len(world.code_sources.all) + len(world.images.all)
        made = (len(world.dlc.jobs), len(world.workspace.datasets) + versions, registered)
        if world.has_quotas and (made != self._made or changes != self._changes):
            self._reserved.check()
        if made != self._made:
            self._made = made
            self._made_once()
        if changes != self._changes:
            self._changes = changes
            self._ledger()
        if world.has_acts:
            self._policies.runs_apart()

    def answers_are_written_down(self, task: Task) -> None:
        """A tick that ended by itself wrote down what its creates made."""
        known = {row["detail"] for row in self._world.table("try") if row["outcome"] in {CreateState.DONE, "gone"}}
        for created in task.answers:
            if created not in known:
                self._world.violated(f"the answer {created} reached {task.name} and was not written down")

    def _made_once(self) -> None:
        """At most one job for an attempt of a launch, one dataset of a name, one version for a content."""
        world = self._world
        jobs = Counter((job.launch, job.attempt) for job in world.dlc.jobs)
        names = Counter(one.request.name for one in world.workspace.datasets)
        versions = Counter((one.id, version.source_id) for one in world.workspace.datasets for version in one.versions)
        for what, counted in (("job", jobs), ("dataset", names), ("version", versions)):
            for key, number in counted.items():
                if number > 1:
                    world.violated(f"{number} of one {what}: {key}")
        if world.has_lines:
            self.watched.made_once()

    def _ledger(self) -> None:
        world = self._world
        work = {(row["kind"], row["id"]): row for row in world.table("work")}
        for row in work.values():
            if row["problem"] != DIED and not _FORESEEN.fullmatch(row["problem"]):
                world.violated(f"the look at {row['kind']} {row['id']} failed by a fault of ours: {row['problem']}")
        for row in world.table("arrival"):
            self._has_wake_up(row["state"] in _ARRIVALS, work, ("arrival", row["key"]), row["state"])
            if row["state"] == ArrivalState.CLOSED and ("arrival", row["key"]) not in work:
                self._heeds_what_was_told(row)
        for row in world.table("registration"):
            self._has_wake_up(row["state"] in _CREATES, work, ("revision", row["revision"]), row["state"])
        self._revisions_stay()
        if world.has_lines:
            self.watched.heads(work)
        for row in world.table("launch"):
            self._has_wake_up(row["state"] in _LAUNCHES, work, ("launch", row["id"]), row["state"])
            self._launch(row)

    def _has_wake_up(self, needed: bool, work: dict[tuple[str, str], Row], key: tuple[str, str], state: str) -> None:  # noqa: FBT001
        if needed and key not in work:
            self._world.violated(f"{key[0]} {key[1]} is {state} and nothing will ever look at it again")

    def _heeds_what_was_told(self, row: Row) -> None:
        """An upload that nobody is to look at holds what it held, unless no event told of what came since."""
        oss, taken = self._world.oss, self._world.observed.taken.get(row["prefix"])
        changed = oss.changed[row["prefix"]]
        if taken is None or taken < changed or self._compared.get(row["key"]) == (row["revision"], changed):
            return
        self._compared[row["key"]] = row["revision"], changed
        complete = self._world.people.datasets[row["dataset"]].complete
        revision = next(one for one in self._world.table("revision") if one["id"] == row["revision"])
        if oss.listing(row["prefix"], complete.marker).digest != revision["digest"]:
            self._world.violated(f"{row['prefix']} is not {row['revision']} any more, and nobody will look at it again")

    def _revisions_stay(self) -> None:
        for row in self._world.table("revision"):
            before = self._revisions.setdefault(row["id"], row)
            if before != row:
                self._world.violated(f"revision {row['id']} changed from {before} to {row}")

    def _launch(self, row: Row) -> None:
        before = self._launches.get(row["id"])
        if before is not None and before["row"] == row["row"]:
            return
        self._launches[row["id"]] = row
        old, new = LaunchState(before["state"] if before else "waiting"), LaunchState(row["state"])
        if before is None and new is not LaunchState.WAITING:
            self._world.violated(f"launch {row['id']} began as {new}")
        if before is None and self._world.has_lines:
            self.watched.pinned(row)
        if old is not new and not may_move(old, new):
            self._world.violated(f"launch {row['id']} moved from {old} to {new}")
        if new is LaunchState.SUBMITTING and old is not new:
            self._proved(row)
            self._policies.may_submit(row)
        self._policies.heed_acts(before, row)
        if new in _NEED_REASON and not row["reason"]:
            self._world.violated(f"launch {row['id']} is {new} and does not say why")
        if row["job_id"]:
            self._job_is_its_own(row, new)

    def _proved(self, row: Row) -> None:
        """What is submitted was listed just before, in the very look that submits it, and is what junbi.yaml says."""
        world = self._world
        task = world.tasks.last
        for pin in json.loads(row["pins"]).values():
            revision = self._revisions[pin]
            if revision["kind"] != InputKind.DATASET:
                continue
            listed = task.listed.get(revision["prefix"]) if task else None
            if listed != revision["digest"]:
                world.violated(f"launch {row['id']} is submitted, and {revision['prefix']} was listed as {listed}")
        plan = next((one["spec"] for one in world.table("plan") if one["name"] == row["plan"]), None)
        # With the launch's own parameters: its identity holds them, whatever the plan says by now.
        expected = json.loads(plan) | {"params": json.loads(row["params"])} if plan else None
        if expected and row["attempt"] > 1:  # a further attempt is what the first one was, under the policies of now
            expected = json.loads(row["spec"]) | {"policy": expected["policy"]}
        if expected is None or json.loads(row["spec"]) not in choices(expected):
            world.violated(f"launch {row['id']} is submitted with a plan that is not in force any more")

    def _job_is_its_own(self, row: Row, state: LaunchState) -> None:
        job = next((one for one in self._world.dlc.jobs if one.id == row["job_id"]), None)
        if job is None or (job.launch, job.attempt) != (row["id"], str(row["attempt"])):
            self._world.violated(f"launch {row['id']} took job {row['job_id']}, which is not its own")
            return
        if self._world.has_lines:
            self.watched.trained_with(row, job.request)
        truth = {job.status(self._world.time.now), *(["Stopped"] if job.deleted else [])}
        ends = {LaunchState.SUCCEEDED: "Succeeded", LaunchState.FAILED: "Failed", LaunchState.STOPPED: "Stopped"}
        if state in ends and ends[state] not in truth:
            self._world.violated(f"launch {row['id']} is {state} while its job is {truth}")
