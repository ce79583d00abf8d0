"""The ledger's engine for one machine: SQLite, write-ahead log, every commit on disk before it returns."""

from __future__ import annotations

import random
import sqlite3
import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from junbi.errors import LedgerError, LedgerUnavailable
from junbi.ledger import schema
from junbi.ledger.statements import statements

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

Row = dict[str, Any]

#: Milliseconds to wait for another writer before giving up. Transactions last a few milliseconds.
BUSY_TIMEOUT = 10_000


class SqliteDatabase:
    """Runs named statements. Each thread has its own connection; a transaction belongs to its thread."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._local = threading.local()
        with self._failures():
            path.parent.mkdir(parents=True, exist_ok=True)

    @contextmanager
    def transaction(self, *, alone: bool = True) -> Iterator[None]:  # noqa: ARG002 - here nobody writes meanwhile anyway
        """Everything inside happens together or not at all; writers wait for each other, ``alone`` or not."""
        connection = self._connection()
        with self._failures():
            connection.execute("BEGIN IMMEDIATE")
        try:
            yield
            with self._failures():
                connection.execute("COMMIT")
        except BaseException:
            if connection.in_transaction:
                with self._failures():
                    connection.execute("ROLLBACK")
            raise

    def run(self, statement: str, /, **values: Any) -> int:
        """Execute a statement; the number of rows it changed."""
        with self._failures():
            return self._connection().execute(statements("sqlite")[statement], values).rowcount

    def rows(self, statement: str, /, **values: Any) -> list[Row]:
        """Execute a statement; its rows."""
        try:
            return self._connection().execute(statements("sqlite")[statement], values).fetchall()
        except (sqlite3.DatabaseError, OSError) as error:
            raise self._meaning(error) from error

    def row(self, statement: str, /, **values: Any) -> Row | None:
        """Execute a statement; its first row, or None."""
        found = self.rows(statement, **values)
        return found[0] if found else None

    def migrate(self) -> None:
        """Bring the schema up to date. LedgerUnknown where a newer junbi took something away."""
        if not schema.pending(self._applied(), str(self._path)):
            return
        with self.transaction(), self._failures():
            applied = self._applied()
            connection = self._connection()
            connection.execute(schema.TABLE)
            for migration in schema.pending(applied, str(self._path)):
                for statement in _split(migration.script):
                    connection.execute(statement)
                applied[migration.number] = migration.kind
            for number, kind in applied.items():
                self.run("add_migration", number=number, kind=kind)

    def check(self) -> None:
        """LedgerUnknown where a newer junbi took something away; what is missing is made by ``migrate``."""
        schema.pending(self._applied(), str(self._path))

    def _applied(self) -> dict[int, str]:
        with self._failures():
            connection = self._connection()
            if connection.execute("SELECT 1 FROM sqlite_schema WHERE name = 'migration'").fetchone():
                return {row["number"]: row["kind"] for row in self.rows("applied_migrations")}
            # Ledgers from before there was that table keep the number here.
            before: Row = connection.execute("PRAGMA user_version").fetchone()
            return dict.fromkeys(range(1, int(before["user_version"]) + 1), schema.CONTRACT)

    def _connection(self) -> sqlite3.Connection:
        connection: sqlite3.Connection | None = getattr(self._local, "connection", None)
        if connection is None:
            with self._failures():
                connection = self._connect()
            self._local.connection = connection
        return connection

    def _connect(self) -> sqlite3.Connection:
        connection = sqlite3.connect(self._path, timeout=BUSY_TIMEOUT / 1000, isolation_level=None)
        connection.row_factory = _as_dict
        _use_write_ahead_log(connection)
        # FULL: a door answers "noted" only when the note outlives a power cut.
        connection.execute("PRAGMA synchronous = FULL")
        return connection

    @contextmanager
    def _failures(self) -> Iterator[None]:
        """Say what SQLite's errors mean to the user."""
        try:
            yield
        except (sqlite3.DatabaseError, OSError) as error:
            raise self._meaning(error) from error

    def _meaning(self, error: Exception) -> LedgerError:
        if isinstance(error, sqlite3.OperationalError | OSError):
            return LedgerUnavailable(
                f"The ledger {self._path} could not be used: {error}. Nothing was changed by this call; it will "
                "work again once the cause is gone (disk space, rights, another process holding it)."
            )
        return LedgerError(f"The ledger {self._path} refused a statement: {error}.")


def _use_write_ahead_log(connection: sqlite3.Connection) -> None:
    # Where several open a new file together, SQLite refuses the switch at once instead of waiting for the others.
    # Once one of them made it, it is made for all.
    deadline = time.monotonic() + BUSY_TIMEOUT / 1000
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                raise
            time.sleep(random.uniform(0.001, 0.02))  # noqa: S311 - spreads the attempts, guards nothing
        else:
            return


def _as_dict(cursor: sqlite3.Cursor, row: tuple[Any, ...]) -> Row:
    return {column[0]: value for column, value in zip(cursor.description, row, strict=True)}


def _split(script: str) -> Iterator[str]:
    """The statements of a script, so that they run inside one transaction (executescript would commit it)."""
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""
