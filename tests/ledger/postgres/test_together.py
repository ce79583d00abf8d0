"""Many at once: transactions that decide, and claims."""

from __future__ import annotations

import contextlib
import threading
from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import psycopg

from junbi.core.facts import Arrival, ArrivalState
from junbi.ledger.clock import LedgerClock
from junbi.ledger.ledger import Ledger, open_ledger
from junbi.ledger.postgres import Limits, PostgresDatabase

NOW = datetime(2026, 3, 1, tzinfo=UTC)
ARRIVAL = Arrival("digits:digits/v1/", "digits", "b", "digits/v1/", {}, ArrivalState.OPEN, NOW, NOW)

#: Impatient enough for a test.
SHORT = Limits(idle=300, lock=400, statement=600)


def tell(ledger: Ledger, message: str) -> None:
    """Write something."""
    ledger.tell("launch:1", "Code", message, NOW)


def address_of_another(postgres: Any) -> str:
    """A second ledger on the server."""
    address: str = postgres.blank()
    open_ledger(address, migrate=True)
    return address


class TestAlone:
    """Transactions that decide."""

    def test_what_was_read_stays_true_to_the_end(self, ledger: Ledger) -> None:
        """Two uploads complete at one moment; each looks for the other's: one of them sees both, or a plan of both
        is never launched.
        """
        barrier, saw = threading.Barrier(2, timeout=1), []

        def complete(number: int) -> None:
            with ledger.transaction():
                ledger.arrivals.save(replace(ARRIVAL, key=str(number)))
                with contextlib.suppress(threading.BrokenBarrierError):
                    barrier.wait()  # both are inside only if they are not alone
                saw.append(len(ledger.arrivals.newest()))

        threads = [threading.Thread(target=complete, args=(number,)) for number in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(saw) == [1, 2]

    def test_ledgers_do_not_wait_for_each_other(self, postgres: Any, ledger: Ledger) -> None:
        """Two deployments on one server: each has its own lock."""
        other = Ledger(PostgresDatabase(address_of_another(postgres), SHORT), LedgerClock())
        with ledger.transaction(), other.transaction():
            tell(other, "meanwhile")
        assert len(other.stories()) == 1

    def test_single_statements_and_notes_do_not_wait(self, address: str, ledger: Ledger) -> None:
        """Doors and claims go on while somebody decides."""
        other = Ledger(PostgresDatabase(address, SHORT), LedgerClock())
        with ledger.transaction():
            tell(ledger, "deciding")
            other.worklist.ask("launch", "x", NOW)
            assert len(other.worklist.claim(NOW)) == 1
            with other.transaction(alone=False):
                other.arrivals.save(ARRIVAL)
        assert ledger.arrivals.get(ARRIVAL.key) is not None


class TestManyProcesses:
    """Real ones, at one moment."""

    def test_sixteen_share_the_rows(self, ledger: Ledger, address: str, crew: Any) -> None:
        """All 200 rows are handed out, none to two, by claims that pass over each other's."""
        with ledger.transaction():
            for number in range(200):
                ledger.worklist.ask("launch", f"x{number}", NOW)
        answers = crew.run("claim_all", address, 16, "3")
        assert Counter(key for answer in answers for key in answer["mine"]) == Counter(f"x{n}" for n in range(200))

    def test_a_claim_passes_over_what_another_is_claiming(self, ledger: Ledger, address: str) -> None:
        """It neither waits for it nor gets it, and takes no more than it asked for."""
        for number in range(5):
            ledger.worklist.ask("launch", f"x{number}", NOW)
        with psycopg.connect(address) as other:
            other.execute("SELECT * FROM work WHERE id IN ('x0', 'x2') FOR UPDATE")
            assert [item.id for item in ledger.worklist.claim(NOW, most=2)] == ["x1", "x3"]
        assert [item.id for item in ledger.worklist.claim(NOW)] == ["x0", "x2", "x4"]
