"""Nobody waits for ever, and nothing is left to whoever gets the session next."""

from __future__ import annotations

import threading
import time
from dataclasses import replace
from datetime import UTC, datetime

import psycopg
import pytest

from junbi.core.facts import Arrival, ArrivalState
from junbi.errors import LedgerUnavailable, Stale
from junbi.ledger.clock import LedgerClock
from junbi.ledger.ledger import Ledger, open_ledger
from junbi.ledger.postgres import Limits, PostgresDatabase

NOW = datetime(2026, 3, 1, tzinfo=UTC)
ARRIVAL = Arrival("digits:digits/v1/", "digits", "b", "digits/v1/", {}, ArrivalState.OPEN, NOW, NOW)


def messages(address: str) -> list[str]:
    """All that was told, as a new opening sees it."""
    return [story["message"] for story in open_ledger(address).stories()]


def tell(ledger: Ledger, message: str) -> None:
    """Write something."""
    ledger.tell("launch:1", "Code", message, NOW)


class TestLimits:
    """Nobody waits for ever."""

    def test_a_lock_is_waited_for_and_then_given_up(self, impatient: Ledger, address: str) -> None:
        """LedgerUnavailable after the limit; a single statement too; with the lock gone it works."""
        impatient.arrivals.save(ARRIVAL)
        with psycopg.connect(address) as other:
            other.execute("SELECT * FROM arrival FOR UPDATE")
            began = time.monotonic()
            with pytest.raises(LedgerUnavailable, match="lock timeout"):
                impatient.arrivals.save(replace(ARRIVAL, row=1))
            with pytest.raises(LedgerUnavailable, match="lock timeout"), impatient.transaction():
                impatient.arrivals.save(replace(ARRIVAL, row=1))
            assert 0.8 <= time.monotonic() - began < 5
        impatient.arrivals.save(replace(ARRIVAL, row=1))

    def test_a_statement_that_takes_too_long_is_ended(self, impatient: Ledger, address: str) -> None:
        """Whatever it is busy with: here a table that is locked and no limit on waiting for it."""
        patient = Ledger(PostgresDatabase(address, Limits(lock=60_000, statement=300)), LedgerClock())
        with psycopg.connect(address) as other:
            other.execute("LOCK TABLE story")
            with pytest.raises(LedgerUnavailable, match="statement timeout"):
                patient.stories()
            with pytest.raises(LedgerUnavailable, match="statement timeout"), patient.transaction():
                tell(patient, "x")
        assert impatient.stories() == []

    def test_a_worker_that_is_paused_in_a_transaction_is_cut_off(self, impatient: Ledger, address: str) -> None:
        """Its transaction is taken back, those who waited go on, and it is told when it wakes up."""
        others = Ledger(PostgresDatabase(address), LedgerClock())

        def pause() -> None:
            with impatient.transaction():
                tell(impatient, "paused")
                with others.transaction():
                    tell(others, "went on")
                tell(impatient, "too late")

        with pytest.raises(LedgerUnavailable):
            pause()
        assert messages(address) == ["went on"]
        tell(impatient, "again")
        assert messages(address) == ["went on", "again"]

    def test_whoever_waits_outlives_whoever_is_paused(self) -> None:
        """By default the pause ends before the waiting does, and waiting before the statement."""
        limits = Limits()
        assert limits.idle < limits.lock < limits.statement

    def test_a_deadlock_is_stale_for_one_and_nothing_for_the_other(self, address: str) -> None:
        """Two that lock in opposite order: one is told to decide again, both orders are never half saved."""
        ledger = open_ledger(address)
        first, second = ARRIVAL, replace(ARRIVAL, key="digits:digits/v2/", prefix="digits/v2/")
        for arrival in (first, second):
            ledger.arrivals.save(arrival)
        barrier, results = threading.Barrier(2), []

        def save(order: list[Arrival], bucket: str) -> None:
            try:
                with ledger.transaction(alone=False):
                    ledger.arrivals.save(replace(order[0], row=1, reason=None, revision=bucket))
                    barrier.wait()
                    ledger.arrivals.save(replace(order[1], row=1, reason=None, revision=bucket))
                results.append(bucket)
            except Stale:
                results.append("stale")

        orders = [([first, second], "one"), ([second, first], "two")]
        threads = [threading.Thread(target=save, args=order) for order in orders]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        (winner,) = set(results) - {"stale"}
        assert len(results) == 2
        assert {arrival.revision for arrival in ledger.arrivals.newest()} == {winner}


class TestPooler:
    """Behind a transaction pooler the session is not ours."""

    def test_nothing_is_left_in_the_session(self, address: str, ledger: Ledger) -> None:
        """After reads, writes and transactions: no setting changed, no lock, no prepared statement, no open portal."""
        fresh = psycopg.connect(address, application_name="junbi", autocommit=True)
        used = ledger._database._connection()  # type: ignore[attr-defined]
        for number in range(8):  # psycopg would prepare what it sees for the fifth time
            with ledger.transaction():
                tell(ledger, str(number))
            ledger.worklist.ask("launch", "x", NOW)
            ledger.worklist.claim(NOW)
            ledger.stories()
        question = "SELECT name, setting FROM pg_settings ORDER BY name"
        assert [tuple(row.values()) for row in used.execute(question)] == fresh.execute(question).fetchall()
        for left in (
            "pg_prepared_statements",
            "pg_cursors",
            "pg_listening_channels()",
            "pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid()",
        ):
            assert used.execute(f"SELECT * FROM {left}").fetchall() == [], left
        fresh.close()
