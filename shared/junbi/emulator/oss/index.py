"""The index of the local OSS: which buckets, objects, uploads and parts there are. One SQLite file, WAL."""

from __future__ import annotations

import json
import sqlite3
import threading
from contextlib import contextmanager
from datetime import UTC, datetime
from importlib.resources import files
from typing import TYPE_CHECKING, Any, cast

from junbi.emulator.oss.model import StoredObject

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from junbi.emulator.oss.model import Kind

_OBJECT = "bucket, key, size, etag, modified, kind, crc64, headers, blob"
_NAMED = """
SELECT blob FROM object WHERE blob IN (SELECT value FROM json_each(?1))
UNION SELECT blob FROM part WHERE blob IN (SELECT value FROM json_each(?1))
"""


def utc(seconds: int) -> datetime:
    """A stored time."""
    return datetime.fromtimestamp(seconds, UTC)


class Index:
    """The rows. Safe to use from many threads; one transaction at a time."""

    def __init__(self, path: Path) -> None:
        self._lock = threading.RLock()
        self._db = sqlite3.connect(path, check_same_thread=False, isolation_level=None)
        self._db.execute("PRAGMA journal_mode=WAL")
        self._db.execute("PRAGMA synchronous=NORMAL")
        self._db.executescript(files("junbi.emulator.oss").joinpath("schema.sql").read_text())

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All writes inside happen together or not at all; other threads wait."""
        with self._lock:
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._db.execute("COMMIT")
            except BaseException:
                if self._db.in_transaction:  # SQLite itself rolls back when the disk is full
                    self._db.execute("ROLLBACK")
                raise

    def write(self, sql: str, *values: object) -> int:
        """Run one statement; the number of rows it changed."""
        with self._lock:
            return self._db.execute(sql, values).rowcount

    def rows(self, sql: str, *values: object) -> list[tuple[Any, ...]]:
        """All rows of a query."""
        with self._lock:
            return self._db.execute(sql, values).fetchall()

    def object(self, bucket: str, key: bytes) -> StoredObject | None:
        """One object, or None."""
        rows = self.rows(f"SELECT {_OBJECT} FROM object WHERE bucket=? AND key=?", bucket, key)  # noqa: S608
        return _stored(rows[0]) if rows else None

    def put_object(self, stored: StoredObject) -> None:
        """Insert or replace an object's row."""
        self.write(
            "REPLACE INTO object VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            stored.bucket,
            stored.key.encode(),
            stored.size,
            stored.etag,
            int(stored.last_modified.timestamp()),
            stored.kind,
            str(stored.crc64),  # unsigned 64 bits do not fit SQLite's integers
            json.dumps(stored.headers),
            stored.blob,
        )

    @contextmanager
    def scan(self, bucket: str, start: bytes, end: bytes | None, *, beyond: bool) -> Iterator[Iterator[StoredObject]]:
        """Objects from ``start`` (``beyond`` it, or with it) up to before ``end``, in key order, read as they are
        asked for; writers wait meanwhile.
        """
        values = (bucket, start) if end is None else (bucket, start, end)
        bounds = f"bucket=? AND key{'>' if beyond else '>='}?" + ("" if end is None else " AND key<?")
        with self._lock:
            cursor = self._db.execute(f"SELECT {_OBJECT} FROM object WHERE {bounds} ORDER BY key", values)  # noqa: S608
            try:
                yield map(_stored, cursor)
            finally:
                cursor.close()

    def named(self, blobs: list[str]) -> set[str]:
        """Those of the blobs that an object or a part has as its content."""
        return {row[0] for row in self.rows(_NAMED, json.dumps(blobs))}

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._db.close()


def _stored(row: tuple[Any, ...]) -> StoredObject:
    bucket, key, size, etag, modified, kind, crc64, headers, blob = row
    known = cast("Kind", kind)
    return StoredObject(bucket, key.decode(), size, etag, utc(modified), known, int(crc64), json.loads(headers), blob)
