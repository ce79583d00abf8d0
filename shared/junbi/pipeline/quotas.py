"""What ``quota_change`` does: reads PAI's quotas, tells what changed since it read them last, and wakes who waits."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from junbi import log
from junbi.core import quotas as core
from junbi.core.facts import LaunchState
from junbi.errors import CallFailed, Stale
from junbi.ledger.quotas import Reading
from junbi.pipeline import admission
from junbi.pipeline.wiring import Ports

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from junbi.core.quotas import Change, Snapshot
    from junbi.events.parsed import Parsed
    from junbi.ledger.ledger import Ledger
    from junbi.pipeline.invocation import Invocation

_log = log.logger("quotas")


def quota_change(parsed: Parsed[Any], invocation: Invocation) -> Mapping[str, object]:
    """One tick of ``quota_change``, or a hint that a quota changed: both read all quotas, and believe nothing else."""
    if parsed.ignored:
        return {"ignored": [f"{one.code}: {one.message}" for one in parsed.ignored]}
    return tick(Ports(invocation))


def tick(ports: Ports) -> Mapping[str, object]:
    """Read each kind of quota as a whole, and note what changed.

    A kind that cannot be read costs the others nothing, and nothing of it is taken for changed or gone. The first
    error is raised where none can be read. Before the first apply there is no region to ask in.
    """
    if ports.ledger.generations.scope() is None:
        return {"unread": "nothing is in force: run 'junbi apply' first"}
    from junbi.clients.quota import KINDS  # the wire models of an API that only this function calls

    changes: list[Change] = []
    unread: dict[str, CallFailed] = {}
    for kind in KINDS:
        try:
            changes += _read(ports, kind)
        except CallFailed as error:
            unread[kind] = error
    if len(unread) == len(KINDS):
        raise next(iter(unread.values()))
    return {"changes": dict(Counter(one.code for one in changes)), "unread": sorted(unread)}


def _read(ports: Ports, kind: str) -> Sequence[Change]:
    """Read one kind, and note it under the version of the reading before: of two at once the later one is dropped."""
    ledger, region = ports.ledger, ports.scope.region
    last = ledger.quotas.readings(region).get(kind, Reading(kind))
    before = [one for one in ledger.quotas.all(region) if one.kind == kind]
    now = ledger.now()  # before the listing: what it shows held then or later
    try:
        rows = ports.quotas.list_quotas(kind)
    except CallFailed as error:
        _unread(ledger, region, last, error)
        raise
    after = [core.snapshot(row.to_wire(), kind, now) for row in rows]
    changes = core.compare(before, after)
    try:
        with ledger.transaction():
            ledger.quotas.save(region, replace(last, read_at=now, problem=""), _kept(before, after, now))
            _note(ledger, region, changes, now)
    except Stale:
        return ()  # another reading was faster; the next tick compares with that one
    return changes


def _unread(ledger: Ledger, region: str, last: Reading, error: CallFailed) -> None:
    _log.warning("quotas could not be read", kind=last.kind, error=str(error))
    try:
        with ledger.transaction():
            ledger.quotas.save(region, replace(last, problem=str(error)))
    except Stale:
        return  # another reading got an answer, or told the same


def _kept(before: Sequence[Snapshot], after: Sequence[Snapshot], now: datetime) -> list[Snapshot]:
    known, there = {one.id: one for one in before}, {one.id for one in after}
    seen = [core.follow(known.get(one.id), one) for one in after]
    return seen + [core.gone(one, now) for one in before if one.id not in there]


def _note(ledger: Ledger, region: str, changes: Sequence[Change], now: datetime) -> None:
    """Tell what was declared anew, and wake who waits for a quota. Call it inside a transaction.

    More of something free lets those in who stand in the line; a change of the quota itself has every launch looked at
    that is to run in it or in one that shares its root. Of the refused only those for the want of a right are tried
    again.
    """
    decisive = [one for one in changes if one.code in core.DECISIVE]
    for change in decisive:
        ledger.tell(f"quota:{change.quota}", change.code, change.message, now)
    for quota in {one.quota for one in changes}:
        ledger.worklist.ask("quota", quota, now)
    quotas = admission.known(ledger, region)
    touched = {each for one in decisive for each in admission.tree_of(quotas, one.quota)}
    if touched:
        for launch in ledger.launches.standing({LaunchState.WAITING, LaunchState.REFUSED}):
            if launch.spec.resource.quota in touched:
                ledger.worklist.ask("launch", launch.id, max(launch.not_before or now, now))
