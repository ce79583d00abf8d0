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
