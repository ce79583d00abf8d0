"""A ledger of each engine; every test of this folder that asks for one runs on all of them."""

from __future__ import annotations

import itertools
import json
import sqlite3
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from junbi.ledger.ledger import Ledger, open_ledger

if TYPE_CHECKING:
    from collections.abc import Iterator

CREW = Path(__file__).with_name("crew.py")


@dataclass
class SqliteEngine:
    """Makes SQLite ledgers in a folder. What a second engine has to offer to run the same suite."""

    folder: Path
    _numbers: Iterator[int] = field(default_factory=itertools.count)

    def address(self) -> str:
        """The address of a ledger that nobody has opened yet."""
        return f"sqlite:///{self.folder / f'ledger{next(self._numbers)}.db'}"

    def set_schema_version(self, address: str, version: int) -> None:
        """Make the schema's number another one, as a newer junbi would leave it."""
        with sqlite3.connect(address.removeprefix("sqlite:///")) as connection:
            connection.execute(f"PRAGMA user_version = {version}")
        connection.close()

    def text(self, address: str) -> bytes:
        """Everything that is stored, raw."""
        path = Path(address.removeprefix("sqlite:///"))
        return b"".join(file.read_bytes() for file in path.parent.glob(f"{path.name}*"))


ENGINES = {"sqlite": SqliteEngine}


@pytest.fixture(params=ENGINES)
def engine(request: pytest.FixtureRequest, tmp_path: Path) -> SqliteEngine:
    """One engine after the other."""
    return ENGINES[request.param](tmp_path)


@pytest.fixture
def address(engine: SqliteEngine) -> str:
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
