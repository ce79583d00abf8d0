"""The digest of a dataset's members, computed while they are listed, in constant memory."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime

#: Members in a block. Part of the digest's definition: changing it changes every digest.
BLOCK = 1000


@dataclass(frozen=True, slots=True)
class Member:
    """One object as a listing shows it. ``modified`` has the listing's precision, a second."""

    key: str
    size: int
    etag: str
    modified: datetime


class Listing:
    """What a prefix holds, folded from its members in key order: totals, the newest, and the digest.

    The digest is SHA-256 over the SHA-256 digests of blocks of 1,000 members, each member written as the key's
    length in bytes, colon, key, space, size, space, ETag, newline: a key may hold any character. The marker is no
    member. Folder placeholders (keys that end in a slash and hold nothing) are none either: tools make them or not,
    as they like.
    """

    def __init__(self, prefix: str, marker: str | None = None) -> None:
        self._marker_key = None if marker is None else prefix + marker
        self._blocks = hashlib.sha256()
        self._block = hashlib.sha256()
        self.members = 0
        self.size = 0
        self.newest_at: datetime | None = None
        self.marker_at: datetime | None = None

    def add(self, member: Member) -> None:
        """Fold the next member in."""
        if member.key == self._marker_key:
            self.marker_at = member.modified
            return
        if member.key.endswith("/") and member.size == 0:
            return
        key = member.key.encode()
        self._block.update(b"%d:%b %d %b\n" % (len(key), key, member.size, member.etag.encode()))
        self.members += 1
        self.size += member.size
        if self.newest_at is None or member.modified > self.newest_at:
            self.newest_at = member.modified
        if self.members % BLOCK == 0:
            self._blocks.update(self._block.digest())
            self._block = hashlib.sha256()

    @property
    def digest(self) -> str:
        """SHA-256 in hex of the members folded in so far."""
        total = self._blocks.copy()
        if self.members % BLOCK:
            total.update(self._block.digest())
        return total.hexdigest()
