"""Pages are read to their end."""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING

import pytest

from junbi.clients.paging import every_row, rows
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


class TestEveryRow:
    """A row that is not among them was not there: what is created again depends on it."""

    def test_one_page_is_read_once(self) -> None:
        """A listing that fits one page cannot shift."""
        asked: list[int] = []

        def fetch(number: int) -> tuple[Sequence[int], int]:
            asked.append(number)
            return [1, 2], 2

        assert every_row("List", fetch, key=int) == [1, 2]
        assert asked == [1]

    @pytest.mark.parametrize("gone", [0, 1])
    def test_a_row_that_goes_away_between_pages_hides_no_other(self, gone: int) -> None:
        """A row deleted while pages are read shifts the rest; the one that would be skipped is found all the same."""
        items = list(range(6))

        def fetch(number: int) -> tuple[Sequence[int], int]:
            page = list(items[(number - 1) * 2 : number * 2])
            if gone in items and number == 1:
                items.remove(gone)
            return page, len(items)

        assert every_row("List", fetch, key=int) == [item for item in range(6) if item != gone]

    def test_a_listing_that_never_rests_is_no_answer(self) -> None:
        """Where no two readings agree, nothing is said about what is not there."""
        fresh = count()
        with pytest.raises(OutcomeUnknown, match="listing_changed"):
            every_row("List", lambda number: ([next(fresh)], 2 if number == 1 else 1), key=int)
