"""What people and programs are shown of datasets, their uploads and their versions, ready for JSON."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from junbi.core.facts import ArrivalState
from junbi.pipeline import expect, sighted
from junbi.pipeline.views import MOST, contents, mounted, reason, time

if TYPE_CHECKING:
    from collections.abc import Collection

    from junbi.core.facts import Arrival
    from junbi.core.plan import DatasetSpec
    from junbi.ledger.ledger import Ledger
    from junbi.ledger.overview import Version
    from junbi.pipeline.views import View


def watched(ledger: Ledger) -> list[View]:
    """Where uploads are expected: each dataset with its place, the placeholders of its folders and what closes it."""
    return [_watched(ledger, one.dataset) for one in ledger.generations.all_watched()]


def existing(ledger: Ledger) -> list[View]:
    """The datasets that PAI has already and junbi.yaml names by id, with the plans that mount them."""
    found = ledger.generations.latest()
    if found is None:
        return []
    using = {
        name: [plan.name for plan in found.plans.values() if one in plan.existing]
        for name, one in found.existing.items()
    }
    return [{"dataset": name, **mounted(one), "plans": using[name]} for name, one in found.existing.items()]


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


def revisions(ledger: Ledger, most: int = MOST) -> View:
    """The newest revisions with where their registrations stand, and ``total``, how many there are."""
    found = ledger.overview.versions(most)
    ids = [one.revision.id for one in found]
    looks, listed = ledger.overview.looks("revision", ids), ledger.member_lists.of(ids)
    return {
        "total": ledger.overview.revision_count(),
        "revisions": [
            _version(one, looks.get(one.revision.id)) | {"members_at": listed.get(one.revision.id)} for one in found
        ],
    }


def _watched(ledger: Ledger, dataset: DatasetSpec) -> View:
    watch = dataset.watch
    expected = ledger.expectations.get(dataset.name)
    return {
        "dataset": dataset.name,
        "uri": f"oss://{watch.bucket}/{watch.root}",
        "captures": list(watch.captures),
        "complete": dataset.complete.model_dump(exclude_defaults=True),
        "expect": dataset.expect.model_dump(exclude_none=True) if dataset.expect else None,
        "due_at": time(expected.due_at) if expected else None,
        "reason": reason(expect.late(ledger, dataset.name, dataset.expect)),
        "findings": [asdict(one) for one in sighted.reasons(ledger, dataset)],
    }


def _arrival(one: Arrival, look: View | None) -> View:
    return {
        "key": one.key,
        "dataset": one.dataset,
        "uri": one.uri,
        "state": one.state.value,
        "reason": reason(one.reason),
        "revision": one.revision or None,
        "next_look": look,
        "opened_at": time(one.opened_at),
        "called_at": time(one.called_at),
        "noted_at": time(one.noted_at),
    }


def _version(one: Version, look: View | None) -> View:
    revision, registration = one.revision, one.registration
    as_it_is = registration.dataset_id == revision.digest  # an image that nobody wanted registered
    return {
        "id": revision.id,
        "dataset": revision.dataset,
        "label": revision.label,
        "newest": one.newest,
        **contents(revision),
        "digest": revision.digest,
        "registration": {
            "state": registration.state.value,
            "dataset_id": None if as_it_is else registration.dataset_id or None,
            "version_name": None if as_it_is else registration.version_name or None,
            "reason": reason(registration.reason),
        },
        "next_look": look,
        "newest_at": time(revision.newest_at),
        "created_at": time(revision.created_at),
    }
