"""What a manifest promises, compared with what a listing shows, member by member in key order."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from junbi.core.model import Reason
from junbi.core.reasons import Code

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from junbi.core.digest import Member

#: Members that a reason names of each kind; the others are counted.
NAMED = 5

#: Checksums a manifest may give, and how each is written. An ETag is whatever OSS gave the object.
_WRITTEN = {
    "md5": re.compile(r"[0-9a-fA-F]{32}"),
    "sha1": re.compile(r"[0-9a-fA-F]{40}"),
    "sha256": re.compile(r"[0-9a-fA-F]{64}"),
    "crc64": re.compile(r"\d{1,20}"),
    "etag": re.compile(r".+"),
}
_MD5 = _WRITTEN["md5"]


class Unreadable(ValueError):
    """A manifest that does not say what it should; the message names the place."""


class Verdict(StrEnum):
    """What a listing shows of one promised member."""

    SAME = "same"
    DIFFERENT = "different"
    UNVERIFIED = "unverified"  #: the listing neither proves nor disproves its checksum


@dataclass(frozen=True, slots=True)
class Entry:
    """One promised member. ``key`` is relative to the version's folder; ``sums`` are by their kind, lower-case."""

    key: str
    size: int | None = None
    sums: Mapping[str, str] = field(default_factory=dict)


def entry(said: Any, place: str) -> Entry:
    """A promised member as JSON says it: ``key``, and perhaps ``size`` and checksums. Unreadable names ``place``."""
    if not isinstance(said, dict) or not isinstance(said.get("key"), str) or not said["key"]:
        raise Unreadable(f'{place}: expected an object with a "key"')
    size = said.get("size")
    if size is not None and (type(size) is not int or size < 0):
        raise Unreadable(f"{place}: size of {said['key']!r} is no number of bytes")
    sums = {kind: said[kind] for kind in _WRITTEN if said.get(kind) is not None}
    for kind, text in sums.items():
        if not isinstance(text, str) or not _WRITTEN[kind].fullmatch(text.strip('"')):
            raise Unreadable(f"{place}: {kind} of {said['key']!r} is not written as one")
    return Entry(_relative(said["key"]), size, {kind: text.strip('"').lower() for kind, text in sums.items()})


def line_entry(line: str, place: str) -> Entry:
    """A promised member as ``sha256sum`` and ``md5sum`` write it: checksum, two spaces (or `` *``), name."""
    escaped = line.startswith("\\")  # so coreutils say that the name's newlines and backslashes are escaped
    found = re.fullmatch(r"([0-9a-fA-F]+) [ *](.+)", line[escaped:], re.DOTALL)
    kinds = {32: "md5", 40: "sha1", 64: "sha256"}
    if found is None or len(found[1]) not in kinds:
        raise Unreadable(f"{place}: expected a checksum, two spaces and a name, as sha256sum writes them")
    name = (
        re.sub(r"\\([\\nr])", lambda part: {"n": "\n", "r": "\r"}.get(part[1], "\\"), found[2]) if escaped else found[2]
    )
    return Entry(_relative(name), None, {kinds[len(found[1])]: found[1].lower()})


def _relative(key: str) -> str:
    return key.removeprefix("./")


def judge(promised: Entry, member: Member) -> Verdict:
    """What a listing alone shows. One checksum that it proves is enough.

    Only an object written by PutObject has its content's MD5 for an ETag. Source: OSS API reference, ETag.
    """
    etag = member.etag.lower()
    if promised.size is not None and promised.size != member.size:
        return Verdict.DIFFERENT
    if "etag" in promised.sums:
        return Verdict.SAME if promised.sums["etag"] == etag else Verdict.DIFFERENT
    if "md5" in promised.sums and member.kind == "Normal" and _MD5.fullmatch(etag):
        return Verdict.SAME if promised.sums["md5"] == etag else Verdict.DIFFERENT
    return Verdict.UNVERIFIED if promised.sums else Verdict.SAME


class Comparison:
    """Counts, and the first few names, of what is missing, extra, different and unverified.

    Args:
        kept: what ``keep`` gave, to go on behind ``through``.
    """

    def __init__(self, kept: Mapping[str, Any] | None = None) -> None:
        self.through: str = kept["through"] if kept else ""
        self.counts: dict[str, int] = dict(kept["counts"]) if kept else {}
        self.names: dict[str, list[str]] = {kind: list(names) for kind, names in kept["names"].items()} if kept else {}

    def found(self, kind: str, key: str) -> None:
        """One more of a kind: ``missing``, ``extra``, ``different`` or ``unverified``."""
        self.counts[kind] = self.counts.get(kind, 0) + 1
        names = self.names.setdefault(kind, [])
        if len(names) < NAMED:
            names.append(key)

    def keep(self) -> dict[str, Any]:
        """All that is needed to go on, as JSON."""
        return {"through": self.through, "counts": self.counts, "names": self.names}

    def mismatch(self, name: str) -> Reason | None:
        """Why the members are not what the manifest of this name promises; None where they are."""
        said = list(self._said("missing", "extra", "different"))
        if not said:
            return None
        return Reason(
            Code.DATASET_MISMATCH,
            f"The members are not what {name} promises: {'; '.join(said)}.",
            fix=f"Put right what is named, then upload {name} again.",
            wakes=f"the next upload of {name}, or a look every few minutes",
            facts={kind: str(count) for kind, count in self.counts.items()},
        )

    def unverified(self, name: str) -> Reason | None:
        """What could not be proved of the checksums in the manifest of this name; None where all were."""
        said = list(self._said("unverified"))
        if not said:
            return None
        return Reason(
            Code.UNVERIFIED,
            f"All members that {name} promises are there, but a listing proves no such checksum of {said[0]}.",
            fix="Nothing has to be done. To have them read, set 'verify: content'; or give MD5s of objects that were "
            "uploaded in one piece.",
            facts={"unverified": str(self.counts["unverified"])},
        )

    def _said(self, *kinds: str) -> Iterator[str]:
        for kind in kinds:
            if count := self.counts.get(kind):
                named = ", ".join(self.names[kind]) + (", …" if count > len(self.names[kind]) else "")
                yield f"{count:,} {kind} ({named})"
