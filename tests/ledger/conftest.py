"""A ledger of each engine; every test of this folder that asks for one runs on all of them."""

from __future__ import annotations

import itertools
import json
import sqlite3
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import psycopg
import pytest

from junbi.ledger.ledger import Ledger, open_ledger

if TYPE_CHECKING:
    from collections.abc import Iterator

CREW = Path(__file__).with_name("crew.py")


class Engine(Protocol):
    """What an engine has to offer to run the suite."""

    def address(self) -> str:
        """The address of a ledger that is ready and holds nothing."""

    def missing(self) -> str:
        """The address of a ledger that was never migrated."""

    def add_migration(self, address: str, number: int, kind: str, script: str = "") -> None:
        """Migrate further than this junbi knows, as a newer one does."""

    def text(self, address: str) -> bytes:
        """Everything that is stored."""


@dataclass
class SqliteEngine:
    """Makes SQLite ledgers in a folder."""

    folder: Path
    _numbers: Iterator[int] = field(default_factory=itertools.count)

    def address(self) -> str:
        """A new file; whoever opens it first migrates it."""
        return f"sqlite:///{self.folder / f'ledger{next(self._numbers)}.db'}"

    missing = address

    def add_migration(self, address: str, number: int, kind: str, script: str = "") -> None:
        """As the engine does it."""
        with sqlite3.connect(address.removeprefix("sqlite:///")) as connection:
            connection.executescript(script)
            connection.execute("INSERT INTO migration VALUES (?, ?)", (number, kind))
        connection.close()

    def text(self, address: str) -> bytes:
        """The bytes of its files."""
        path = Path(address.removeprefix("sqlite:///"))
        return b"".join(file.read_bytes() for file in path.parent.glob(f"{path.name}*"))


#: Makes a ledger empty again, but for what its migrations put there; a thousand times faster than making one.
EMPTY = """
DO $$
DECLARE name text;
BEGIN
    FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = current_schema() AND tablename <> 'migration' LOOP
        EXECUTE format('DELETE FROM %I', name);
    END LOOP;
    PERFORM setval(format('%I.%I', schemaname, sequencename)::regclass, 1, false)
    FROM pg_sequences WHERE schemaname = current_schema();
END
$$
"""


@dataclass
class PostgresEngine:
    """Makes PostgreSQL ledgers on a server, and lends those again that earlier tests have left as they were made."""

    server: Any
    _free: list[tuple[str, list[Any]]] = field(default_factory=list)
    _lent: list[tuple[str, list[Any]]] = field(default_factory=list)

    def address(self) -> str:
        """Migrated as ``junbi migrate`` does it."""
        self._lent.append(self._free.pop() if self._free else self._made())
        return self._lent[-1][0]

    def missing(self) -> str:
        """An empty schema."""
        address: str = self.server.blank()
        return address

    def add_migration(self, address: str, number: int, kind: str, script: str = "") -> None:
        """As the engine does it. Nobody gets this one again."""
        self._lent = [ledger for ledger in self._lent if ledger[0] != address]
        with psycopg.connect(address) as connection:
            connection.execute(f"{script}; INSERT INTO migration VALUES ({number}, '{kind}')")

    def text(self, address: str) -> bytes:
        """Every row of every table, as text."""
        with psycopg.connect(address) as connection:
            tables = connection.execute("SELECT tablename FROM pg_tables WHERE schemaname = current_schema()")
            rows = [connection.execute(f"SELECT t::text FROM {name} t").fetchall() for (name,) in tables.fetchall()]
        return repr(rows).encode()

    def take_back(self) -> None:
        """Empty what was lent."""
        for address, settings in self._lent:
            with psycopg.connect(address) as connection:
                connection.execute(EMPTY)
                connection.cursor().executemany("INSERT INTO setting VALUES (%s, %s)", settings)
        self._free += self._lent
        self._lent = []

    def _made(self) -> tuple[str, list[Any]]:
        address = self.missing()
        open_ledger(address, migrate=True)
        with psycopg.connect(address) as connection:
            return address, connection.execute("SELECT name, value FROM setting").fetchall()


@pytest.fixture(scope="session")
def postgres_engine(postgres: Any) -> PostgresEngine:
    """The second engine; its ledgers are lent from test to test."""
    return PostgresEngine(postgres)


@pytest.fixture(params=["sqlite", "postgres"])
def engine(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Engine]:
    """One engine after the other."""
    if request.param == "sqlite":
        yield SqliteEngine(tmp_path)
    else:
        lending: PostgresEngine = request.getfixturevalue("postgres_engine")
        yield lending
        lending.take_back()


@pytest.fixture
def address(engine: Engine) -> str:
    """Where the ledger of this test is."""
    return engine.address()


@pytest.fixture
def ledger(address: str) -> Ledger:
    """An open ledger that holds nothing."""
    return open_ledger(address)


class Crew:
    """Runs one task in several processes at once, see ``crew.py``."""

    def run(self, task: str, address: str, processes: int, *arguments: str) -> list[Any]:
        """What each process found, as it told in JSON."""
        command = [sys.executable, str(CREW), task, address, str(processes), *arguments]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
        assert done.returncode == 0, done.stderr
        return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.fixture
def crew() -> Crew:
    """Several real processes."""
    return Crew()
