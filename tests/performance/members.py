"""An object store with a great many objects in one folder, which takes no time of its own to speak of."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from tests.performance.ledgers import MARKER

from junbi.clients.objects import ObjectInfo, Page

THEN = datetime(2026, 1, 1, tzinfo=UTC)


class Members:
    """``v1/part-<number>.csv`` and a marker below any prefix; counts the pages that were asked for."""

    def __init__(self, members: int) -> None:
        self.members, self.pages = members, 0

    def list_page(
        self, _bucket: str, prefix: str, after: str | None = None, delimiter: str | None = None, **_: Any
    ) -> Page:
        """The marker and the next thousand members, which it lies before. No folders: only events tell."""
        self.pages += 1
        if delimiter:
            return Page((), (), None)
        first = int(after.rpartition("-")[2].removesuffix(".csv")) + 1 if after else 0
        last = min(first + 1000, self.members)
        found = [ObjectInfo(f"{prefix}part-{i:07}.csv", 5, f"{i:032X}", THEN) for i in range(first, last)]
        marker = [] if after else [ObjectInfo(prefix + MARKER, 0, "M", datetime.now(UTC))]
        return Page((*marker, *found), (), found[-1].key if last < self.members else None)
