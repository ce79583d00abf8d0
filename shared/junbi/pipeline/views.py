"""What people and programs are shown of the ledger, as plain values ready for JSON: API, console and CLI alike.

Times are UTC, written as the ledger writes them (``2026-11-30T20:02:15.000000Z``). Launches, inputs, watched lines,
deliveries and quotas have views of their own beside these; what several of them show alike is here too.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from junbi.core.facts import InputKind
from junbi.ledger.rows import to_time

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from junbi.core.facts import Revision
    from junbi.core.model import Reason
    from junbi.core.plan import ExistingDataset, PlanSpec
    from junbi.ledger.ledger import Ledger

View = dict[str, Any]

#: How many of each are shown where nobody asks for another number.
MOST = 100


def generation(ledger: Ledger) -> View | None:
    """Which configuration is in force: number, deployment, region, workspace; None before the first apply."""
    scope = ledger.generations.scope()
    return asdict(scope) if scope else None


def plans(ledger: Ledger) -> View:
    """The plans in force, each with the newest version of every input, and the inputs that have none yet."""
    found = ledger.generations.latest()
    specs = found.plans.values() if found else ()
    heads = {name: ledger.revisions.head(name) for spec in specs for name in spec.inputs}
    return {"plans": [_plan(spec, heads) for spec in specs]}


def story(ledger: Ledger, after: int = 0, most: int = 1000) -> View:
    """What happened past the entry ``after``, oldest first; pass ``next`` as ``after`` to follow along."""
    entries = ledger.stories(after, most)
    return {"story": entries, "next": entries[-1]["number"] if entries else after}


def quarantine(ledger: Ledger, most: int = MOST) -> View:
    """The payloads that could not be read, newest first, and ``total``, how many there are."""
    return {"total": ledger.overview.quarantine_count(), "quarantine": list(ledger.quarantined(most))}


def time(at: datetime | None) -> str | None:
    """A time, if it has come."""
    return to_time(at) if at else None


def reason(why: Reason | None) -> View | None:
    """Why something waits, is refused or has ended."""
    return asdict(why) if why else None


def contents(revision: Revision) -> View:
    """What a revision is, where it lies and how much it is."""
    if revision.kind is InputKind.DATASET:
        uri = f"oss://{revision.bucket}/{revision.prefix}"
        return {"kind": revision.kind.value, "uri": uri, "members": revision.members, "size": revision.size}
    return {"kind": revision.kind.value, "uri": f"{revision.bucket} {revision.prefix}", "members": 0, "size": 0}


def mounts(spec: PlanSpec) -> View:
    """The datasets that PAI has already and a plan mounts."""
    return {one.name: mounted(one) for one in spec.existing}


def mounted(one: ExistingDataset) -> View:
    """Which version of a dataset that PAI has already is mounted."""
    return {"dataset_id": one.id, "version_name": one.version}


def _plan(spec: PlanSpec, heads: Mapping[str, Revision | None]) -> View:
    newest = {name: heads[name] for name in spec.inputs}
    return {
        "name": spec.name,
        "on": list(spec.on),
        "inputs": {name: head.label if head else None for name, head in newest.items()},
        "mounts": mounts(spec),
        "waits_for": [name for name, head in newest.items() if head is None],
    }
