"""Reads numbered pages to their end."""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING, TypeVar

from junbi.errors import OutcomeUnknown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

T = TypeVar("T")

#: Rows asked for per page. Source: DLC allows 1 to 100; assumed for AIWorkSpace.
SIZE = 100

#: The last page number that may be asked for. Source: OpenAPI metadata of DLC.
LAST = 1000


#: How often a listing that changes under its reader is read at most.
READINGS = 4


def every_row(operation: str, fetch: Callable[[int], tuple[Sequence[T], int]], key: Callable[[T], object]) -> list[T]:
    """Every row of a listing, such that a row which is absent was not there.

    Pages are cut anew at each call: when a row goes away between two of them, the next page begins one row later, and
    a row is skipped. So what took more than one page is read until two readings agree. OutcomeUnknown where none do.

    Args:
        operation: for the error.
        fetch: as for ``rows``.
        key: what identifies a row; its other members may change between readings.
    """
    before: list[object] | None = None
    for _ in range(READINGS):
        pages = 0

        def counted(number: int) -> tuple[Sequence[T], int]:
            nonlocal pages
            pages = number
            return fetch(number)

        found = list(rows(operation, counted))
        keys = [key(row) for row in found]
        if pages == 1 or keys == before:
            return found
        before = keys
    raise OutcomeUnknown(operation, "listing_changed", f"the listing was another one in each of {READINGS} readings")


def rows(operation: str, fetch: Callable[[int], tuple[Sequence[T], int]]) -> Iterator[T]:
    """Every row of a listing.

    Neither a page shorter than asked for nor a wrong total ends it early: a service may cap the page's size, and a
    row that is missed here may be a job that is launched twice.

    Args:
        operation: for the error, raised where the listing does not end (OutcomeUnknown).
        fetch: gives the rows of a page, numbered from 1, and the total number of rows.
    """
    seen = 0
    for number in count(1):
        if number > LAST:
            raise OutcomeUnknown(operation, "too_many_pages", f"more than {LAST} pages: narrow the window")
        page, total = fetch(number)
        yield from page
        seen += len(page)
        if not page or 0 < total <= seen:
            return
