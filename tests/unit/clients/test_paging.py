"""Pages are read to their end."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from junbi.clients.paging import rows
from junbi.errors import OutcomeUnknown

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


def listing(items: Sequence[int], size: int, total: int) -> Callable[[int], tuple[Sequence[int], int]]:
    """A service's pages."""
    return lambda number: (items[(number - 1) * size : number * size], total)


class TestRows:
    """No row is missed, whatever the service makes of the page size or the total."""

    @pytest.mark.parametrize("size", [1, 3, 10, 100])
    @pytest.mark.parametrize("total", [0, 10, 12])
    def test_all_rows_come(self, size: int, total: int) -> None:
        """Pages smaller than asked for, a missing total and one that is too high end nothing early."""
        assert list(rows("List", listing(range(10), size, total))) == list(range(10))

    def test_nothing_is_nothing(self) -> None:
        """An empty listing has no rows."""
        assert list(rows("List", listing([], 10, 0))) == []

    def test_it_stops_at_the_total(self) -> None:
        """No page is asked for when all rows are there."""
        asked: list[int] = []

        def fetch(number: int) -> tuple[Sequence[int], int]:
            asked.append(number)
            return [number], 3

        assert list(rows("List", fetch)) == [1, 2, 3]
        assert asked == [1, 2, 3]

    def test_an_endless_listing_is_an_error(self) -> None:
        """A listing that does not end is told, and not taken for complete."""
        endless = rows("List", lambda number: ([number], 10**9))
        with pytest.raises(OutcomeUnknown, match="too_many_pages"):
            list(endless)
