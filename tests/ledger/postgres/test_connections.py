"""Connections that end, and a server that does: a clear error or none at all, and nothing lost or done twice."""

from __future__ import annotations

import signal
import threading
import time
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import psycopg
import pytest

from junbi.core.facts import Arrival, ArrivalState
from junbi.errors import LedgerError, LedgerUnavailable, Stale
from junbi.ledger.ledger import Ledger, open_ledger
from junbi.ledger.postgres import ALONE

if TYPE_CHECKING:
    from collections.abc import Callable

NOW = datetime(2026, 3, 1, tzinfo=UTC)
ARRIVAL = Arrival("digits:digits/v1/", "digits", "b", "digits/v1/", {}, ArrivalState.OPEN, NOW, NOW)


def messages(address: str) -> list[str]:
    """All that was told, as a new opening sees it."""
    return [story["message"] for story in open_ledger(address).stories()]


def tell(ledger: Ledger, message: str) -> None:
    """Write something."""
    ledger.tell("launch:1", "Code", message, NOW)


def backend(ledger: Ledger) -> int:
    """The server's process for this thread's connection."""
    pid: int = ledger._database._connection().info.backend_pid  # type: ignore[attr-defined]
    return pid


def terminate(postgres: Any, ledger: Ledger) -> None:
    """End this thread's connection from the other side."""
    postgres.execute(f"SELECT pg_terminate_backend({backend(ledger)}, 5000)")


def until(true: Callable[[], bool], patience: float = 10) -> None:
    """Wait for something."""
    end = time.monotonic() + patience
    while not true():
        assert time.monotonic() < end
        time.sleep(0.02)


def cut_off(postgres: Any, address: str, lock: str, work: Callable[[], Any]) -> Any:
    """Do something that has to wait for a lock, and end its connection while it waits; what came of it."""
    results: list[Any] = []

    def run() -> None:
        try:
            results.append(work())
        except LedgerError as error:
            results.append(error)

    waiting = (
        "SELECT pid FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND "
        "{} = ANY (pg_blocking_pids(pid)) AND pid <> pg_backend_pid()"
    )
    with psycopg.connect(address) as other:
        other.execute(lock)
        worker = threading.Thread(target=run)
        worker.start()
        mine = waiting.format(other.info.backend_pid)
        until(lambda: postgres.execute(mine) != [])
        postgres.execute(f"SELECT pg_terminate_backend(pid, 5000) FROM ({mine}) AS found")
        other.rollback()
        worker.join()
    return results[0]


class TestLostConnections:
    """A connection that ends."""

    def test_one_that_ended_while_idle_is_replaced(self, postgres: Any, address: str, ledger: Ledger) -> None:
        """Reads, writes and transactions go on as if nothing had been, each done once."""
        work: list[Callable[[], Any]] = [
            ledger.stories,
            lambda: tell(ledger, "alone"),
            lambda: ledger.arrivals.save(ARRIVAL),
            lambda: ledger.worklist.ask("launch", "x", NOW),
        ]
        for step in work:
            terminate(postgres, ledger)
            step()
        terminate(postgres, ledger)
        with ledger.transaction():
            tell(ledger, "inside")
        assert messages(address) == ["alone", "inside"]

    def test_one_that_broke_on_the_way_is_replaced_where_nothing_can_happen_twice(
        self, postgres: Any, address: str, ledger: Ledger
    ) -> None:
        """Reads, asking for a look, ending one, and the beginning of a transaction are repeated once."""
        ledger.worklist.ask("launch", "x", NOW)
        (item,) = ledger.worklist.claim(NOW)

        def decide() -> None:
            with ledger.transaction():
                tell(ledger, "inside")

        assert cut_off(postgres, address, "LOCK TABLE story", ledger.stories) == []
        assert cut_off(postgres, address, "LOCK TABLE work", lambda: ledger.worklist.ask("launch", "y", NOW)) is None
        assert cut_off(postgres, address, "LOCK TABLE work", lambda: ledger.worklist.finish(item, NOW)) is None
        assert cut_off(postgres, address, ALONE, decide) is None
        assert [item.id for item in ledger.worklist.claim(NOW + timedelta(hours=1))] == ["y"]
        assert messages(address) == ["inside"]

    def test_a_write_that_must_not_happen_twice_is_not_repeated(
        self, postgres: Any, address: str, ledger: Ledger
    ) -> None:
        """Whether it happened is not known, so LedgerUnavailable; the next call has a new connection."""
        answer = cut_off(postgres, address, "LOCK TABLE story", lambda: tell(ledger, "lost"))
        assert isinstance(answer, LedgerUnavailable)
        tell(ledger, "kept")
        assert messages(address) == ["kept"]

    def test_in_a_transaction_nothing_is_done(self, postgres: Any, address: str, ledger: Ledger) -> None:
        """What came after the end goes to no other connection by itself: all or nothing."""

        def break_in_the_middle() -> None:
            with ledger.transaction():
                tell(ledger, "before")
                terminate(postgres, ledger)
                for _ in range(2):
                    with pytest.raises(LedgerUnavailable):
                        tell(ledger, "after")
                tell(ledger, "at the end")

        with pytest.raises(LedgerUnavailable):
            break_in_the_middle()
        assert messages(address) == []
        with ledger.transaction():
            tell(ledger, "next")
        assert messages(address) == ["next"]

    def test_a_commit_that_did_not_arrive_is_unknown_and_callers_stay_right(
        self, postgres: Any, ledger: Ledger
    ) -> None:
        """LedgerUnavailable says so; a caller that loads and decides again saves it once."""

        def lose() -> None:
            with ledger.transaction():
                ledger.arrivals.save(ARRIVAL)
                terminate(postgres, ledger)

        with pytest.raises(LedgerUnavailable, match="All of it was saved or nothing"):
            lose()
        assert ledger.arrivals.get(ARRIVAL.key) is None
        with ledger.transaction():
            ledger.arrivals.save(ARRIVAL)
        with pytest.raises(Stale):  # had the first one been saved after all, this is what the second would get
            ledger.arrivals.save(ARRIVAL)

    def test_a_failed_statement_spoils_its_transaction_aloud(self, address: str, ledger: Ledger) -> None:
        """Whoever swallows the error of a statement does not get a commit that saved nothing."""

        def swallow() -> None:
            with ledger.transaction():
                tell(ledger, "inside")
                with pytest.raises(LedgerError):
                    ledger._database.run("known_prefixes", dataset="x", bucket="b", prefixes="no JSON")

        with pytest.raises(LedgerError, match="took a transaction back"):
            swallow()
        assert messages(address) == []

    def test_connections_end_with_their_threads(self, postgres: Any, ledger: Ledger) -> None:
        """A server has few of them: a thread that ended holds none."""
        pids: list[int] = []
        for _ in range(5):
            thread = threading.Thread(target=lambda: (ledger.stories(), pids.append(backend(ledger))))
            thread.start()
            thread.join()
        listed = ",".join(map(str, pids))
        until(lambda: postgres.execute(f"SELECT pid FROM pg_stat_activity WHERE pid IN ({listed})") == [])


class TestRestarts:
    """The server itself."""

    @pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGQUIT], ids=["restart", "crash"])
    def test_bc_10_it_goes_on_after_the_server_came_back(self, own_postgres: Any, how: signal.Signals) -> None:
        """BC-10: what was saved is there, what was under way left nothing, and while it is away that is said."""
        address = own_postgres.blank()
        ledger = open_ledger(address, migrate=True)
        tell(ledger, "before")

        def restart_in_the_middle() -> None:
            with ledger.transaction():
                tell(ledger, "under way")
                own_postgres.stop(how)
                own_postgres.start()

        with pytest.raises(LedgerUnavailable):
            restart_in_the_middle()
        tell(ledger, "after")
        own_postgres.stop(how)
        with pytest.raises(LedgerUnavailable, match="could not be used"):
            tell(ledger, "lost")
        with pytest.raises(LedgerUnavailable), ledger.transaction():
            tell(ledger, "lost")
        own_postgres.start()
        with ledger.transaction():
            tell(ledger, "at last")
        assert messages(address) == ["before", "after", "at last"]
