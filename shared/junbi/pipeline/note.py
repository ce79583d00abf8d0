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
    from junbi.core.facts import Arrival
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
    now, reading = ledger.now(), _Reading(ledger)
    outcomes = [_note_event(reading, event, now) for event in parsed.events]
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


class _Reading:
    """What one call read of the ledger, once for all of its events.

    That is as good as reading it for each: every object of the call was there before the call began, so a listing that
    begins after this reading shows it, and one that began before has left its mark on the arrival that is read.
    """

    def __init__(self, ledger: Ledger) -> None:
        self.ledger = ledger
        self._watching: dict[tuple[str, str], list[DatasetSpec]] = {}
        self._arrivals: dict[str, Arrival | None] = {}

    def watching(self, subject: ObjectRef) -> list[DatasetSpec]:
        """The datasets that may watch an object's folder."""
        folder = (subject.bucket, subject.key.rpartition("/")[0])
        if folder not in self._watching:
            self._watching[folder] = self.ledger.generations.watching(subject.bucket, subject.key)
        return self._watching[folder]

    def arrival(self, key: str) -> Arrival | None:
        """The arrival of a prefix."""
        if key not in self._arrivals:
            self._arrivals[key] = self.ledger.arrivals.get(key)
        return self._arrivals[key]

    def forget(self, key: str) -> None:
        """It was saved, here or by somebody else: the next event reads it anew."""
        self._arrivals.pop(key, None)


def _note_event(reading: _Reading, event: Event[ObjectRef], now: datetime) -> Noted:
    subject = event.subject
    for dataset in reading.watching(subject):
        place = arrivals.place(dataset.watch, subject.key)
        if place is not None:
            reading.ledger.sightings.heard(dataset.name, now)
            return _note_arrival(reading, dataset, place, event, now)
    return arrivals.Noted(reason=Reason(Code.NOT_WATCHED, f"No dataset watches a prefix of {subject.bucket} there."))


def _note_arrival(
    reading: _Reading, dataset: DatasetSpec, place: Place, event: Event[ObjectRef], now: datetime
) -> Noted:
    key = arrivals.key(dataset.name, dataset.watch.bucket, place.prefix)
    for _ in range(RACES):
        noted = arrivals.note(reading.arrival(key), dataset, place, event, now)
        if noted.arrival is None:
            return noted
        reading.forget(key)
        try:
            _save(reading.ledger, noted, now)
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
