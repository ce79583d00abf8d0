"""What can go wrong with a file: each time a clear error, and nothing lost."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
import threading
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest

from junbi.errors import LedgerError, LedgerUnavailable
from junbi.ledger import sqlite
from junbi.ledger.ledger import open_ledger

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

NOW = datetime(2026, 3, 1, tzinfo=UTC)
NO_RIGHTS = r"could not be used.*Nothing was changed"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where the ledger is."""
    return tmp_path / "ledger.db"


def messages(path: Path) -> list[str]:
    """All that was told, as a new opening sees it."""
    return [story["message"] for story in open_ledger(f"sqlite:///{path}").stories()]


def integrity(path: Path) -> str:
    """What SQLite says of its file."""
    with sqlite3.connect(path) as connection:
        said: str = connection.execute("PRAGMA integrity_check").fetchone()[0]
    connection.close()
    return said


class TestWhere:
    """Places that hold no ledger."""

    def test_a_folder_under_a_file(self, tmp_path: Path) -> None:
        """The folder cannot be made: the error names the ledger and the cause."""
        (tmp_path / "file").write_text("")
        with pytest.raises(LedgerUnavailable, match=NO_RIGHTS):
            open_ledger(f"sqlite:///{tmp_path}/file/ledger.db")

    def test_a_folder_as_the_file(self, tmp_path: Path) -> None:
        """A folder of that name is no ledger."""
        with pytest.raises(LedgerUnavailable, match=NO_RIGHTS):
            open_ledger(f"sqlite:///{tmp_path}")

    @pytest.mark.parametrize("place", ["/proc/ledger.db", "/proc/junbi/ledger.db"])
    def test_a_place_that_takes_no_file(self, place: str) -> None:
        """Not even root may write there: no traceback of the engine, but what happened."""
        if not os.path.isdir("/proc/self"):  # noqa: PTH112 - asks whether this system has such a place
            pytest.skip("this system has no /proc")
        with pytest.raises(LedgerUnavailable, match=NO_RIGHTS):
            open_ledger(f"sqlite:///{place}")

    @pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
    def test_a_folder_without_rights(self, tmp_path: Path) -> None:
        """A folder that others own."""
        tmp_path.chmod(0o500)
        with pytest.raises(LedgerUnavailable, match=NO_RIGHTS):
            open_ledger(f"sqlite:///{tmp_path}/ledger.db")
        tmp_path.chmod(0o700)

    def test_a_file_that_is_no_database(self, path: Path) -> None:
        """Somebody's text is refused and left as it was."""
        path.write_text("these are my notes\n" * 100)
        with pytest.raises(LedgerError, match="not a database"):
            open_ledger(f"sqlite:///{path}")
        assert path.read_text() == "these are my notes\n" * 100


class TestLocked:
    """Another process holds the file."""

    @pytest.fixture
    def patience(self) -> Iterator[None]:
        """Give up after a fifth of a second instead of ten."""
        before, sqlite.BUSY_TIMEOUT = sqlite.BUSY_TIMEOUT, 200
        yield
        sqlite.BUSY_TIMEOUT = before

    @pytest.mark.usefixtures("patience")
    def test_a_write_that_waited_in_vain_says_so(self, path: Path) -> None:
        """LedgerUnavailable with the cause; reading goes on; after the lock is gone the same write works."""
        ledger = open_ledger(f"sqlite:///{path}")
        other = sqlite3.connect(path, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(LedgerUnavailable, match="locked"):
            ledger.tell("launch:1", "Code", "message", NOW)
        with pytest.raises(LedgerUnavailable, match="locked"), ledger.transaction():
            ledger.tell("launch:1", "Code", "message", NOW)
        assert ledger.stories() == []
        other.execute("ROLLBACK")
        other.close()
        ledger.tell("launch:1", "Code", "message", NOW)
        assert messages(path) == ["message"]

    def test_a_write_waits_for_another(self, path: Path) -> None:
        """A lock of a moment is waited for."""
        ledger = open_ledger(f"sqlite:///{path}")
        other = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
        other.execute("BEGIN IMMEDIATE")
        release = threading.Timer(0.2, other.execute, ["COMMIT"])
        release.start()
        ledger.tell("launch:1", "Code", "message", NOW)
        release.join()
        other.close()

    @pytest.mark.parametrize("hold", ["BEGIN", "BEGIN IMMEDIATE", "BEGIN EXCLUSIVE"])
    def test_a_first_opening_waits_for_another(self, path: Path, hold: str) -> None:
        """Somebody holds the new, empty file at that moment, however firmly: the opening goes on after it."""
        path.touch()
        other = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
        other.execute(hold)
        other.execute("SELECT * FROM sqlite_master").fetchall()
        release = threading.Timer(0.2, other.execute, ["COMMIT"])
        release.start()
        open_ledger(f"sqlite:///{path}").tell("launch:1", "Code", "message", NOW)
        release.join()
        other.close()
        assert messages(path) == ["message"]


#: Writes 20 stories, then makes files that grow no more, and goes on until a write fails; then lets them grow again.
FILLING = """
import json, os, resource, sys
from datetime import UTC, datetime
from junbi.errors import LedgerUnavailable
from junbi.ledger.ledger import open_ledger
now = datetime(2026, 3, 1, tzinfo=UTC)
ledger = open_ledger(f"sqlite:///{sys.argv[1]}")
def told(text):
    with ledger.transaction():
        ledger.tell("launch:1", "Code", text, now)
        ledger.worklist.ask("launch", text, now)
kept, error = [], None
def write(prefix, most):
    for number in range(most):
        told(f"{prefix}{number}")
        kept.append(f"{prefix}{number}")
write("before", 20)
soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
resource.setrlimit(resource.RLIMIT_FSIZE, (os.path.getsize(sys.argv[1] + "-wal") + 60_000, hard))
try:
    write("filling", 10_000)
except LedgerUnavailable as problem:
    error = str(problem)
resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
write("after", 3)
print(json.dumps({"kept": kept, "error": error, "due": ledger.worklist.due(now)}))
"""

#: Tries to make a ledger where no file may grow.
NO_ROOM = """
import resource, sys
from junbi.errors import LedgerUnavailable
from junbi.ledger.ledger import open_ledger
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]), resource.RLIM_INFINITY))
try:
    open_ledger(f"sqlite:///{sys.argv[1]}")
except LedgerUnavailable as problem:
    print(problem)
"""


def python(script: str, *arguments: str) -> str:
    """What a process of its own prints."""
    command = [sys.executable, "-c", script, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


class TestFullDisk:
    """No room left, shown by a limit on the size of files."""

    def test_what_was_answered_is_kept_and_what_failed_left_nothing(self, path: Path) -> None:
        """Every write that returned is there, the one that failed is not at all, and with room it goes on."""
        found: dict[str, Any] = json.loads(python(FILLING, str(path)))
        assert found["error"] is not None
        assert "disk space" in found["error"]
        assert len(found["kept"]) > 23
        assert messages(path) == found["kept"]
        assert found["due"] == len(found["kept"])
        assert integrity(path) == "ok"

    @pytest.mark.parametrize("room", ["0", "1000", "5000", "40000"])
    def test_a_first_opening_without_room_leaves_nothing_in_the_way(self, path: Path, room: str) -> None:
        """However far it came, it says what happened, and with room the next opening makes the ledger."""
        assert "could not be used" in python(NO_ROOM, str(path), room)
        assert messages(path) == []


class TestDamaged:
    """A file that something else wrote into."""

    def test_damage_is_told_and_not_mended_silently(self, path: Path) -> None:
        """LedgerError names the file; nothing is thrown away to make it readable."""
        ledger = open_ledger(f"sqlite:///{path}")
        with ledger.transaction():
            for number in range(500):
                ledger.tell("launch:1", "Code", f"message {number} " * 10, NOW)
        with sqlite3.connect(path) as connection:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        connection.close()
        content = path.read_bytes()
        damaged = content[:4096] + bytes(len(content) - 4096)
        path.write_bytes(damaged)
        with pytest.raises(LedgerError, match=r"ledger\.db"):
            open_ledger(f"sqlite:///{path}").stories()
        assert path.read_bytes() == damaged


def test_every_commit_is_forced_to_the_disk(path: Path) -> None:
    """A door answers 'noted' only when the note outlives a power cut: FULL (2), on the connection of every thread."""
    ledger, found = open_ledger(f"sqlite:///{path}"), []

    def ask() -> None:
        connection = ledger._database._connection()  # type: ignore[attr-defined]
        found.append(connection.execute("PRAGMA synchronous").fetchone())

    other = threading.Thread(target=ask)
    other.start()
    other.join()
    ask()
    assert found == [{"synchronous": 2}] * 2


def test_a_write_that_returned_outlives_a_kill(path: Path) -> None:
    """A process that is killed right after a write has written."""
    script = (
        "import os, signal, sys\nfrom datetime import UTC, datetime\n"
        "from junbi.ledger.ledger import open_ledger\n"
        "ledger = open_ledger('sqlite:///' + sys.argv[1])\n"
        "ledger.tell('launch:1', 'Code', 'kept', datetime.now(UTC))\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    killed = subprocess.run([sys.executable, "-c", script, str(path)], timeout=60, check=False)
    assert killed.returncode == -9
    assert messages(path) == ["kept"]
    assert integrity(path) == "ok"
