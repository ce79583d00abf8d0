"""Carries a plan out on a real PostgreSQL and a local cloud, waits for the quiet after it, and brings the history."""

from __future__ import annotations

import itertools
import json
import signal
import time
from collections import Counter
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import psycopg
from psycopg.rows import dict_row
from tests.processes.cloud import HELD_BACK, VALID, LocalCloud, declared
from tests.processes.crew import Crew
from tests.processes.history import History, several

from junbi.ledger.clock import LedgerClock
from junbi.ledger.ledger import open_ledger
from junbi.pipeline.apply import apply

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import PostgresServer
    from tests.processes.plan import Plan, Strike

TABLES = ("arrival", "revision", "registration", "head", "launch", "try", "work", "story")

#: Real seconds between two looks at what is due.
BEAT = 0.02

_CUT = (
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'junbi' AND pid % {parts} = {part}"
)


class Conductor:
    """One run. ``counted`` says what was done to whom."""

    def __init__(self, plan: Plan, folder: Path, server: PostgresServer, variant: str) -> None:
        self._plan, self._server = plan, server
        self.log = folder / "log"
        self._url = server.blank()
        self.cloud = LocalCloud(folder)
        environment = self.cloud.environment(self._url)
        self._clock = LedgerClock(*map(float, environment["JUNBI_CLOCK"].split(",")))
        ledger = open_ledger(self._url, migrate=True)
        ledger._clock = self._clock
        apply(ledger, declared(plan))
        self._crew = Crew(plan, environment, str(self.log), variant)
        self.counted: Counter[str] = Counter()
        self._untold = {f"{one.dataset}/{one.version}/" for one in plan.uploads if not one.told}

    def run(self) -> History:
        """The whole plan, and the quiet after it."""
        try:
            self._chaos()
            self._crew.calm()
            self.cloud.calm()
            if not self._doubled():
                self._wait()
            return self._history()
        finally:
            self._crew.stop()
            self.cloud.stop()

    def _chaos(self) -> None:
        begun = time.monotonic()
        uploads, strikes = list(self._plan.uploads), list(self._plan.strikes)
        looks = itertools.count(1)
        while (passed := time.monotonic() - begun) < self._plan.profile.seconds or uploads or strikes:
            while uploads and uploads[0].at <= passed:
                self.cloud.upload(uploads.pop(0))
            if strikes and strikes[0].at <= passed:
                self._strike(strikes.pop(0))
            self._attend()
            if next(looks) % 50 == 0 and self._doubled():
                return

    def _doubled(self) -> bool:
        """Whether there is what no quiet undoes."""
        return any(several("jobs", ((one["launch"], one["attempt"]) for one in self.cloud.jobs())))

    def _attend(self) -> None:
        """Whatever is due, for a moment."""
        while self.cloud.raised:
            self._deliver(self.cloud.raised.popleft())
        if caught := self.cloud.caught():
            self.counted["caught in an ambush"] += caught
            for worker in self._crew.workers:
                worker.kill()
        self._crew.attend()
        time.sleep(BEAT)

    def _deliver(self, record: dict[str, Any]) -> None:
        key = record["oss"]["object"]["key"]
        if key.startswith(tuple(self._untold)):
            self.counted["events lost"] += 1
            return
        body, now = json.dumps({"events": [record]}).encode(), time.monotonic()
        for delay, process in self._plan.deliveries(key):
            self.counted["deliveries"] += 1
            self._crew.clients[process].deliver(now + delay, body)

    def _strike(self, strike: Strike) -> None:
        self.counted[strike.kind] += 1
        members = self._crew.clients if strike.kind.endswith("clients") else self._crew.workers
        match strike.kind:
            case "kill" | "kill_clients":
                members[strike.target].kill()
            case "pause" | "pause_clients":
                members[strike.target].pause(strike.seconds)
            case "cut":
                self._server.execute(_CUT.format(parts=len(members), part=strike.target))
            case "restart" | "crash":
                self._server.stop(signal.SIGINT if strike.kind == "restart" else signal.SIGQUIT)
                self._server.start()
            case "fault" | "ambush":
                self.cloud.order(strike)

    def _wait(self) -> None:
        """Until everything is done, and then until no copy of a request can take effect any more."""
        begun = time.monotonic()
        while not self._quiet() and time.monotonic() < begun + self._plan.profile.patience:
            self._attend_for(0.5)
        self.counted["seconds until quiet"] = round(time.monotonic() - begun)
        self._attend_for(VALID + HELD_BACK)

    def _attend_for(self, seconds: float) -> None:
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self._attend()

    def _quiet(self) -> bool:
        if self.cloud.raised or self._crew.unanswered:
            return False
        now = self._clock.at(time.time())
        tables = self._tables(("work", "launch", "revision", "arrival"))
        soon = (now + timedelta(minutes=1)).isoformat()
        busy = any(row["failures"] or (row["due_at"] < soon and row["kind"] != "audit") for row in tables["work"])
        open_ones = any(row["state"] in {"open", "closing"} for row in tables["arrival"])
        ended = all(row["state"] == "succeeded" for row in tables["launch"])
        return ended and not busy and not open_ones and len(tables["revision"]) >= len(self.cloud.uploaded)

    def _tables(self, names: tuple[str, ...]) -> dict[str, list[dict[str, Any]]]:
        with psycopg.connect(self._url, row_factory=dict_row, autocommit=True) as connection:
            return {name: connection.execute(f"SELECT * FROM {name}").fetchall() for name in names}

    def _history(self) -> History:
        complaints = list(self._crew.complaints)
        unforeseen = [line for line in self.log.read_text().splitlines() if "nobody foresaw" in line]
        self.counted["killed"] = sum(one.killed for one in self._crew.members)
        return History(
            now=self._clock.at(time.time()),
            uploads=self.cloud.uploaded,
            plans={name: list(one.on) for name, one in declared(self._plan).plans.items()},
            jobs=self.cloud.jobs(),
            datasets=self.cloud.datasets(),
            versions=self.cloud.versions(),
            tables=self._tables(TABLES),
            unanswered=self._crew.unanswered,
            complaints=complaints + unforeseen,
        )
