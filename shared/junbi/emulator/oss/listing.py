"""Listing a bucket page by page, as OSS does: in byte order, rolled up at a delimiter."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from junbi.emulator.oss.index import Index
    from junbi.emulator.oss.model import StoredObject

_BATCH = 1000


@dataclass(slots=True)
class Page:
    """One page: objects and rolled-up prefixes; ``last`` is the greatest name on it, ``truncated``: more follow."""

    objects: list[StoredObject] = field(default_factory=list)
    prefixes: list[str] = field(default_factory=list)
    last: str = ""
    truncated: bool = False

    def __len__(self) -> int:
        return len(self.objects) + len(self.prefixes)


def after_all(prefix: bytes) -> bytes | None:
    """The least bytes greater than everything that starts with the prefix; None where nothing is greater."""
    stripped = prefix.rstrip(b"\xff")
    return stripped[:-1] + bytes([stripped[-1] + 1]) if stripped else None


def group_of(key: str, prefix: str, delimiter: str) -> str | None:
    """The common prefix a key is rolled up into: up to and with the first delimiter behind the prefix."""
    cut = key.find(delimiter, len(prefix)) if delimiter else -1
    return None if cut < 0 else key[: cut + len(delimiter)]


def page(index: Index, bucket: str, *, prefix: str, marker: str, delimiter: str, limit: int) -> Page:
    """The first ``limit`` names greater than the marker. A group costs one look-up, however many keys it has."""
    found, end = Page(), after_all(prefix.encode())
    start, beyond = prefix.encode(), False
    if marker.encode() >= start:
        start, beyond = marker.encode(), True
        if group_of(marker, prefix, delimiter) == marker:  # the last page ended with this group
            start, beyond = after_all(start) or start, False
    while True:
        group = _fill(found, index, bucket, (start, end), (prefix, delimiter, limit), beyond=beyond)
        skip_to = after_all(group.encode()) if group else None
        if skip_to is None:
            return found
        start, beyond = skip_to, False


def _fill(
    found: Page,
    index: Index,
    bucket: str,
    span: tuple[bytes, bytes | None],
    terms: tuple[str, str, int],
    *,
    beyond: bool,
) -> str | None:
    """Add names until the page is full or a group was met, which is returned: its keys are to be skipped."""
    prefix, delimiter, limit = terms
    with index.scan(bucket, *span, beyond=beyond) as objects:
        for stored in objects:
            if len(found) == limit:
                found.truncated = True
                return None
            group = group_of(stored.key, prefix, delimiter)
            found.last = group or stored.key
            if group:
                found.prefixes.append(group)
                return group
            found.objects.append(stored)
    return None


def walk(index: Index, bucket: str, prefix: str) -> Iterator[StoredObject]:
    """Every object under the prefix, in key order; writers run between its pages."""
    marker = ""
    while True:
        found = page(index, bucket, prefix=prefix, marker=marker, delimiter="", limit=_BATCH)
        yield from found.objects
        if not found.truncated:
            return
        marker = found.last
