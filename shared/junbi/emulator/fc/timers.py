"""Timer triggers: fire by the emulated clock, and make up at most one missed tick."""

from __future__ import annotations

import sqlite3
import sys
import threading
from datetime import datetime
from typing import TYPE_CHECKING

from junbi.emulator.fc.schedule import following
from junbi.emulator.fc.spec import TimerTrigger

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from junbi.emulator.clock import Clock
    from junbi.emulator.fc.spec import FunctionSpec
    from junbi.emulator.records import Records

_KIND = "fc.timer"
#: Real seconds between looks at the clock.
_LOOK_SECONDS = 0.1
#: Real seconds to leave the disk alone after it could not be written.
_PAUSE_SECONDS = 1.0

Place = tuple[str, str]


class Timers:
    """The timers of all functions. The next time of each is on disk, so that a restart neither repeats nor forgets.

    Args:
        fire: called with the function, the trigger and the time it was due.
    """

    def __init__(self, records: Records, clock: Clock, fire: Callable[[str, TimerTrigger, datetime], object]) -> None:
        self._records, self._clock, self._fire = records, clock, fire
        self._lock = threading.Lock()
        self._next: dict[Place, tuple[datetime, TimerTrigger]] = {}
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="fc-timers", daemon=True)
        self._thread.start()

    def set(self, specs: Iterable[FunctionSpec]) -> None:
        """Replace all timers; one that stays the same keeps its next time. ScheduleInvalid changes nothing."""
        timers = {
            (spec.name, trigger.name): trigger
            for spec in specs
            for trigger in spec.triggers
            if isinstance(trigger, TimerTrigger)
        }
        planned = {place: (self._planned(place, trigger), trigger) for place, trigger in timers.items()}
        for place, (moment, trigger) in planned.items():
            self._store(place, trigger, moment)
        with self._lock:
            self._next = planned

    def stop(self) -> None:
        """Fire no more."""
        self._stopping.set()
        self._thread.join()

    def _planned(self, place: Place, trigger: TimerTrigger) -> datetime:
        fresh = following(trigger.every, self._clock.now())
        stored = self._records.get(_KIND, "/".join(place))
        return datetime.fromisoformat(stored["Next"]) if stored and stored["Every"] == trigger.every else fresh

    def _store(self, place: Place, trigger: TimerTrigger, moment: datetime) -> None:
        self._records.put(_KIND, "/".join(place), {"Every": trigger.every, "Next": moment.isoformat()})

    def _run(self) -> None:
        while not self._stopping.wait(_LOOK_SECONDS):
            now = self._clock.now()
            with self._lock:
                due = [(place, *planned) for place, planned in self._next.items() if planned[0] <= now]
            for place, moment, trigger in due:
                try:
                    self._tick(place, moment, trigger, now)
                except sqlite3.Error as error:
                    # It stays due, so the next look fires it. The one place to say so is stderr.
                    sys.stderr.write(f"fc timers: cannot write to disk ({error}); {place[0]} is called when it works\n")
                    self._stopping.wait(_PAUSE_SECONDS)

    def _tick(self, place: Place, moment: datetime, trigger: TimerTrigger, now: datetime) -> None:
        # Queued first: a crash between the two repeats a tick and never loses one.
        self._fire(place[0], trigger, moment)
        upcoming = following(trigger.every, moment)
        if upcoming <= now:
            upcoming = following(trigger.every, now)
        with self._lock:
            if place in self._next:
                self._next[place] = (upcoming, trigger)
        self._store(place, trigger, upcoming)
