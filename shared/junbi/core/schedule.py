"""When a plan's window is open, in its own time zone, over changes of the clocks."""

from __future__ import annotations

from datetime import UTC, datetime, time, timedelta
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

if TYPE_CHECKING:
    from collections.abc import Iterator

    from junbi.core.policy import Window

DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")


def opens_at(window: Window, now: datetime) -> datetime | None:
    """When a window opens next, UTC; None while it is open."""
    openings = list(_openings(window, now))
    if any(start <= now < end for start, end in openings):
        return None
    return min(start for start, _ in openings if start > now)


def _openings(window: Window, now: datetime) -> Iterator[tuple[datetime, datetime]]:
    """The openings around now: the one that began yesterday, and those of the next week."""
    zone = ZoneInfo(window.timezone)
    start, end = time.fromisoformat(window.start), time.fromisoformat(window.end)
    today = now.astimezone(zone).date()
    for ahead in range(-1, 9):
        day = today + timedelta(days=ahead)
        if DAYS[day.weekday()] in window.days:
            last = day if end > start else day + timedelta(days=1)
            # An hour that comes twice belongs to the window both times; one that never comes moves it by that hour.
            begins = datetime.combine(day, start, zone)
            ends = datetime.combine(last, end, zone).replace(fold=1)
            yield begins.astimezone(UTC), ends.astimezone(UTC)
