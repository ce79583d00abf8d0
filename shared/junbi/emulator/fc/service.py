"""The local Function Compute: deploys functions, calls them, and lets events and time call them."""

from __future__ import annotations

import json
import threading
from typing import TYPE_CHECKING, Any

from junbi.emulator.api_error import ApiError
from junbi.emulator.fc import oss_events
from junbi.emulator.fc.fleet import Fleet
from junbi.emulator.fc.gateway import make_gateway
from junbi.emulator.fc.headers import request_id
from junbi.emulator.fc.instance import START_SECONDS, Home
from junbi.emulator.fc.invoke import INVOKE, Call, invoke
from junbi.emulator.fc.queue import AsyncQueue
from junbi.emulator.fc.timers import Timers

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import datetime
    from pathlib import Path

    from flask import Flask

    from junbi.emulator.clock import Clock
    from junbi.emulator.faults import Faults
    from junbi.emulator.fc.invoke import Outcome
    from junbi.emulator.fc.message import Message
    from junbi.emulator.fc.spec import FunctionSpec, TimerTrigger
    from junbi.emulator.keys import Keys
    from junbi.emulator.records import Records


class FunctionCompute:
    """Safe to use from many threads.

    Args:
        records: where the asynchronous queue and the timers are kept.
        keys: issues each call's credentials, to the role named like the function.
        clock: timers, delays and message ages go by its emulated time.
        faults: points ``fc.event[.<function>]`` (queued calls: drop, duplicate, delay, reorder) and
            ``fc.invoke[.<function>]`` (an error before the call, or after it, when its work is done).
        region, account_id: what functions are told.
        data: the functions' output goes to ``<data>/logs/<function>.log``.
        domain_function: answers every path that is neither the API's nor an HTTP trigger's, as behind a custom domain.
        start_seconds: how long an instance may take to serve (real time).
    """

    def __init__(
        self,
        *,
        records: Records,
        keys: Keys,
        clock: Clock,
        faults: Faults,
        region: str,
        account_id: str,
        data: Path,
        domain_function: str = "http_api",
        start_seconds: float = START_SECONDS,
    ) -> None:
        self.domain_function = domain_function
        self._records, self._keys, self._clock, self._faults = records, keys, clock, faults
        self._home = Home(region, account_id, keys, data / "logs", start_seconds)
        self._lock = threading.Lock()
        self._fleets: dict[str, Fleet] = {}
        self._specs: dict[str, FunctionSpec] = {}
        self._queue = AsyncQueue(records, clock, faults, self._deliver)
        self._timers = Timers(records, clock, self._tick)

    def deploy(self, specs: Iterable[FunctionSpec]) -> None:
        """Replace all functions and triggers by these.

        Instances of a function that did not change stay; others end when their calls have. Messages of a function
        that is gone wait until it comes back. ScheduleInvalid changes nothing.
        """
        wanted = {spec.name: spec for spec in specs}
        self._timers.set(wanted.values())
        with self._lock:
            before, self._specs, self._fleets = self._fleets, wanted, {}
            for name, spec in wanted.items():
                kept = name in before and before[name].spec.runs_like(spec)
                self._fleets[name] = before.pop(name) if kept else Fleet(spec, self._home)
        self._queue.serve({name: spec.capacity for name, spec in wanted.items()})
        for fleet in before.values():
            fleet.retire()

    def functions(self) -> dict[str, FunctionSpec]:
        """What is deployed, by name."""
        with self._lock:
            return dict(self._specs)

    def instances(self, name: str) -> int:
        """How many processes of a function run or start."""
        return self._fleet(name).instances

    def oss_event(self, record: Mapping[str, Any]) -> int:
        """Queue one OSS event record for every trigger it matches; how many those were. Durable when it returns.

        The record is one element of the native payload's ``events``, its ``eventName`` without ``oss:``.
        """
        payloads = [
            (spec.name, oss_events.payload(record, spec.name, trigger))
            for spec in self.functions().values()
            for trigger in oss_events.matching(spec, record)
        ]
        for name, body in payloads:
            self._queue.put(name, body)
        return len(payloads)

    def enqueue(self, name: str, body: bytes, request: str = "") -> str:
        """Queue an asynchronous call and return its request id; durable when it returns. ApiError: no such function."""
        self._fleet(name)
        return self._queue.put(name, body, request)

    def invoke(self, name: str, body: bytes) -> Outcome:
        """Call a function and wait for it.

        Raises:
            ApiError: it does not exist, is throttled, did not start, or an ordered fault struck.
        """
        return self.call(name, Call(INVOKE, request_id(), body=body))

    def call(self, name: str, call: Call) -> Outcome:
        """The same for any call, as the gateway makes them."""
        return invoke(self._fleet(name), call, self._faults)

    def pending(self) -> list[Message]:
        """Asynchronous calls accepted and not yet dealt with."""
        return self._queue.pending()

    def dead(self) -> list[Message]:
        """Asynchronous calls that were given up (the newest 1,000), each with its last error."""
        return self._queue.dead()

    def logs(self, name: str) -> str:
        """All that a function's instances have written."""
        path = self._home.logs / f"{name}.log"
        return path.read_text(errors="replace") if path.exists() else ""

    def gateway(self) -> Flask:
        """The application for the main port: the API, the HTTP triggers, the custom domain."""
        return make_gateway(self, self._keys, self._clock, self._records)

    def stop(self) -> None:
        """End all instances and threads, within a few seconds. What was queued stays queued."""
        self._timers.stop()
        with self._lock:
            fleets, self._fleets, self._specs = list(self._fleets.values()), {}, {}
        stopping = [threading.Thread(target=fleet.stop, name="fc-stop") for fleet in fleets]
        for thread in stopping:
            thread.start()
        self._queue.stop()
        for thread in stopping:
            thread.join()

    def _fleet(self, name: str) -> Fleet:
        with self._lock:
            fleet = self._fleets.get(name)
        if fleet is None:
            raise ApiError("FunctionNotFound", f"function '{name}' does not exist", 404)
        return fleet

    def _deliver(self, message: Message) -> Outcome:
        retries = message.failures + message.setbacks
        return self.call(message.function, Call(INVOKE, message.request_id, body=message.body, retries=retries))

    def _tick(self, name: str, trigger: TimerTrigger, moment: datetime) -> None:
        """Source: a real timer payload; times in UTC to the second."""
        payload = {
            "triggerTime": f"{moment:%Y-%m-%dT%H:%M:%SZ}",
            "triggerName": trigger.name,
            "payload": trigger.payload,
        }
        self._queue.put(name, json.dumps(payload).encode())
