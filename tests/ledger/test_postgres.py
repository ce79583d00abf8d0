"""What can go wrong with a server: each time a clear error or none at all, and nothing lost or done twice."""

from __future__ import annotations

import contextlib
import signal
import threading
import time
from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import psycopg
import pytest

from junbi.core.facts import Arrival, ArrivalState
from junbi.errors import LedgerError, LedgerUnavailable, LedgerUnknown, Stale
from junbi.ledger.clock import LedgerClock, SharedClock
from junbi.ledger.ledger import Ledger, open_ledger
from junbi.ledger.postgres import ALONE, Limits, PostgresDatabase

if TYPE_CHECKING:
    from collections.abc import Callable

NOW = datetime(2026, 3, 1, tzinfo=UTC)
ARRIVAL = Arrival("digits:digits/v1/", "digits", "b", "digits/v1/", {}, ArrivalState.OPEN, NOW, NOW)

#: Impatient enough for a test.
SHORT = Limits(idle=300, lock=400, statement=600)


@pytest.fixture
def address(postgres: Any) -> str:
    """A migrated ledger on the shared server."""
    found: str = postgres.blank()
    open_ledger(found, migrate=True)
    return found


@pytest.fixture
def ledger(address: str) -> Ledger:
    """It, open."""
    return open_ledger(address)


@pytest.fixture
def impatient(address: str) -> Ledger:
    """It, with short limits."""
    return Ledger(PostgresDatabase(address, SHORT), LedgerClock())


def messages(address: str) -> list[str]:
    """All that was told, as a new opening sees it."""
    return [story["message"] for story in open_ledger(address).stories()]


def tell(ledger: Ledger, message: str) -> None:
    """Write something."""
    ledger.tell("launch:1", "Code", message, NOW)


def schema_of(address: str) -> str:
    """Where the ledger is."""
    return address.rpartition("%3D")[2]


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


class TestAddresses:
    """What JUNBI_LEDGER may hold."""

    @pytest.mark.parametrize("address", ["postgresql://u:s3cret@h:port/x?nonsense", "postgres://u:s3cret@[::1/x"])
    def test_what_cannot_be_read_is_said_without_the_password(self, address: str) -> None:
        """The form it must have is named, and what stands there is not repeated."""
        with pytest.raises(LedgerError, match="postgresql://user") as caught:
            open_ledger(address)
        assert "s3cret" not in str(caught.value)

    def test_another_scheme_shows_no_password_either(self) -> None:
        """A mistake in the first word is shown, the secret is not."""
        with pytest.raises(LedgerError, match=r"postgres\+x://\*\*\*@h/x") as caught:
            open_ledger("postgres+x://u:s3cr@t@h/x")
        assert "s3cr" not in str(caught.value)

    def test_a_server_that_is_not_there(self) -> None:
        """LedgerUnavailable names the server and the cause, and no user or password."""
        with pytest.raises(LedgerUnavailable, match=r"x on 127\.0\.0\.1:1 could not be used.*refused") as caught:
            open_ledger("postgresql://mia:s3cret@127.0.0.1:1/x")
        assert "s3cret" not in str(caught.value)

    def test_the_address_may_overrule_our_defaults(self, address: str) -> None:
        """Whoever sets an application name or a time limit means it."""
        database = PostgresDatabase(f"{address}&application_name=mine&connect_timeout=3")
        parameters = database._connection().info.get_parameters()
        assert (parameters["application_name"], parameters["connect_timeout"]) == ("mine", "3")
        assert parameters["tcp_user_timeout"] == "15000"


class TestSchema:
    """Only ``junbi migrate`` migrates."""

    def test_opening_does_not_migrate(self, postgres: Any) -> None:
        """LedgerUnknown says what to run, and nothing was made."""
        address = postgres.blank()
        with pytest.raises(LedgerUnknown, match="Run 'junbi migrate'"):
            open_ledger(address)
        assert postgres.execute(f"SELECT * FROM pg_tables WHERE schemaname = '{schema_of(address)}'") == []

    def test_an_older_schema_is_left_alone(self, postgres: Any, address: str) -> None:
        """New functions on an old ledger do nothing until it is migrated."""
        postgres.execute(f"DELETE FROM {schema_of(address)}.migration WHERE number = 1")
        with pytest.raises(LedgerUnknown, match="Run 'junbi migrate'"):
            open_ledger(address)

    def test_a_table_that_was_taken_away_meanwhile_is_said(self, postgres: Any, address: str, ledger: Ledger) -> None:
        """A function that was open while a newer junbi contracted the schema stops with LedgerUnknown."""
        postgres.execute(f"DROP TABLE {schema_of(address)}.story")
        with pytest.raises(LedgerUnknown, match="not the one of this junbi"):
            ledger.stories()

    def test_a_migration_that_fails_leaves_nothing(self, postgres: Any) -> None:
        """A table in the way stops it; what was done before it is taken back, and it can be run again."""
        address = postgres.blank()
        name = schema_of(address)
        postgres.execute(f"CREATE TABLE {name}.token (x int)")
        with pytest.raises(LedgerError, match="already exists"):
            open_ledger(address, migrate=True)
        assert postgres.execute(f"SELECT tablename FROM pg_tables WHERE schemaname = '{name}'") == [("token",)]
        postgres.execute(f"DROP TABLE {name}.token")
        assert open_ledger(address, migrate=True).stories() == []

    def test_a_migration_waits_for_a_decision_and_the_other_way_round(self, address: str, ledger: Ledger) -> None:
        """Nobody decides on a schema that changes in the middle."""
        done: list[str] = []
        with ledger.transaction():
            migrating = threading.Thread(target=lambda: (open_ledger(address, migrate=True), done.append("migrated")))
            migrating.start()
            time.sleep(0.2)
            done.append("decided")
        migrating.join()
        assert done == ["decided", "migrated"]


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
                    ledger._database.run("known_prefixes", dataset="x", prefixes="no JSON")

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
    def test_it_goes_on_after_the_server_came_back(self, own_postgres: Any, how: signal.Signals) -> None:
        """What was saved is there, what was under way left nothing, and while it is away that is said."""
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


def address_of_another(postgres: Any) -> str:
    """A second ledger on the server."""
    address: str = postgres.blank()
    open_ledger(address, migrate=True)
    return address


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


class TestClock:
    """One clock for all instances."""

    def test_it_is_the_servers(self, postgres: Any, ledger: Ledger) -> None:
        """Between two looks at the server's clock, to the microsecond, and not the time of the transaction's begin."""
        question = "SELECT extract(epoch FROM clock_timestamp())"
        with ledger.transaction():
            time.sleep(0.05)
            before = float(postgres.execute(question)[0][0])
            now = ledger.now()
            after = float(postgres.execute(question)[0][0])
        assert now.tzinfo is UTC
        assert before <= now.timestamp() <= after

    def test_an_instance_whose_own_clock_is_wrong_judges_as_the_others(self) -> None:
        """The process's clock is not asked."""
        assert SharedClock(lambda: 1_772_323_200.25, LedgerClock()).now() == NOW + timedelta(seconds=0.25)

    def test_a_local_cloud_that_runs_faster_stays_faster(self, address: str, monkeypatch: pytest.MonkeyPatch) -> None:
        """JUNBI_CLOCK counts from the server's time."""
        monkeypatch.setenv("JUNBI_CLOCK", f"{time.time()!r},1000000.0,1000.0")
        first = open_ledger(address).now().timestamp()
        assert 1_000_000 <= first < 1_000_000 + 60_000


class TestTexts:
    """What PostgreSQL stores otherwise."""

    def test_nul_is_kept_as_a_replacement_character(self, ledger: Ledger) -> None:
        """Somebody sends binary rubbish: it goes to the quarantine instead of failing for ever."""
        ledger.quarantine("oss_upload", b"a\0b", "no JSON", NOW)
        assert ledger.quarantined()[0]["payload"] == "a\ufffdb"

    def test_texts_sort_by_their_code_points(self, ledger: Ledger) -> None:
        """As on SQLite and in Python, whatever language the server speaks."""
        for key in ("b", "B", "a-b", "aB", "ab"):
            ledger.worklist.ask("launch", key, NOW)
        assert [item.id for item in ledger.worklist.claim(NOW)] == ["B", "a-b", "aB", "ab", "b"]
        assert [ledger._database.rows("claim", lease="x", until="9", now="9", most=1)[0]["id"] for _ in range(2)] == [
            "B",
            "a-b",
        ]


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
