"""Claim, submit, record: one worker against a null CreateJob, beside the bare commits that it makes."""

from __future__ import annotations

import tempfile
import time
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.conftest import serve
from tests.performance import pai
from tests.performance.ledgers import digits
from tests.performance.members import Members
from tests.performance.one_row import DURABLE
from tests.performance.plans import plan, upload
from tests.performance.result import Result

from junbi.core.facts import LaunchState
from junbi.ledger.ledger import open_ledger
from junbi.pipeline import work
from junbi.pipeline.apply import apply

if TYPE_CHECKING:
    from collections.abc import Iterator

    from junbi.ledger.ledger import Ledger

LAUNCHES, ROUNDS = 200, 3
BUDGET = 0.5


class Commits:
    """Counts the commits of a ledger: transactions, and statements outside of them that changed something."""

    def __init__(self, ledger: Ledger) -> None:
        self.count = 0
        self._inside = False
        database: Any = ledger._database
        self._run, self._rows, self._transaction = database.run, database.rows, database.transaction
        database.run, database.rows, database.transaction = self.run, self.rows, self.transaction

    def run(self, statement: str, /, **values: Any) -> int:
        """One that may change something."""
        changed: int = self._run(statement, **values)
        self.count += bool(changed) and not self._inside
        return changed

    def rows(self, statement: str, /, **values: Any) -> list[Any]:
        """One that reads, but for the one that claims."""
        found: list[Any] = self._rows(statement, **values)
        self.count += bool(found) and statement == "claim" and not self._inside
        return found

    @contextmanager
    def transaction(self, **named: bool) -> Iterator[None]:
        """Several at once."""
        self.count += 1
        with self._transaction(**named):
            self._inside = True
            try:
                yield
            finally:
                self._inside = False


def let_be_due(ledger: Ledger, launches: int, round_: int) -> None:
    """So many launches, ready to be submitted, whose looks are due."""
    newest, now = ledger.launches.newest(1)[0], ledger.now()
    with ledger.transaction():
        for number in range(launches):
            name = f"{round_}-{number}"
            one = replace(newest, id=f"l-{name}", identity=f"i-{name}", trigger=f"t-{name}", job_id="", row=0)
            ledger.launches.add(replace(one, state=LaunchState.WAITING, checks=(), attempt=1))
            ledger.worklist.ask("launch", one.id, now)


def submitted(ledger: Ledger, launches: int) -> float:
    """Seconds in which one worker submits all that are due."""
    yes = pai.Yes()
    ports = pai.ports(ledger, workspace=yes, dlc=yes, objects=Members(2))
    start = time.perf_counter()
    work.tick(ports)
    taken = time.perf_counter() - start
    if yes.jobs != launches:
        raise AssertionError(f"{yes.jobs} of {launches} launches were submitted")
    return taken


def committed(ledger: Ledger, commits: int) -> float:
    """Seconds that so many commits take, each of one new row as long as a launch's, on the same connection."""
    text, now = ledger.launches.newest(1)[0].spec.model_dump_json(), ledger.now()
    start = time.perf_counter()
    for _ in range(commits):
        ledger.tell("floor", "Floor", text, now)
    return time.perf_counter() - start


def measure() -> Iterator[Result]:
    """On both engines, what is committed being on disk."""
    with tempfile.TemporaryDirectory() as folder:
        yield _measure(open_ledger(f"sqlite:///{Path(folder, 'ledger.db')}"), "SQLite")
    for server in serve(**DURABLE):
        yield _measure(open_ledger(server.blank(), migrate=True), "PostgreSQL")


def _measure(ledger: Ledger, engine: str) -> Result:
    apply(ledger, digits(plan("train", "digits")))
    upload(ledger, "v1")
    commits, rounds = Commits(ledger), []
    for number in range(ROUNDS):
        let_be_due(ledger, LAUNCHES, number)
        commits.count = 0
        taken = submitted(ledger, LAUNCHES)
        each = commits.count / LAUNCHES
        rounds.append((taken, committed(ledger, commits.count)))
    taken, floor = (min(several) for several in zip(*rounds, strict=True))
    how = (
        f"{LAUNCHES / taken:,.0f} launches/s, {each:.2f} commits each, beside {LAUNCHES / floor:,.0f}/s if they did "
        f"nothing but commit rows as long; the best of {ROUNDS} rounds of {LAUNCHES}, null PAI, synced"
    )
    return Result(
        f"claim, submit, record: beside its bare commits, {engine}", floor / taken, BUDGET, how, at_least=True
    )
