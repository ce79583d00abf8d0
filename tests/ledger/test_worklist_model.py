"""The worklist against a small model: whatever workers and callers do, no call for a look is lost."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from junbi.ledger.worklist import LEASE, PATIENCE, SELDOM

if TYPE_CHECKING:
    from junbi.ledger.ledger import Ledger
    from junbi.ledger.worklist import Item

START = datetime(2026, 3, 1, tzinfo=UTC)
KEYS = st.sampled_from("ab")
SECONDS = st.sampled_from([0, 1, 60, 200, 700])


class Row:
    """What the model knows of one thing to look at."""

    def __init__(self, due_at: datetime) -> None:
        self.due_at = due_at
        self.holder: Item | None = None
        self.leased_until = START
        self.failures = 0
        #: Whether somebody asked since the holder was given the row.
        self.asked_meanwhile = False


def busy(machine: Model) -> bool:
    """Whether any worker has something in its hands."""
    return bool(machine.items)


class Model(RuleBasedStateMachine):
    """Callers ask, workers claim, finish, come back late or never; time goes on."""

    ledger: Ledger

    def __init__(self) -> None:
        super().__init__()
        self.worklist = self.ledger.worklist
        self.rows: dict[str, Row] = {}
        self.now = START
        #: What workers hold, or believe to hold.
        self.items: list[Item] = []

    @initialize()
    def begin(self) -> None:
        """Both things are to be looked at from the start."""
        self.ask("a", 0)
        self.ask("b", 0)

    @rule(key=KEYS, seconds=SECONDS)
    def ask(self, key: str, seconds: int) -> None:
        """Somebody calls for a look."""
        due_at = self.now + timedelta(seconds=seconds)
        self.worklist.ask("launch", key, due_at)
        row = self.rows.setdefault(key, Row(due_at))
        row.due_at = min(row.due_at, due_at)
        row.asked_meanwhile = row.holder is not None

    @rule(most=st.integers(1, 2))
    def claim(self, most: int) -> None:
        """A worker takes what is due."""
        given = self.worklist.claim(self.now, most)
        free = [key for key, row in self.rows.items() if row.due_at <= self.now and self._free(row)]
        expected = sorted(free, key=lambda key: (self.rows[key].due_at, key))[:most]
        assert [item.id for item in given] == expected
        for item in given:
            row = self.rows[item.id]
            row.failures += row.holder is not None
            assert item.failures == row.failures
            row.holder, row.leased_until, row.asked_meanwhile = item, self.now + LEASE, False
        self.items += given

    @precondition(busy)
    @rule(seconds=SECONDS)
    def ask_meanwhile(self, seconds: int) -> None:
        """An event comes for what a worker is looking at."""
        self.ask(self.items[-1].id, seconds)

    @precondition(busy)
    @rule()
    def outlive_a_lease(self) -> None:
        """A worker is paused for longer than its lease, and another takes its row."""
        self.wait(int(LEASE.total_seconds()) + 1)
        self.claim(2)

    @precondition(busy)
    @rule(which=st.integers(0, 9))
    def finish(self, which: int) -> None:
        """A worker has nothing more to do; perhaps it was paused and comes too late."""
        item = self._taken(which)
        self.worklist.finish(item, self.now)
        row = self.rows.get(item.id)
        if row is None or row.holder is not item:
            return
        if row.asked_meanwhile:
            self._again(row, self.now, 0)
        else:
            del self.rows[item.id]

    @precondition(busy)
    @rule(which=st.integers(0, 9), seconds=SECONDS, failures=st.integers(0, 3))
    def again(self, which: int, seconds: int, failures: int) -> None:
        """A worker wants to look again, after a failure or not; perhaps it comes too late."""
        item = self._taken(which)
        due_at = self.now + timedelta(seconds=seconds)
        self.worklist.again(item, due_at, failures, "problem" if failures else "")
        row = self.rows.get(item.id)
        if row is not None and row.holder is item:
            self._again(row, due_at, failures)

    @rule()
    def release(self) -> None:
        """Everything is started anew."""
        self.worklist.release_all()
        for row in self.rows.values():
            row.holder = None

    @rule(seconds=st.sampled_from([1, 60, 61, 300]))
    def wait(self, seconds: int) -> None:
        """Time goes on."""
        self.now += timedelta(seconds=seconds)

    @invariant()
    def every_row_is_there_with_its_time(self) -> None:
        """No row is lost, none comes from nowhere, each is due when the model says."""
        for key in "ab":
            entry, row = self.worklist.entry("launch", key), self.rows.get(key)
            assert (entry is None) == (row is None)
            if entry is not None and row is not None:
                assert datetime.fromisoformat(entry["due_at"]) == row.due_at
        free = sum(row.due_at <= self.now and self._free(row) for row in self.rows.values())
        assert self.worklist.due(self.now) == free

    def teardown(self) -> None:
        """Leave nothing to the next example."""
        later = self.now + LEASE * 2
        for item in self.worklist.claim(later + timedelta(days=1)):
            self.worklist.finish(item, later)
        assert self.worklist.entry("launch", "a") is self.worklist.entry("launch", "b") is None

    def _taken(self, which: int) -> Item:
        """One of the items that workers have; a worker that never comes back is one whose item is never taken."""
        return self.items.pop(which % len(self.items))

    def _free(self, row: Row) -> bool:
        return row.holder is None or row.leased_until < self.now - (SELDOM if row.failures >= PATIENCE else timedelta())

    def _again(self, row: Row, due_at: datetime, failures: int) -> None:
        row.due_at = min(row.due_at, due_at) if row.asked_meanwhile else due_at
        row.holder, row.failures = None, failures


def test_no_call_for_a_look_is_lost(ledger: Ledger) -> None:
    """Any sequence of asking, claiming, finishing, failing, dying and waiting does as the model does."""
    machine = type("OnThisEngine", (Model,), {"ledger": ledger})
    run_state_machine_as_test(machine, settings=settings(max_examples=60, stateful_step_count=20, deadline=None))
