"""The queue of one function: waits for messages to fall due and delivers them side by side."""

from __future__ import annotations

import heapq
import sqlite3
import sys
import threading
import time
from datetime import timedelta
from typing import TYPE_CHECKING, ClassVar

from junbi.emulator.api_error import ApiError
from junbi.emulator.fc.errors import ServiceStopping
from junbi.emulator.fc.message import Message

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from junbi.emulator.clock import Clock
    from junbi.emulator.fc.invoke import Outcome
    from junbi.emulator.records import Records

QUEUED, DEAD = "fc.message", "fc.dead"
#: How many given-up messages are kept; the oldest go first.
DEAD_KEPT = 1000
#: Real seconds between looks at the clock, which a test may step at any time, while a message waits for its time.
_LOOK_SECONDS = 0.05


class Lane:
    """Safe to use from many threads. It holds ids only: a message is read from disk when it is delivered.

    Attributes:
        workers: how many messages are delivered at once; threads are started as they are needed.
    """

    MOST_WORKERS: ClassVar[int] = 8

    def __init__(self, records: Records, clock: Clock, deliver: Callable[[Message], Outcome]) -> None:
        self.workers = 1
        self._records, self._clock, self._deliver = records, clock, deliver
        self._changed = threading.Condition()
        self._heap: list[tuple[datetime, str]] = []
        self._known: set[str] = set()
        self._threads: list[threading.Thread] = []
        self._idle = 0
        self._stopping = False

    def add(self, message: Message) -> None:
        """Take up a message that is on disk, unless it is here already."""
        with self._changed:
            if message.id in self._known:
                return
            self._known.add(message.id)
            self._push(message.due, message.id)

    def stop(self) -> None:
        """Begin no more deliveries, and wait a moment for those at work."""
        with self._changed:
            self._stopping = True
            self._changed.notify_all()
        deadline = time.monotonic() + 2
        for thread in self._threads:
            thread.join(max(0.0, deadline - time.monotonic()))

    def _push(self, due: datetime, name: str) -> None:
        heapq.heappush(self._heap, (due, name))
        self._changed.notify()
        if len(self._heap) > self._idle and len(self._threads) < self.workers and not self._stopping:
            thread = threading.Thread(target=self._work, name="fc-queue", daemon=True)
            self._threads.append(thread)
            thread.start()

    def _work(self) -> None:
        while (name := self._next()) is not None:
            try:
                document = self._records.get(QUEUED, name)
                again = self._try(Message.from_document(document)) if document else None
                with self._changed:
                    if again:
                        self._push(again, name)
                    else:
                        self._known.discard(name)
            except sqlite3.Error as error:
                # Nothing is lost: the message is still on disk, as it was. The one place to say so is stderr.
                sys.stderr.write(f"fc queue: cannot write to disk ({error}); message {name} is tried again\n")
                with self._changed:
                    self._push(self._clock.now() + timedelta(seconds=self._clock.scale), name)

    def _next(self) -> str | None:
        """The next message that is due; None when it is time to end."""
        with self._changed:
            self._idle += 1
            try:
                while not self._stopping:
                    if self._heap and self._heap[0][0] <= self._clock.now():
                        return heapq.heappop(self._heap)[1]
                    self._changed.wait(_LOOK_SECONDS if self._heap else None)
                return None
            finally:
                self._idle -= 1

    def _try(self, message: Message) -> datetime | None:
        """Deliver a message; tells when it is to be tried again, None where it is dealt with."""
        try:
            outcome = self._deliver(message)
        except ServiceStopping:
            return message.due  # nothing was decided: where only the code was replaced, the new code gets it
        except ApiError as error:
            return self._settle(message, message.after_setback(str(error), self._clock.now()), str(error))
        if not outcome.error_type:
            self._records.delete(QUEUED, message.id)
            return None
        why = f"{outcome.error_type}: {outcome.message}"
        return self._settle(message, message.after_function_error(why, self._clock.now()), why)

    def _settle(self, message: Message, again: Message | None, error: str) -> datetime | None:
        """Store what becomes of a message whose try failed."""
        if again:
            self._records.put(QUEUED, again.id, again.to_document())
            return again.due
        with self._records.transaction():
            self._records.delete(QUEUED, message.id)
            self._records.put(DEAD, message.id, message.to_document() | {"LastError": error})
            for old in self._records.all(DEAD)[:-DEAD_KEPT]:
                self._records.delete(DEAD, old["Id"])
        return None
