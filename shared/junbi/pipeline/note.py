"""What doors do: note what an event points at, commit, answer, and poke ``reconcile``. Doors never call PAI."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from junbi.core import arrival as arrivals
from junbi.core.model import Reason
from junbi.core.reasons import Code
from junbi.errors import Stale
from junbi.pipeline import wiring

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from junbi.core.arrival import Noted, Place
    from junbi.core.model import Event, ObjectRef
    from junbi.core.plan import DatasetSpec
    from junbi.errors import MalformedPayload
    from junbi.events.parsed import Parsed
    from junbi.ledger.ledger import Ledger
    from junbi.pipeline.invocation import Invocation

#: How often a lost race is decided again before the event is given back to FC, which sends it once more.
RACES = 20


def note(parsed: Parsed[ObjectRef], invocation: Invocation) -> Mapping[str, object]:
    """Note object events; each stands for itself, so that a bad one costs no other.

    The answer says how many were noted, how many needed no write, and what was ignored and why.
    """
    answer, work_is_due = note_events(wiring.ledger(), parsed)
    if work_is_due:
        wiring.poke(invocation)
    return answer


def note_events(ledger: Ledger, parsed: Parsed[ObjectRef]) -> tuple[Mapping[str, object], bool]:
    """Note events in the ledger; the answer, and whether ``reconcile`` should be poked."""
    now = ledger.now()
    outcomes = [_note_event(ledger, event, now) for event in parsed.events]
    work_is_due = any(noted.wake_at is not None and noted.wake_at <= now for noted in outcomes)
    return _answer(outcomes, len(parsed.malformed)), work_is_due and ledger.worklist.may_poke(now)


def refuse(raw: bytes, problem: MalformedPayload, invocation: Invocation) -> None:
    """Keep a payload that could not be read, so that it can be looked at; sending it again is no use."""
    ledger = wiring.ledger()
    ledger.quarantine(invocation.function, raw, str(problem), ledger.now())


def _answer(outcomes: list[Noted], malformed: int) -> dict[str, object]:
    ignored = Counter(f"{noted.reason.code}: {noted.reason.message}" for noted in outcomes if noted.reason is not None)
    written = sum(noted.arrival is not None for noted in outcomes)
    return {
        "received": len(outcomes) + malformed,
        "noted": written,
        "folded": sum(noted.arrival is None and noted.reason is None for noted in outcomes),
        "ignored": dict(ignored),
        "malformed": malformed,
    }


def _note_event(ledger: Ledger, event: Event[ObjectRef], now: datetime) -> Noted:
    subject = event.subject
    for dataset in ledger.generations.watching(subject.bucket, subject.key):
        place = arrivals.place(dataset.watch, subject.key)
        if place is not None:
            ledger.sightings.heard(dataset.name, now)
            return _note_arrival(ledger, dataset, place, event, now)
    return arrivals.Noted(reason=Reason(Code.NOT_WATCHED, f"No dataset watches a prefix of {subject.bucket} there."))


def _note_arrival(ledger: Ledger, dataset: DatasetSpec, place: Place, event: Event[ObjectRef], now: datetime) -> Noted:
    key = arrivals.key(dataset.name, dataset.watch.bucket, place.prefix)
    for _ in range(RACES):
        noted = arrivals.note(ledger.arrivals.get(key), dataset, place, event, now)
        if noted.arrival is None:
            return noted
        try:
            _save(ledger, noted, now)
        except Stale:
            continue
        return noted
    raise Stale(f"arrival {key} changed {RACES} times while one event was noted; FC sends it again")


def _save(ledger: Ledger, noted: Noted, now: datetime) -> None:
    arrival = noted.arrival
    if arrival is None:
        return
    # Not alone: all that was decided upon is this arrival, and its row version proves it. Doors wait for nobody.
    with ledger.transaction(alone=False):
        ledger.arrivals.save(arrival)
        if noted.wake_at is not None:
            ledger.worklist.ask("arrival", arrival.key, noted.wake_at)
        if noted.news is not None:
            ledger.tell(f"arrival:{arrival.key}", *noted.news, now)
