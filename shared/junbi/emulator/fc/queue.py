"""The durable asynchronous queue: what was accepted is delivered at least once, whatever dies in between."""

from __future__ import annotations

import secrets
import threading
import time
from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING

from junbi.emulator.fc.headers import request_id
from junbi.emulator.fc.lane import DEAD, QUEUED, Lane
from junbi.emulator.fc.message import Message

if TYPE_CHECKING:
    from collections.abc import Callable

    from junbi.emulator.clock import Clock
    from junbi.emulator.faults import Faults
    from junbi.emulator.fc.invoke import Outcome
    from junbi.emulator.records import Records

#: Real seconds for which a delayed or overtaken event waits, where the fault does not say.
_OVERTAKEN_SECONDS = 1.0


class AsyncQueue:
    """Messages per function, kept in the records until they are dealt with. Order is not promised.

    Args:
        deliver: calls the function with a message. An ApiError it raises means that the function was not at fault.
    """

    def __init__(self, records: Records, clock: Clock, faults: Faults, deliver: Callable[[Message], Outcome]) -> None:
        self._records, self._clock, self._faults = records, clock, faults
        self._deliver = deliver
        self._lock = threading.Lock()
        self._lanes: dict[str, Lane] = {}

    def serve(self, capacities: dict[str, int]) -> None:
        """Deliver to these functions, and so many messages at once to each; the messages of others wait."""
        with self._lock:
            gone = [self._lanes.pop(name) for name in list(self._lanes) if name not in capacities]
            fresh = capacities.keys() - self._lanes.keys()
            for name, capacity in capacities.items():
                lane = self._lanes.setdefault(name, Lane(self._records, self._clock, self._deliver))
                lane.workers = min(capacity, Lane.MOST_WORKERS)
            lanes = dict(self._lanes)
        for lane in gone:
            lane.stop()
        # What an earlier process accepted, all that was in flight when it died included. Outside the lock: a caller
        # of `put` may hold the records.
        for message in self.pending() if fresh else []:
            if message.function in fresh:
                lanes[message.function].add(message)

    def put(self, function: str, body: bytes, request: str = "") -> str:
        """Accept a message; it is on disk when this returns its request id. Ordered faults strike here."""
        now = self._clock.now()
        name = f"{time.time_ns():020d}-{secrets.token_hex(4)}"
        message = Message(name, function, request or request_id(), body, born=now, due=now)
        for copy in self._struck(message):
            self._records.put(QUEUED, copy.id, copy.to_document())
            with self._lock:
                lane = self._lanes.get(function)
            if lane:
                lane.add(copy)
        return message.request_id

    def pending(self) -> list[Message]:
        """Everything accepted and not yet dealt with."""
        return [Message.from_document(document) for document in self._records.all(QUEUED)]

    def dead(self) -> list[Message]:
        """What was given up, the oldest first, each with its last error."""
        return [Message.from_document(document) for document in self._records.all(DEAD)]

    def stop(self) -> None:
        """Deliver nothing more; what is being delivered stays queued unless it ends at once."""
        with self._lock:
            lanes, self._lanes = list(self._lanes.values()), {}
        for lane in lanes:
            lane.stop()

    def _struck(self, message: Message) -> list[Message]:
        """What becomes of an accepted message under the faults that were ordered."""
        fault = self._faults.take(f"fc.event.{message.function}") or self._faults.take("fc.event")
        if fault is None:
            return [message]
        if fault.effect == "duplicate":
            return [message, replace(message, id=f"{message.id}-again")]
        if fault.effect in {"delay", "reorder"}:
            real = fault.seconds or _OVERTAKEN_SECONDS
            return [replace(message, due=message.due + timedelta(seconds=real * self._clock.scale))]
        return []
