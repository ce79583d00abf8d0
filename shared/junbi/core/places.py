"""Places in OSS as junbi.yaml writes them, ``oss://bucket/path/{hole}/``: which keys lie there, and do two overlap."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from junbi.core.placeholders import Reference, parse

if TYPE_CHECKING:
    from junbi.core.plan import Watch

#: One part of a path between two slashes: literal text, and None for a hole that takes one or more characters.
Part = tuple[str | None, ...]

_ADDRESS = re.compile(r"oss://([^/]*)/(.*)", re.DOTALL)
_BUCKET = re.compile(r"[a-z0-9][a-z0-9-]{1,61}[a-z0-9]")
#: How ``pattern_of`` writes a hole.
_HOLE = re.compile(r"\(\?P<[a-z][a-z0-9_]*>\[\^/\]\+\)")
#: Bytes, so as many characters at most. Source: OSS documentation.
_LONGEST_KEY = 1023


@dataclass(frozen=True, slots=True)
class Place:
    """A prefix in a bucket, cut at its slashes. Every object below it belongs to it."""

    bucket: str
    parts: tuple[Part, ...]

    def overlaps(self, other: Place) -> bool:
        """Whether some object can lie in both."""
        if self.bucket != other.bucket:
            return False
        return all(_meet(mine, theirs) for mine, theirs in zip(self.parts, other.parts, strict=False))


def split(uri: str) -> tuple[str, str]:
    """Bucket and path of an ``oss://`` address whose path ends in a slash; ValueError says what is wrong with it."""
    match = _ADDRESS.fullmatch(uri)
    if match is None:
        raise ValueError(f"expected an address such as oss://bucket/path/, got {uri!r}")
    bucket, path = match.groups()
    if _BUCKET.fullmatch(bucket) is None:
        raise ValueError(f"{bucket!r} is no bucket name (3 to 63 of a-z, 0-9 and hyphens)")
    if path and not path.endswith("/"):
        raise ValueError(f"must end in a slash, so that it names a folder and not the start of a name: {uri}/")
    if path.startswith("/") or "//" in path:
        raise ValueError(f"has an empty part between two slashes, which OSS would take as a name: {uri!r}")
    return bucket, path


def place(uri: str) -> Place:
    """The place an address names, placeholders being holes; ValueError as ``split``."""
    bucket, path = split(uri)
    parts: list[Part] = []
    part: list[str | None] = []
    for piece in parse(path):
        if isinstance(piece, Reference):
            part.append(None)
            continue
        head, *tails = piece.split("/")
        part += [head] if head else []
        for tail in tails:
            parts.append(tuple(part))
            part = [tail] if tail else []
    return Place(bucket, tuple(parts))


def pattern_of(path: str) -> tuple[str, str, tuple[str, ...]]:
    """Root, regular expression and placeholder names of a watched path, as ``core.plan.Watch`` holds them."""
    pieces = parse(path)
    first = pieces[0] if pieces and isinstance(pieces[0], str) else ""
    root = first if len(pieces) == 1 else first[: first.rfind("/") + 1]
    pattern = "".join(re.escape(piece) if isinstance(piece, str) else f"(?P<{piece.name}>[^/]+)" for piece in pieces)
    return root, pattern, tuple(piece.name for piece in pieces if isinstance(piece, Reference))


def place_of(watch: Watch) -> Place:
    """The place a compiled watch covers: its pattern read back."""
    return Place(watch.bucket, _read_back(watch.pattern))


def located(watch: Watch, key: str) -> tuple[str, dict[str, str]] | None:
    """The version's own prefix that a key lies under, and what its placeholders took; None where it lies outside.

    The answer is that of ``re.match`` with the watch's pattern. Keys come from strangers, though, and an expression
    tries every way to cut ``a-a-a-…`` at three placeholders; this cuts each path part from its right, once.
    """
    parts = _read_back(watch.pattern)
    texts = key.split("/", len(parts))
    if len(key) > _LONGEST_KEY or len(texts) <= len(parts):
        return None
    taken: list[str] = []
    for part, text in zip(parts, texts, strict=False):
        found = _cut(part, text)
        if found is None:
            return None
        taken += found
    return "".join(f"{text}/" for text in texts[: len(parts)]), dict(zip(watch.captures, taken, strict=True))


def _cut(part: Part, text: str) -> list[str] | None:
    """What each hole of a path part takes of a text, the first as much as it can; None where the text does not fit."""
    head, *others = "".join("\0" if piece is None else piece for piece in part).split("\0")
    if not others:
        return [] if text == head else None
    *between, tail = others
    start, end = len(head), len(text) - len(tail)
    if not (text.startswith(head) and text.endswith(tail) and start < end):
        return None
    found: list[str] = []
    for literal in reversed(between):
        at = text.rfind(literal, start, max(start, end - 1))  # a hole takes one character at least
        if at < 0:
            return None
        found.insert(0, text[at + len(literal) : end])
        end = at
    return [text[start:end], *found] if start < end else None


@lru_cache(maxsize=4096)
def _read_back(pattern: str) -> tuple[Part, ...]:
    # A slash is never escaped and a hole holds one in [^/]: take the holes out before cutting at slashes.
    marked = _HOLE.sub("\0", pattern).removesuffix("/")
    parts = (re.findall(r"\0|(?:\\.|[^\0\\])+", part, re.DOTALL) for part in marked.split("/"))
    return tuple(tuple(None if piece == "\0" else _plain(piece) for piece in part) for part in parts)


def _plain(escaped: str) -> str:
    return re.sub(r"\\(.)", r"\1", escaped, flags=re.DOTALL)


def _meet(one: Part, other: Part) -> bool:
    """Whether some text fits both parts. A hole is one character and then any number of them."""
    if None not in one and None not in other:
        return one == other
    left, right = _symbols(one), _symbols(other)
    # fits[j] answers for what is left of both from (i, j) on, filled from their ends.
    below: list[bool] = []
    for i in range(len(left), -1, -1):
        fits = [False] * (len(right) + 1)
        for j in range(len(right), -1, -1):
            if i == len(left) or j == len(right):
                fits[j] = all(symbol == "*" for symbol in left[i:] + right[j:])
            elif "*" in {left[i], right[j]}:
                fits[j] = below[j] or fits[j + 1]
            else:
                fits[j] = (left[i] == right[j] or "?" in {left[i], right[j]}) and below[j + 1]
        below = fits
    return below[0]


def _symbols(part: Part) -> tuple[str, ...]:
    """Characters as ``=c``, any one character as ``?``, any number as ``*``."""
    return tuple(s for piece in part for s in (("?", "*") if piece is None else [f"={c}" for c in piece]))
