"""Images that are watched: which tag of a repository a plan would train with, and which hosts are one registry."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from junbi.core import tags
from junbi.core.identity import by_semver
from junbi.core.model import Reason
from junbi.core.reasons import Code

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from junbi.core.plan import ImageSpec

#: Container Registry's hosts for a VPC, personal and enterprise, beside the public one.
#: Source: Container Registry's documentation on access over networks.
_NETWORKS = re.compile(r"((?:[a-z0-9-]+-)?registry)-(?:vpc|internal)((?:\.[a-z0-9-]+)(?:\.cr)?\.aliyuncs\.com)")
_HUB = frozenset({"docker.io", "index.docker.io", "registry-1.docker.io", "registry.hub.docker.com"})


#: Tags that were not there before and that one look reads, at most: each is a question to the registry.
MOST_READ = 20

#: Tags that were there before, and that a look reads again when their turn comes: pushes of them may have been lost.
READ_AGAIN = 5


@dataclass(frozen=True, slots=True)
class Seen:
    """A tag of a pattern: the digest that was read, empty for none, and since when it counts as new (ISO 8601)."""

    digest: str
    at: str


@dataclass(frozen=True, slots=True)
class Found:
    """What a watched line names now.

    Attributes:
        captures: ``digest``, ``tag``, and what the placeholders of ``tags`` took.
        seen: every tag of the pattern, where the newest in time counts; empty where no time is needed.
    """

    digest: str
    tag: str
    captures: Mapping[str, str]
    seen: Mapping[str, Seen]


def registry(host: str) -> str:
    """The one name of a registry that answers under several hosts."""
    small = host.lower().removesuffix(":443")
    if small in _HUB:
        return "docker.io"
    match = _NETWORKS.fullmatch(small)
    return match[1] + match[2] if match else small


def watches(spec: ImageSpec, tag: str) -> bool:
    """Whether a tag is (one of) the watched."""
    return tag == spec.tag if spec.tag else _captures(spec, tag) is not None


def named(spec: ImageSpec, tag: str, digest: str, seen: Mapping[str, Seen] | None = None) -> Found:
    """What a line names, once its tag was read."""
    captures = {"digest": digest, "tag": tag, **(_captures(spec, tag) or {})}
    return Found(digest, tag, captures, seen or {})


def worth_reading(there: Collection[str], seen: Mapping[str, Seen], pushed: Collection[str], turn: int) -> list[str]:
    """The tags whose digests a look reads where the newest in time counts: those that pushes told of, the greatest of
    those that were not there before, and a few others in turn. Of a tag that was never read, a push that comes late
    cannot be told from news.

    Args:
        there: the tags there are.
        seen: as of the look before.
        pushed: the tags that pushes told of since.
        turn: grows by one with each look, so that every tag has its turn.
    """
    fresh = sorted((tag for tag in there if tag not in seen), key=lambda tag: (by_semver(tag), tag), reverse=True)
    known = sorted(tag for tag in there if tag in seen)
    start = turn * READ_AGAIN % len(known) if known else 0
    again = (known[start:] + known[:start])[:READ_AGAIN]
    return list(dict.fromkeys([*(tag for tag in pushed if tag in there), *fresh[:MOST_READ], *again]))


def dated(
    there: Iterable[str], seen: Mapping[str, Seen], read: Mapping[str, str], pushed: Collection[str], now: str
) -> dict[str, Seen]:
    """Since when each tag counts as new: since it was seen first, or named something else than before.

    A tag that is read for the first time is what it may long have been, unless a push told of it.

    Args:
        there: the tags there are.
        seen: as of the look before; empty at the first look, whose tags are of no time and so older than any other.
        read: the digests of the tags that are ``worth_reading``, read just now; empty for none.
        pushed: the tags that pushes told of since then.
        now: the time of the look.
    """
    found = {}
    for tag in there:
        before, digest = seen.get(tag), read.get(tag, "")
        if before is None:
            found[tag] = Seen(digest, now if seen else "")
        elif digest in {"", before.digest}:
            found[tag] = before
        else:
            found[tag] = Seen(digest, now if before.digest or tag in pushed else before.at)
    return found


def latest(seen: Mapping[str, Seen]) -> str:
    """The tag that is new since the latest time; the greatest version among those of one time."""
    return max(seen, key=lambda tag: (seen[tag].at, by_semver(tag), tag))


def gone(spec: ImageSpec, what: str) -> Reason:
    """A line has nothing to train with."""
    return Reason(
        Code.IMAGE_TAG_GONE,
        f"{spec.repository} has {what}, which {spec.name} watches.",
        fix="Push it, or correct the entry under 'images' in junbi.yaml.",
        wakes="the next push, or the next look at the registry",
    )


def _captures(spec: ImageSpec, tag: str) -> dict[str, str] | None:
    return tags.captures(spec.tags, spec.allow, tag) if spec.tags else None
