"""What people and programs are shown of the ledger, as plain values ready for JSON: API, console and CLI alike.

Times are UTC, written as the ledger writes them (``2026-11-30T20:02:15.000000Z``).
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from junbi.core import readiness
from junbi.core.facts import ArrivalState, InputKind, LaunchState
from junbi.ledger.rows import to_time
from junbi.pipeline import expect, sighted

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from junbi.core.facts import Arrival, Attempt, Launch, Revision
    from junbi.core.model import Check, Reason
    from junbi.core.plan import DatasetSpec, ExistingDataset, PlanSpec
    from junbi.ledger.ledger import Ledger
    from junbi.ledger.overview import Version

View = dict[str, Any]

#: How many of each are shown where nobody asks for another number.
MOST = 100


def generation(ledger: Ledger) -> View | None:
    """Which configuration is in force: number, deployment, region, workspace; None before the first apply."""
    scope = ledger.generations.scope()
    return asdict(scope) if scope else None


def watched(ledger: Ledger) -> list[View]:
    """Where uploads are expected: each dataset with its place, the placeholders of its folders and what closes it."""
    return [_watched(ledger, one.dataset) for one in ledger.generations.all_watched()]


def launches(
    ledger: Ledger, states: Collection[LaunchState] = tuple(LaunchState), most: int = MOST, *, detailed: bool = False
) -> View:
    """The newest launches in these states, and ``total``, how many there are.

    ``detailed`` adds to each what ``launch`` shows.
    """
    counts = ledger.overview.launch_counts()
    total = sum(counts.get(state.value, 0) for state in states)
    found = ledger.overview.launches(states, most) if total else []
    return {"total": total, "launches": _launches(ledger, found, detailed=detailed)}


def launch(ledger: Ledger, launch_id: str) -> View | None:
    """One launch with its checks, its story and its tries; None where there is no such launch."""
    found = ledger.launches.get(launch_id)
    return _launches(ledger, [found], detailed=True)[0] if found else None


def arrivals(ledger: Ledger, states: Collection[ArrivalState] = tuple(ArrivalState), most: int = MOST) -> View:
    """The uploads in these states that were noted last, and ``total``, how many there are."""
    counts = ledger.overview.arrival_counts()
    found = ledger.overview.arrivals(states, most)
    looks = ledger.overview.looks("arrival", (one.key for one in found))
    total = sum(counts.get(state.value, 0) for state in states)
    return {"total": total, "arrivals": [_arrival(one, looks.get(one.key)) for one in found]}


def arrival(ledger: Ledger, key: str) -> View | None:
    """One upload; None where there is none of that key."""
    found = ledger.arrivals.get(key)
    return _arrival(found, ledger.overview.looks("arrival", [key]).get(key)) if found else None


def plans(ledger: Ledger) -> View:
    """The plans in force, each with the newest version of every input, and the inputs that have none yet."""
    found = ledger.generations.latest()
    specs = found.plans.values() if found else ()
    heads = {name: ledger.revisions.head(name) for spec in specs for name in spec.inputs}
    return {"plans": [_plan(spec, heads) for spec in specs]}


def revisions(ledger: Ledger, most: int = MOST) -> View:
    """The newest dataset versions with where their registrations stand, and ``total``, how many there are."""
    found = ledger.overview.versions(most)
    ids = [one.revision.id for one in found]
    looks, listed = ledger.overview.looks("revision", ids), ledger.member_lists.of(ids)
    return {
        "total": ledger.overview.revision_count(),
        "revisions": [
            _version(one, looks.get(one.revision.id)) | {"members_at": listed.get(one.revision.id)} for one in found
        ],
    }


def existing(ledger: Ledger) -> list[View]:
    """The datasets that PAI has already and junbi.yaml names by id, with the plans that mount them."""
    found = ledger.generations.latest()
    if found is None:
        return []
    using = {
        name: [plan.name for plan in found.plans.values() if one in plan.existing]
        for name, one in found.existing.items()
    }
    return [{"dataset": name, **_existing(one), "plans": using[name]} for name, one in found.existing.items()]


def story(ledger: Ledger, after: int = 0, most: int = 1000) -> View:
    """What happened past the entry ``after``, oldest first; pass ``next`` as ``after`` to follow along."""
    entries = ledger.stories(after, most)
    return {"story": entries, "next": entries[-1]["number"] if entries else after}


def quarantine(ledger: Ledger, most: int = MOST) -> View:
    """The payloads that could not be read, newest first, and ``total``, how many there are."""
    return {"total": ledger.overview.quarantine_count(), "quarantine": list(ledger.quarantined(most))}


def _watched(ledger: Ledger, dataset: DatasetSpec) -> View:
    watch = dataset.watch
    expected = ledger.expectations.get(dataset.name)
    return {
        "dataset": dataset.name,
        "uri": f"oss://{watch.bucket}/{watch.root}",
        "captures": list(watch.captures),
        "complete": dataset.complete.model_dump(exclude_defaults=True),
        "expect": dataset.expect.model_dump(exclude_none=True) if dataset.expect else None,
        "due_at": to_time(expected.due_at) if expected else None,
        "reason": _reason(expect.late(ledger, dataset.name, dataset.expect)),
        "findings": [asdict(one) for one in sighted.reasons(ledger, dataset)],
    }


def _launches(ledger: Ledger, found: list[Launch], *, detailed: bool) -> list[View]:
    pinned = ledger.overview.revisions(pin for one in found for pin in one.pins.values())
    looks = ledger.overview.looks("launch", (one.id for one in found))
    views = [_launch(one, pinned, looks.get(one.id)) for one in found]
    return _with_details(ledger, found, views) if detailed else views


def _launch(one: Launch, pinned: Mapping[str, Revision], look: View | None) -> View:
    return {
        "id": one.id,
        "plan": one.plan,
        "rerun": one.rerun,
        "state": one.state.value,
        "held_by": _held_by(one),
        "reason": _reason(one.reason),
        "job": {"id": one.job_id, "status": one.job_status} if one.job_id else None,
        "trains_on": {name: _pin(pin, pinned.get(pin)) for name, pin in one.pins.items()},
        "mounts": {existing.name: _existing(existing) for existing in one.spec.existing},
        "params": dict(one.params),
        "attempt": one.attempt,
        "made_by": one.made_by or None,
        "approved_by": one.approved_by or None,
        "stopping": _reason(one.stop.reason) if one.stop else None,
        "generation": one.generation,
        "next_look": look,
        "created_at": to_time(one.created_at),
        "updated_at": to_time(one.updated_at),
    }


def _held_by(one: Launch) -> str | None:
    """The state of the check that holds a waiting launch back (``Blocked``, ``Retry``…); None for any other launch."""
    if one.state is not LaunchState.WAITING:
        return None
    leads = readiness.leading(one.checks)
    return next((check.state.value for check in one.checks if not check.ready and check.reason == leads), None)


def _with_details(ledger: Ledger, found: Iterable[Launch], views: list[View]) -> list[View]:
    subjects = [f"launch:{view['id']}" for view in views]
    stories = _by(ledger.overview.stories(subjects), "subject")
    owners = {one.id: [one.owner_of(number + 1) for number in range(one.attempt)] for one in found}
    tries = _by(ledger.overview.tries(owner for several in owners.values() for owner in several), "owner")
    notes = ledger.notes.of(view["id"] for view in views)
    return [
        view
        | {
            "checks": [_check(check) for check in one.checks],
            "notes": notes.get(one.id, []),
            "story": stories[subject],
            "tries": [entry for owner in owners[one.id] for entry in tries[owner]],
            "attempts": [_attempt(attempt) for attempt in ledger.policies.attempts(one.id)],
        }
        for one, view, subject in zip(found, views, subjects, strict=True)
    ]


def _attempt(attempt: Attempt) -> View:
    return {
        "number": attempt.number,
        "begun_at": to_time(attempt.begun_at),
        "job": {"id": attempt.job_id, "status": attempt.job_status} if attempt.job_id else None,
    }


def _by(entries: Iterable[View], name: str) -> defaultdict[str, list[View]]:
    """The entries of each ``name``, that column left out."""
    grouped: defaultdict[str, list[View]] = defaultdict(list)
    for entry in entries:
        grouped[entry.pop(name)].append(entry)
    return grouped


def _plan(spec: PlanSpec, heads: Mapping[str, Revision | None]) -> View:
    newest = {name: heads[name] for name in spec.inputs}
    return {
        "name": spec.name,
        "on": list(spec.on),
        "inputs": {name: head.label if head else None for name, head in newest.items()},
        "mounts": {existing.name: _existing(existing) for existing in spec.existing},
        "waits_for": [name for name, head in newest.items() if head is None],
    }


def _existing(one: ExistingDataset) -> View:
    return {"dataset_id": one.id, "version_name": one.version}


def _pin(pin: str, revision: Revision | None) -> View:
    if revision is None:
        return {"revision": pin, "label": pin, "kind": "dataset", "uri": "", "members": 0, "size": 0}
    return {"revision": pin, "label": revision.label, **_contents(revision)}


def _contents(revision: Revision) -> View:
    if revision.kind is InputKind.DATASET:
        uri = f"oss://{revision.bucket}/{revision.prefix}"
        return {"kind": revision.kind.value, "uri": uri, "members": revision.members, "size": revision.size}
    return {"kind": revision.kind.value, "uri": f"{revision.bucket} {revision.prefix}", "members": 0, "size": 0}


def _check(check: Check) -> View:
    return {"name": check.name, "state": check.state.value, "reason": _reason(check.reason)}


def _reason(reason: Reason | None) -> View | None:
    return asdict(reason) if reason else None


def _arrival(one: Arrival, look: View | None) -> View:
    return {
        "key": one.key,
        "dataset": one.dataset,
        "uri": one.uri,
        "state": one.state.value,
        "reason": _reason(one.reason),
        "revision": one.revision or None,
        "next_look": look,
        "opened_at": to_time(one.opened_at),
        "called_at": to_time(one.called_at) if one.called_at else None,
        "noted_at": to_time(one.noted_at),
    }


def _version(one: Version, look: View | None) -> View:
    revision, registration = one.revision, one.registration
    as_it_is = registration.dataset_id == revision.digest  # an image that nobody wanted registered
    return {
        "id": revision.id,
        "dataset": revision.dataset,
        "label": revision.label,
        "newest": one.newest,
        **_contents(revision),
        "digest": revision.digest,
        "registration": {
            "state": registration.state.value,
            "dataset_id": None if as_it_is else registration.dataset_id or None,
            "version_name": None if as_it_is else registration.version_name or None,
            "reason": _reason(registration.reason),
        },
        "next_look": look,
        "newest_at": to_time(revision.newest_at),
        "created_at": to_time(revision.created_at),
    }
