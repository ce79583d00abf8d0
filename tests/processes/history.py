"""Judges a run by what it left behind: what the cloud has, what the ledger says, and what was uploaded. Pure."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Iterator

Row = dict[str, Any]

#: Ledger time after which work that is due should have been done. Longer than a lease.
LONG = timedelta(minutes=3)

#: Where a launch has ended well, and nothing more is to be said of it.
WELL = "succeeded"


@dataclass(frozen=True, slots=True)
class Uploaded:
    """A version whose every file, and then its marker, OSS took: members without the marker, and their bytes."""

    dataset: str
    version: str
    members: int
    size: int


@dataclass(slots=True)
class History:
    """What is left of a run.

    Attributes:
        now: the ledger's time at the end.
        uploads: what the bucket holds.
        plans: the datasets that start each plan, by its name.
        jobs: of DLC: ``id, launch, attempt, status``.
        datasets: of AIWorkSpace: ``id, name``.
        versions: of AIWorkSpace: ``dataset, name, source``.
        tables: the ledger's, by name.
        unanswered: how many deliveries no door ever took.
        complaints: what workers and clients found wrong themselves.
    """

    now: datetime
    uploads: list[Uploaded] = field(default_factory=list)
    plans: dict[str, list[str]] = field(default_factory=dict)
    jobs: list[Row] = field(default_factory=list)
    datasets: list[Row] = field(default_factory=list)
    versions: list[Row] = field(default_factory=list)
    tables: dict[str, list[Row]] = field(default_factory=dict)
    unanswered: int = 0
    complaints: list[str] = field(default_factory=list)


def problems(history: History) -> list[str]:
    """Everything that must not be; empty for a history that may be believed."""
    judges = (_made_once, _told_once, _jobs_are_known, _uploads, _registrations, _launches, _ended, _work, _doors)
    return [problem for judge in judges for problem in judge(history)]


def _made_once(history: History) -> Iterator[str]:
    """One job for an attempt, one dataset of a name, one version for a content, one create that was answered yes."""
    yield from several("jobs", ((one["launch"], one["attempt"]) for one in history.jobs))
    yield from several("datasets", (one["name"] for one in history.datasets))
    yield from several("versions", ((one["dataset"], one["source"]) for one in history.versions))
    done = (one["owner"] for one in history.tables["try"] if one["outcome"] == "done")
    yield from several("successful creates", done)


def _told_once(history: History) -> Iterator[str]:
    """What happens once is told once, in the transaction in which it happens."""
    told = [(one["subject"], one["code"]) for one in history.tables["story"]]
    once = ("DatasetRegistered", "LaunchCreated")
    yield from several("stories", (one for one in told if one[1] in once))
    attempts = {f"launch:{one['id']}": one["attempt"] for one in history.tables["launch"]}
    for (subject, code), number in Counter(told).items():
        if code == "JobSubmitted" and number > attempts.get(subject, 0):
            yield f"{subject} was submitted {number} times in {attempts.get(subject, 0)} attempts"
        if code == "DuplicateJobFound":
            yield f"{subject} had more jobs than one"


def _jobs_are_known(history: History) -> Iterator[str]:
    """Every job belongs to a launch, which follows it and had stored a try before."""
    launches = {one["id"]: one for one in history.tables["launch"]}
    tried = {one["owner"].split(":")[1] for one in history.tables["try"] if one["operation"] == "CreateJob"}
    for job in history.jobs:
        launch = launches.get(job["launch"])
        if launch is None:
            yield f"job {job['id']} is of launch {job['launch']}, which the ledger does not know"
        elif job["attempt"] == launch["attempt"] and launch["job_id"] != job["id"]:
            yield f"job {job['id']} of launch {launch['id']} is followed by nobody: {launch['job_id'] or 'no job'} is"
        elif launch["id"] not in tried:
            yield f"launch {launch['id']} sent what it never stored"


def _uploads(history: History) -> Iterator[str]:
    """Every upload is one revision with exactly its members, and there are no others."""
    revisions = [(one["dataset"], one["label"], one["members"], one["size"]) for one in history.tables["revision"]]
    wanted = [(one.dataset, one.version, one.members, one.size) for one in history.uploads]
    yield from several("revisions", revisions)
    for upload in sorted(set(wanted) - set(revisions)):
        yield f"upload {upload} was lost: no revision has exactly its members"
    for revision in sorted(set(revisions) - set(wanted)):
        yield f"revision {revision} is nothing that was uploaded"


def _registrations(history: History) -> Iterator[str]:
    """Every revision is the version that PAI has for its content."""
    made = {(one["dataset"], one["name"]): one["source"] for one in history.versions}
    known = {one["revision"]: one for one in history.tables["registration"]}
    for revision in history.tables["revision"]:
        found = known.get(revision["id"])
        if found is None or found["state"] != "done":
            yield f"revision {revision['id']} is not registered: {found}"
        elif made.get((found["dataset_id"], found["version_name"])) != revision["digest"]:
            yield f"revision {revision['id']} is not what PAI has as {found['dataset_id']} {found['version_name']}"


def _launches(history: History) -> Iterator[str]:
    """Every revision has exactly one launch of each plan that its dataset alone starts, and a job; nobody else has."""
    running = {one["launch"] for one in history.jobs}
    made = Counter(
        (one["plan"], json.loads(one["pins"]).get(dataset), dataset)
        for one in history.tables["launch"]
        for dataset in history.plans.get(one["plan"], [])
    )
    for plan, datasets in history.plans.items():
        for revision in history.tables["revision"]:
            number = made[plan, revision["id"], revision["dataset"]]
            if datasets == [revision["dataset"]] and number != 1:
                yield f"{plan} was launched {number} times for revision {revision['id']}"
    for launch in history.tables["launch"]:
        if launch["id"] not in running:
            yield f"launch {launch['id']} has no job: {launch['state']} {launch['reason']}"
    yield from _pairs(history)


def _pairs(history: History) -> Iterator[str]:
    """A plan of several datasets has been launched for the newest of each."""
    heads = {one["dataset"]: one["revision"] for one in history.tables["head"]}
    for plan, datasets in history.plans.items():
        wanted = {name: heads.get(name) for name in datasets}
        pins = [json.loads(one["pins"]) for one in history.tables["launch"] if one["plan"] == plan]
        if None not in wanted.values() and wanted not in pins:
            yield f"{plan} was never launched for {wanted}"


def _ended(history: History) -> Iterator[str]:
    """Every launch ended as its job did, and whatever did not end well says why."""
    statuses = {one["id"]: one["status"] for one in history.jobs}
    for launch in history.tables["launch"]:
        truth = statuses.get(launch["job_id"], "")
        if launch["state"] != WELL and not launch["reason"]:
            yield f"launch {launch['id']} is {launch['state']} (job: {truth}) and does not say why"
        elif launch["state"] != truth.lower():
            yield f"launch {launch['id']} is {launch['state']}, its job is {truth}: {launch['reason']}"


def _work(history: History) -> Iterator[str]:
    """Nothing that is due waits for long, leased or not, no look keeps failing, and no upload is left open."""
    for row in history.tables["work"]:
        due = datetime.fromisoformat(row["due_at"])
        if due < history.now - LONG:
            yield f"{row['kind']} {row['id']} is due since {history.now - due} and nobody looked: {row['problem']}"
        elif row["failures"]:
            yield f"the look at {row['kind']} {row['id']} failed {row['failures']} times: {row['problem']}"
    for row in history.tables["arrival"]:
        if row["state"] != "closed":
            yield f"arrival {row['key']} is {row['state']}: {row['reason']}"


def _doors(history: History) -> Iterator[str]:
    """Every delivery was taken, and nobody complained."""
    if history.unanswered:
        yield f"{history.unanswered} deliveries were never answered"
    yield from history.complaints


def several(what: str, keys: Iterable[Hashable]) -> Iterator[str]:
    """What there may be one of, and is more than once."""
    for key, number in Counter(keys).items():
        if number > 1:
            yield f"{number} {what} of one: {key}"
