"""Where the emulated services keep their states: JSON documents in one SQLite file, durable at each return."""

from __future__ import annotations

import json
import sqlite3
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

Document = dict[str, Any]

_SCHEMA = """
CREATE TABLE IF NOT EXISTS record (
    kind TEXT NOT NULL, id TEXT NOT NULL, document TEXT NOT NULL, PRIMARY KEY (kind, id)
) WITHOUT ROWID
"""


class Records:
    """Documents by kind and id. Safe to use from many threads; one writer at a time."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._lock = threading.RLock()
        self._depth = 0
        self._db = sqlite3.connect(path, check_same_thread=False, isolation_level=None)
        self._db.execute("PRAGMA journal_mode=WAL")
        self._db.execute("PRAGMA synchronous=NORMAL")
        self._db.execute(_SCHEMA)

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All puts and deletes inside happen together or not at all; other threads wait."""
        with self._lock:
            outermost = self._depth == 0
            if outermost:
                self._db.execute("BEGIN IMMEDIATE")
            self._depth += 1
            try:
                yield
                if outermost:
                    self._db.execute("COMMIT")
            except BaseException:
                # A full disk may end the transaction by itself, or leave it open after a COMMIT that failed.
                if outermost and self._db.in_transaction:
                    self._db.execute("ROLLBACK")
                raise
            finally:
                self._depth -= 1

    def put(self, kind: str, key: str, document: Document) -> None:
        """Insert or replace a document."""
        with self._lock:
            self._db.execute("REPLACE INTO record VALUES (?, ?, ?)", (kind, key, json.dumps(document)))

    def get(self, kind: str, key: str) -> Document | None:
        """The document, or None."""
        with self._lock:
            row = self._db.execute("SELECT document FROM record WHERE kind=? AND id=?", (kind, key)).fetchone()
        return json.loads(row[0]) if row else None

    def all(self, kind: str) -> list[Document]:
        """Every document of a kind, by id."""
        with self._lock:
            rows = self._db.execute("SELECT document FROM record WHERE kind=? ORDER BY id", (kind,)).fetchall()
        return [json.loads(row[0]) for row in rows]

    def add(self, kind: str, key: str, document: Document) -> bool:
        """Insert a document unless its id is there; tells whether it was inserted."""
        with self._lock:
            cursor = self._db.execute(
                "INSERT OR IGNORE INTO record VALUES (?, ?, ?)", (kind, key, json.dumps(document))
            )
        return cursor.rowcount == 1

    def delete(self, kind: str, key: str) -> bool:
        """Delete a document; tells whether there was one."""
        with self._lock:
            return self._db.execute("DELETE FROM record WHERE kind=? AND id=?", (kind, key)).rowcount == 1

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._db.close()
