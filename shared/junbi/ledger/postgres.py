"""The ledger's engine for functions that run as many instances: PostgreSQL 14 or later.

- READ COMMITTED, and every save names the row version it read. That alone proves what is saved, not what was only
  read (the newest revision of the *other* dataset, the plans in force), so a transaction is ``alone`` unless its caller
  says otherwise: one advisory lock per ledger, held to its end. Decisions then follow each other as on SQLite. Without
  it, two uploads that complete at one moment would each miss the other, and a plan of both would never be launched.
- Single statements do not take that lock. Rows are claimed with SKIP LOCKED. Whoever locks several rows takes them in
  the order arrival, revision, registration, launch, try, work, story; a deadlock is Stale, with nothing saved.
- Nothing is kept in the session: limits and locks are those of one transaction, nothing is prepared. So a pooler may
  give every transaction another server connection.
- A story gets its number before its transaction ends, so of two that are told at one moment the later number may show
  first; whoever follows along by number may miss the other. Stories are for people: nothing is decided by them.
- A connection that ended while idle is replaced before anything is sent. One that breaks later is replaced, and the
  statement repeated once, where it reads or may happen twice. In a transaction it is LedgerUnavailable and nothing is
  done, but for a COMMIT without an answer: that is LedgerUnavailable, saved or not. Callers need not know: they load
  again, and either see it done or decide anew under the row versions of now.
"""

from __future__ import annotations

import threading
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import psycopg

from junbi.errors import LedgerError, LedgerUnavailable
from junbi.ledger import schema
from junbi.ledger.postgres_link import Address, Connection, Row, broke, not_migrated
from junbi.ledger.statements import statements

if TYPE_CHECKING:
    from collections.abc import Iterator

#: Writes that do no harm if they happen twice, because the answer to the first was lost: a second ``ask`` is one more
#: look, the others name the lease they end.
REPEATABLE = frozenset({"ask", "finish", "again", "release_all"})

#: Held to the end of a transaction that is alone. Two numbers: "junb" in ASCII, and the schema the ledger is in.
ALONE = "SELECT pg_advisory_xact_lock(1786080866, hashtext(current_schema()));"


@dataclass(frozen=True, slots=True)
class Limits:
    """Milliseconds. A worker that is paused inside a transaction is cut off before those who wait for it give up.

    Args:
        idle: between two statements of a transaction; they follow each other in a millisecond.
        lock: for another transaction to end.
        statement: for one statement, waiting included.
        migration: for other migrations to end.
    """

    idle: int = 4_000
    lock: int = 8_000
    statement: int = 10_000
    migration: int = 60_000

    @property
    def setting(self) -> str:
        """As statements that hold for one transaction."""
        return f"SET LOCAL lock_timeout = {self.lock}; SET LOCAL statement_timeout = {self.statement};"


class _Held(threading.local):
    """What one thread holds."""

    connection: Connection | None = None
    in_transaction = False


class PostgresDatabase:
    """Runs named statements. Each thread has its own connection; a transaction belongs to its thread."""

    def __init__(self, url: str, limits: Limits | None = None) -> None:
        self._address = Address(url)
        self._limits = limits or Limits()
        self._held = _Held()

    @contextmanager
    def transaction(self, *, alone: bool = True) -> Iterator[None]:
        """Everything inside happens together or not at all. LedgerError inside another one of this thread."""
        idle = f"SET LOCAL idle_in_transaction_session_timeout = {self._limits.idle};"
        with self._opened(self._limits.setting + idle + (ALONE if alone else "")):
            yield

    def run(self, statement: str, /, **values: Any) -> int:
        """Execute a statement; the number of rows it changed."""
        with self._address.failures():
            return self._execute(statement, values).rowcount

    def rows(self, statement: str, /, **values: Any) -> list[Row]:
        """Execute a statement; its rows."""
        with self._address.failures():
            return self._execute(statement, values).fetchall()

    def row(self, statement: str, /, **values: Any) -> Row | None:
        """Execute a statement; its first row, or None."""
        found = self.rows(statement, **values)
        return found[0] if found else None

    def seconds(self) -> float:
        """The time of the server's clock, seconds since 1970, UTC."""
        return float(self.rows("seconds")[0]["seconds"])

    def migrate(self) -> None:
        """Bring the schema up to date, all of it or nothing. Those who want the same meanwhile wait.

        A migration may take its time, but not make others wait for its locks.
        """
        wait = f"SET LOCAL lock_timeout = {self._limits.migration}; SET LOCAL statement_timeout = 0;"
        with self._opened(f"{wait}{ALONE}SET LOCAL lock_timeout = {self._limits.lock};"), self._address.failures():
            connection = self._connection()
            connection.execute(schema.for_postgres(schema.TABLE))
            for migration in schema.pending(self._applied(), self._address.name):
                connection.execute(schema.for_postgres(migration.script))
                self.run("add_migration", number=migration.number, kind=migration.kind)

    def check(self) -> None:
        """LedgerUnknown where the schema is missing, older than this version, or without what it needs."""
        if schema.pending(self._applied(), self._address.name):
            raise not_migrated(self._address.name)

    def _applied(self) -> dict[int, str]:
        return {row["number"]: row["kind"] for row in self.rows("applied_migrations")}

    def _execute(self, name: str, values: Row) -> psycopg.Cursor[Row]:
        text = statements("postgres")[name]
        values = {key: _storable(value) for key, value in values.items()}
        if self._held.in_transaction:
            return self._connection().execute(text, values)
        repeatable = name in REPEATABLE or text.lstrip().startswith("SELECT")
        cursor = self._send(f"{self._limits.setting}{text}", values, repeatable=repeatable)
        cursor.set_result(-1)  # the limits have answers too
        return cursor

    def _send(self, text: str, values: Row | None = None, *, repeatable: bool) -> psycopg.Cursor[Row]:
        """Execute outside a transaction, all of the text or nothing of it."""
        connection = self._connection()
        try:
            return connection.execute(text, values)
        except psycopg.OperationalError as error:
            if not (broke(connection, error) and repeatable):
                raise
        return self._connection().execute(text, values)

    @contextmanager
    def _opened(self, settings: str) -> Iterator[None]:
        if self._held.in_transaction:
            raise LedgerError("a transaction was opened inside another one; nothing of either was saved")
        with self._address.failures():
            self._send(f"BEGIN ISOLATION LEVEL READ COMMITTED; {settings}", repeatable=True)
        self._held.in_transaction = True
        try:
            yield
            self._commit()
        except BaseException:
            self._roll_back()
            raise
        finally:
            self._held.in_transaction = False

    def _commit(self) -> None:
        connection = self._connection()
        try:
            with self._address.failures():
                ended = connection.execute("COMMIT").statusmessage
        except LedgerUnavailable as error:
            if not connection.closed:
                raise
            raise LedgerUnavailable(
                f"The connection to the ledger {self._address.name} broke while a transaction was committed. All of it "
                "was saved or nothing; which, is known when it is read again."
            ) from error
        if ended != "COMMIT":
            raise LedgerError(f"The ledger {self._address.name} took a transaction back in which a statement failed.")

    def _roll_back(self) -> None:
        connection = self._connection()
        try:
            connection.execute("ROLLBACK")
        except psycopg.Error:
            connection.close()  # which ends the transaction too

    def _connection(self) -> Connection:
        held = self._held
        if held.connection is None or (not held.in_transaction and held.connection.gone()):
            held.connection = None
            held.connection = self._address.connect()
        return held.connection


def _storable(value: Any) -> Any:
    """PostgreSQL's texts hold every character but NUL."""
    return value.replace("\0", "\ufffd") if isinstance(value, str) else value
