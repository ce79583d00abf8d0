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


@dataclass
class PostgresEngine:
    """Makes PostgreSQL ledgers on a server."""

    server: Any

    def address(self) -> str:
        """Migrated as ``junbi migrate`` does it."""
        address = self.missing()
        open_ledger(address, migrate=True)
        return address

    def missing(self) -> str:
        """An empty schema."""
        address: str = self.server.blank()
        return address

    def add_migration(self, address: str, number: int, kind: str, script: str = "") -> None:
        """As the engine does it."""
        with psycopg.connect(address) as connection:
            connection.execute(f"{script}; INSERT INTO migration VALUES ({number}, '{kind}')")

    def text(self, address: str) -> bytes:
        """Every row of every table, as text."""
        with psycopg.connect(address) as connection:
            tables = connection.execute("SELECT tablename FROM pg_tables WHERE schemaname = current_schema()")
            rows = [connection.execute(f"SELECT t::text FROM {name} t").fetchall() for (name,) in tables.fetchall()]
        return repr(rows).encode()


@pytest.fixture(params=["sqlite", "postgres"])
def engine(request: pytest.FixtureRequest, tmp_path: Path) -> Engine:
    """One engine after the other."""
    if request.param == "sqlite":
        return SqliteEngine(tmp_path)
    return PostgresEngine(request.getfixturevalue("postgres"))


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
