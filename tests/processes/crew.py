"""The workers and clients of a run: real processes that are killed, paused and started again."""

from __future__ import annotations

import heapq
import itertools
import multiprocessing
import os
import signal
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from tests.processes.client import note_for
from tests.processes.worker import work_on

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from multiprocessing.context import ForkServerProcess

    from tests.processes.plan import Plan

#: Real seconds until somebody who was killed is there again.
ABSENT = 0.3


class Member:
    """One process, and the next one in its place."""

    def __init__(self, target: Any, arguments: tuple[Any, ...]) -> None:
        self._target, self._arguments = target, arguments
        self._begins_at = 0.0
        self._paused_until = 0.0
        self.process: ForkServerProcess | None = None
        self.killed = 0
        self.start()

    def start(self) -> None:
        """Start it."""
        # A clean process that has everything loaded forks it: a start costs milliseconds.
        context = multiprocessing.get_context("forkserver")
        context.set_forkserver_preload(["tests.processes.worker", "tests.processes.client"])
        self.process = context.Process(target=self._target, args=self._arguments, daemon=True)
        self.process.start()

    @property
    def paused(self) -> bool:
        """Whether it stands still."""
        return self._paused_until > 0

    @property
    def there(self) -> bool:
        """Whether it can take anything."""
        return self.process is not None and not self.paused

    def signal(self, number: signal.Signals) -> None:
        """Send it a signal, by its own process id."""
        if self.process is not None and self.process.pid is not None and self.process.exitcode is None:
            with suppress(ProcessLookupError):
                os.kill(self.process.pid, number)

    def pause(self, seconds: float) -> None:
        """Let it stand still."""
        self.signal(signal.SIGSTOP)
        self._paused_until = time.monotonic() + seconds

    def go_on(self) -> None:
        """End its pause."""
        self._paused_until = 0.0
        self.signal(signal.SIGCONT)

    def kill(self) -> None:
        """Kill it; it comes again."""
        if self.process is None:
            return
        self.signal(signal.SIGKILL)
        self.process.join()
        self.process.close()
        self.process, self._paused_until = None, 0.0
        self._begins_at = time.monotonic() + ABSENT
        self.killed += 1

    def attend(self) -> str:
        """Start it again or let it go on when it is time; what is wrong where it ended by itself."""
        now = time.monotonic()
        if self.process is None and now >= self._begins_at:
            self.start()
        elif self.paused and now >= self._paused_until:
            self.go_on()
        elif self.process is not None and self.process.exitcode is not None:
            wrong = f"{self._target.__name__} ended by itself, with {self.process.exitcode}"
            self.kill()
            return wrong
        return ""


class Worker(Member):
    """A worker."""

    def __init__(self, environment: dict[str, str], log: str, variant: str) -> None:
        super().__init__(work_on, (environment, log, variant))


class ClientProcess(Member):
    """A process of clients, and the deliveries that it has and has not answered."""

    def __init__(self, environment: dict[str, str], log: str, clients: int) -> None:
        self._settings = (environment, log, clients)
        self._ours: Connection | None = None
        self._numbers = itertools.count()
        self._coming: list[tuple[float, int, bytes]] = []
        self._handed: dict[int, bytes] = {}
        super().__init__(note_for, ())

    def start(self) -> None:
        """Start it with a connection of its own; what the one before did not answer it gets again."""
        environment, log, clients = self._settings
        self._ours, theirs = multiprocessing.Pipe()
        self._arguments = (environment, log, theirs, clients)
        super().start()
        theirs.close()
        for number, body in self._handed.items():
            heapq.heappush(self._coming, (0.0, number, body))
        self._handed = {}

    def deliver(self, at: float, body: bytes) -> None:
        """Have an event delivered at a moment (``time.monotonic()``) or when it is there."""
        heapq.heappush(self._coming, (at, next(self._numbers), body))

    @property
    def unanswered(self) -> int:
        """How many deliveries were not answered yet."""
        return len(self._coming) + len(self._handed)

    def exchange(self) -> list[str]:
        """Hand over what is due and take the answers; what is wrong in them."""
        wrong: list[str] = []
        if not self.there or self._ours is None:
            return wrong
        with suppress(OSError, EOFError):  # it was killed just now: it is started again
            while self._coming and self._coming[0][0] <= time.monotonic():
                _, number, body = self._coming[0]
                self._ours.send((number, body))
                heapq.heappop(self._coming)
                self._handed[number] = body
            while self._ours.poll():
                number, said = self._ours.recv()
                self._handed.pop(number)
                wrong += [said] if said else []
        return wrong


class Crew:
    """Everybody of a run."""

    def __init__(self, plan: Plan, environment: dict[str, str], log: str, variant: str) -> None:
        profile = plan.profile
        clients = profile.clients // profile.client_processes
        self.workers = [Worker(environment, log, variant) for _ in range(profile.workers)]
        self.clients = [ClientProcess(environment, log, clients) for _ in range(profile.client_processes)]
        self.complaints: list[str] = []

    @property
    def members(self) -> list[Member]:
        """All of them."""
        return [*self.workers, *self.clients]

    @property
    def unanswered(self) -> int:
        """How many deliveries were not answered yet."""
        return sum(one.unanswered for one in self.clients)

    def attend(self) -> None:
        """Whatever is due for anybody."""
        for member in self.members:
            self._complain(member.attend())
        for client in self.clients:
            for said in client.exchange():
                self._complain(said)

    def calm(self) -> None:
        """End every pause."""
        for member in self.members:
            if member.paused:
                member.go_on()

    def stop(self) -> None:
        """Kill everybody, for good."""
        for member in self.members:
            member.kill()

    def _complain(self, said: str) -> None:
        if said and said not in self.complaints:
            self.complaints.append(said)
