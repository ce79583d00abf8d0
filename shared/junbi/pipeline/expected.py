"""Compares the members that a listing shows with a manifest of any length and order, in bounded memory."""

from __future__ import annotations

import hashlib
import json
import time
from typing import TYPE_CHECKING, Any

from junbi.core.manifest import Comparison, Entry, Unreadable, Verdict, judge
from junbi.pipeline.manifest_reader import entries
from junbi.pipeline.scan import RESERVE

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator, Mapping

    from junbi.core.digest import Member
    from junbi.core.facts import Arrival
    from junbi.core.plan import Complete
    from junbi.pipeline.wiring import Ports

#: Checksums that only the content proves.
_HASHES = ("sha256", "sha1", "md5")


class Expected:
    """A taker of members that compares each with what the manifest promises.

    The manifest is read once in each look, sorted on disk, and forgotten at its end.

    Args:
        ports: what the manifest, and with ``verify: content`` the members, are read with.
        arrival: whose members they are.
        complete: with a manifest.
        kept: what it kept at the end of the look before.

    Raises:
        Unreadable: the manifest is none.
    """

    name = "manifest"

    def __init__(self, ports: Ports, arrival: Arrival, complete: Complete, kept: Mapping[str, Any] | None) -> None:
        self._ports, self._arrival, self._complete = ports, arrival, complete
        self.comparison = Comparison(kept)
        manifest = arrival.prefix + (complete.manifest or "")
        self._promised = _sorted(entries(ports.objects.read(arrival.bucket, manifest)), self.comparison.through)
        self._next = next(self._promised, None)
        self._read_something = False

    def add(self, member: Member, give_up_at: float) -> bool:
        """Compare the next member; False where the time to read it was up."""
        key = member.key.removeprefix(self._arrival.prefix)
        if key <= self.comparison.through:
            return True
        while self._next is not None and self._next.key < key:
            self.comparison.found("missing", self._next.key)
            self._next = next(self._promised, None)
        if self._next is None or self._next.key != key:
            self.comparison.found("extra", key)
        else:
            verdict = self._judge(self._next, member, give_up_at)
            if verdict is None:
                return False
            if verdict is not Verdict.SAME:
                self.comparison.found(verdict.value, key)
            self._next = next(self._promised, None)
        self.comparison.through = key
        return True

    def finish(self) -> Comparison:
        """The comparison, once every member was added: what is promised beyond them is missing."""
        while self._next is not None:
            self.comparison.found("missing", self._next.key)
            self._next = next(self._promised, None)
        return self.comparison

    def keep(self) -> dict[str, Any]:
        """How far it came."""
        return self.comparison.keep()

    def _judge(self, promised: Entry, member: Member, give_up_at: float) -> Verdict | None:
        verdict = judge(promised, member)
        if verdict is not Verdict.UNVERIFIED or self._complete.verify != "content":
            return verdict
        if "crc64" in promised.sums:
            found = self._ports.objects.head(self._arrival.bucket, member.key)
            return Verdict.SAME if found and found.crc64 == promised.sums["crc64"] else Verdict.DIFFERENT
        return self._read(promised, member, give_up_at)

    def _read(self, promised: Entry, member: Member, give_up_at: float) -> Verdict | None:
        """The verdict of the content; None where its turn comes in the next look.

        A member that not even a whole call of the function has time for stays unverified, so that others get theirs.
        """
        if self._read_something and time.monotonic() >= give_up_at:
            return None
        ends = give_up_at if self._read_something else self._ports.invocation.deadline - RESERVE
        kind = next(kind for kind in _HASHES if kind in promised.sums)
        content = hashlib.new(kind, usedforsecurity=False)
        for piece in self._ports.objects.read(self._arrival.bucket, member.key):
            content.update(piece)
            if time.monotonic() >= ends:
                return None if self._read_something else Verdict.UNVERIFIED
        self._read_something = True
        return Verdict.SAME if content.hexdigest() == promised.sums[kind] else Verdict.DIFFERENT


def _sorted(promised: Iterator[Entry], behind: str) -> Iterator[Entry]:
    """The entries behind a key, in key order: a database of no name, which SQLite keeps on disk and deletes itself."""
    import sqlite3  # only manifests are sorted

    table = sqlite3.connect("", isolation_level=None)
    table.execute("PRAGMA journal_mode = OFF")
    table.execute("CREATE TABLE entry (key BLOB PRIMARY KEY, size INTEGER, sums TEXT) WITHOUT ROWID")
    try:
        for one in promised:
            if one.key > behind:
                _insert(table, one)
    except BaseException:
        table.close()
        raise
    return _entries(table)


def _insert(table: sqlite3.Connection, one: Entry) -> None:
    row = (one.key.encode(), one.size, json.dumps(dict(one.sums), sort_keys=True))
    if table.execute("INSERT OR IGNORE INTO entry VALUES (?, ?, ?)", row).rowcount:
        return
    known = table.execute("SELECT key, size, sums FROM entry WHERE key = ?", row[:1]).fetchone()
    if known != row:
        raise Unreadable(f"it promises two different objects named {one.key!r}")


def _entries(table: sqlite3.Connection) -> Iterator[Entry]:
    try:
        for key, size, sums in table.execute("SELECT key, size, sums FROM entry ORDER BY key"):
            yield Entry(key.decode(), size, json.loads(sums))
    finally:
        table.close()
