"""What people and programs are shown of launches, ready for JSON."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from junbi.core import readiness
from junbi.core.facts import LaunchState
from junbi.pipeline.views import MOST, contents, mounts, reason, time

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from junbi.core.facts import Attempt, Launch, Revision
    from junbi.core.model import Check
    from junbi.ledger.ledger import Ledger
    from junbi.pipeline.views import View


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
        "reason": reason(one.reason),
        "job": _job(one),
        "trains_on": {name: _pin(pin, pinned.get(pin)) for name, pin in one.pins.items()},
        "mounts": mounts(one.spec),
        "params": dict(one.params),
        "attempt": one.attempt,
        "made_by": one.made_by or None,
        "approved_by": one.approved_by or None,
        "stopping": reason(one.stop.reason) if one.stop else None,
        "generation": one.generation,
        "next_look": look,
        "created_at": time(one.created_at),
        "updated_at": time(one.updated_at),
    }


def _held_by(one: Launch) -> str | None:
    """The state of the check that holds a waiting launch back (``Blocked``, ``Retry``…); None for any other launch."""
    if one.state is not LaunchState.WAITING:
        return None
    leads = readiness.leading(one.checks)
    return next((check.state.value for check in one.checks if not check.ready and check.reason == leads), None)


def _pin(pin: str, revision: Revision | None) -> View:
    if revision is None:
        return {"revision": pin, "label": pin, "kind": "dataset", "uri": "", "members": 0, "size": 0}
    return {"revision": pin, "label": revision.label, **contents(revision)}


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


def _by(entries: Iterable[View], name: str) -> defaultdict[str, list[View]]:
    """The entries of each ``name``, that column left out."""
    grouped: defaultdict[str, list[View]] = defaultdict(list)
    for entry in entries:
        grouped[entry.pop(name)].append(entry)
    return grouped


def _check(check: Check) -> View:
    return {"name": check.name, "state": check.state.value, "reason": reason(check.reason)}


def _attempt(attempt: Attempt) -> View:
    return {"number": attempt.number, "begun_at": time(attempt.begun_at), "job": _job(attempt)}


def _job(one: Launch | Attempt) -> View | None:
    return {"id": one.job_id, "status": one.job_status} if one.job_id else None
