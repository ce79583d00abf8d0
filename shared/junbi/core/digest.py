"""The digest of a dataset's members, computed while they are listed; what was folded can be kept and gone on with."""

from __future__ import annotations

import base64
import hashlib
from dataclasses import dataclass
from datetime import datetime
from typing import Any

#: Members in a block. Part of the digest's definition: changing it changes every digest.
BLOCK = 1000


@dataclass(frozen=True, slots=True)
class Member:
    """One object as a listing shows it. ``modified`` has the listing's precision, a second.

    ``kind`` is OSS's word for how it was written, such as ``Normal`` or ``Multipart``; empty where it is not known.
    """

    key: str
    size: int
    etag: str
    modified: datetime
    kind: str = ""


@dataclass(slots=True)
class _Totals:
    members: int = 0
    size: int = 0
    newest_at: datetime | None = None
    marker_at: datetime | None = None
    #: The last key folded in.
    key: str = ""


class Listing:
    """What a prefix holds, folded from its members in key order: totals, the newest, and the digest.

    The digest is SHA-256 over the SHA-256 digests of blocks of 1,000 members, each member written as the key's
    length in bytes, colon, key, space, size, space, ETag, newline: a key may hold any character. The marker is no
    member. Folder placeholders (keys that end in a slash and hold nothing) are none either: tools make them or not,
    as they like.

    Of each block 32 bytes are kept, so that a listing can be gone on with at the last block's end.
    """

    def __init__(self, prefix: str, marker: str | None = None, kept: dict[str, Any] | None = None) -> None:
        """Args: ``kept`` is what ``keep`` gave for the same prefix and marker; ``after`` says where it goes on."""
        self._marker_key = None if marker is None else prefix + marker
        self._blocks = bytearray(base64.b64decode(kept["blocks"])) if kept else bytearray()
        self._block = hashlib.sha256()
        self._now = _read(kept) if kept else _Totals()
        self._kept = _copy(self._now)

    @property
    def members(self) -> int:
        """How many members were folded in."""
        return self._now.members

    @property
    def size(self) -> int:
        """The bytes of all members."""
        return self._now.size

    @property
    def newest_at(self) -> datetime | None:
        """When the newest member was written; None without members."""
        return self._now.newest_at

    @property
    def marker_at(self) -> datetime | None:
        """When the marker was written; None where there is none."""
        return self._now.marker_at

    @property
    def after(self) -> str | None:
        """The key behind which a kept listing goes on; None for the beginning."""
        return self._kept.key or None

    def counts(self, member: Member) -> bool:
        """Whether an object is a member, and neither the marker nor a folder's placeholder."""
        return member.key != self._marker_key and not (member.key.endswith("/") and member.size == 0)

    def add(self, member: Member) -> None:
        """Fold the next object in."""
        if member.key == self._marker_key:
            self._now.marker_at = member.modified
        elif self.counts(member):
            self._fold(member)
        self._now.key = member.key
        if self._now.members % BLOCK == 0:
            self._kept = _copy(self._now)

    def _fold(self, member: Member) -> None:
        now, key = self._now, member.key.encode()
        self._block.update(b"%d:%b %d %b\n" % (len(key), key, member.size, member.etag.encode()))
        now.members += 1
        now.size += member.size
        if now.newest_at is None or member.modified > now.newest_at:
            now.newest_at = member.modified
        if now.members % BLOCK == 0:
            self._blocks += self._block.digest()
            self._block = hashlib.sha256()

    def keep(self) -> dict[str, Any]:
        """All that is needed to go on behind ``after``, as JSON."""
        kept = self._kept
        return {
            "blocks": base64.b64encode(bytes(self._blocks)).decode(),
            "members": kept.members,
            "size": kept.size,
            "newest_at": _written(kept.newest_at),
            "marker_at": _written(kept.marker_at),
            "key": kept.key,
        }

    @property
    def digest(self) -> str:
        """SHA-256 in hex of the members folded in so far."""
        total = hashlib.sha256(self._blocks)
        if self.members % BLOCK:
            total.update(self._block.digest())
        return total.hexdigest()


def _copy(totals: _Totals) -> _Totals:
    return _Totals(totals.members, totals.size, totals.newest_at, totals.marker_at, totals.key)


def _written(moment: datetime | None) -> str | None:
    return moment.isoformat() if moment else None


def _read(kept: dict[str, Any]) -> _Totals:
    newest, marker = (datetime.fromisoformat(kept[name]) if kept[name] else None for name in ("newest_at", "marker_at"))
    return _Totals(kept["members"], kept["size"], newest, marker, kept["key"])
