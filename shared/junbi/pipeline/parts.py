"""Writes down the members of an upload while they are listed, where ``manifests`` of junbi.yaml says."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from junbi.core.identity import short_hash

if TYPE_CHECKING:
    from collections.abc import Mapping

    from junbi.core.digest import Member
    from junbi.core.facts import Arrival, Revision
    from junbi.pipeline.wiring import Ports

#: Members in one part. About a megabyte.
PART = 10_000


class Parts:
    """A taker of members that writes them as JSON lines, part by part, each a member's key, size and ETag.

    The parts of one listing lie in a folder of its own: one that is begun anew leaves those of the former behind.

    Args:
        ports: what they are written with.
        place: ``oss://bucket/prefix/``.
        arrival: whose members they are, in the state that is listed.
        kept: what it kept at the end of the look before.
    """

    name = "parts"

    def __init__(self, ports: Ports, place: str, arrival: Arrival, kept: Mapping[str, Any] | None) -> None:
        self._ports = ports
        self._bucket, _, prefix = place.removeprefix("oss://").partition("/")
        self._root = f"{prefix}{arrival.dataset}/"
        self._folder = f"{self._root}{short_hash(arrival.key)}-{arrival.row}/"
        self._through: str = kept["through"] if kept else ""
        self._written: int = kept["written"] if kept else 0
        self._lines: list[str] = []

    def add(self, member: Member, _give_up_at: float) -> bool:
        """Take the next member."""
        if member.key > self._through:
            line = {"key": member.key, "size": member.size, "etag": member.etag}
            self._lines.append(json.dumps(line, ensure_ascii=False) + "\n")
            self._through = member.key
            if len(self._lines) >= PART:
                self._flush()
        return True

    def keep(self) -> dict[str, Any]:
        """How far it came; what was not written yet is written as a shorter part."""
        self._flush()
        return {"through": self._through, "written": self._written}

    def finish(self, revision: Revision) -> str:
        """Write the last part, and the list of all parts under the revision's id; where that is."""
        self._flush()
        listed = {
            "revision": revision.id,
            "dataset": revision.dataset,
            "version": revision.label,
            "uri": f"oss://{revision.bucket}/{revision.prefix}",
            "digest": revision.digest,
            "members": revision.members,
            "size": revision.size,
            "parts": [f"oss://{self._bucket}/{self._key(number)}" for number in range(self._written)],
        }
        key = f"{self._root}{revision.id}.json"
        self._ports.objects.put(self._bucket, key, json.dumps(listed, ensure_ascii=False, indent=1).encode())
        return f"oss://{self._bucket}/{key}"

    def _key(self, number: int) -> str:
        return f"{self._folder}part-{number:06}.jsonl"

    def _flush(self) -> None:
        if self._lines:
            self._ports.objects.put(self._bucket, self._key(self._written), "".join(self._lines).encode())
            self._written += 1
            self._lines.clear()
