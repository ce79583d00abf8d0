"""When windows open: over midnight, over weekends, and over the changes of the clocks."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from junbi.core.policy import Window
from junbi.core.schedule import DAYS, opens_at

BERLIN = "Europe/Berlin"


def at(text: str) -> datetime:
    """A moment in UTC."""
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


@pytest.mark.parametrize(
    ("window", "now", "opens"),
    [
        # 22:00 to 06:00 in Shanghai is 14:00 to 22:00 UTC
        (("22:00", "06:00", "Asia/Shanghai"), "2026-03-04T13:59:59", "2026-03-04T14:00:00"),
        (("22:00", "06:00", "Asia/Shanghai"), "2026-03-04T14:00:00", None),
        (("22:00", "06:00", "Asia/Shanghai"), "2026-03-04T21:59:59", None),
        (("22:00", "06:00", "Asia/Shanghai"), "2026-03-04T22:00:00", "2026-03-05T14:00:00"),
        # equal ends: the whole day
        (("08:00", "08:00", "UTC"), "2026-03-04T03:00:00", None),
        # the night in which Berlin skips 02:00 to 03:00: 02:30 is 03:30, 01:30 UTC
        (("02:30", "05:00", BERLIN), "2026-03-29T01:29:59", "2026-03-29T01:30:00"),
        (("02:30", "05:00", BERLIN), "2026-03-29T02:59:59", None),
        (("02:30", "05:00", BERLIN), "2026-03-29T03:00:00", "2026-03-30T00:30:00"),
        # the night in which 02:00 to 03:00 comes twice: open both times
        (("01:00", "02:30", BERLIN), "2026-10-25T01:29:59", None),
        (("01:00", "02:30", BERLIN), "2026-10-25T01:30:00", "2026-10-26T00:00:00"),
        (("02:00", "03:00", BERLIN), "2026-10-25T00:00:00", None),
        (("02:00", "03:00", BERLIN), "2026-10-25T01:30:00", None),
        (("02:00", "03:00", BERLIN), "2026-10-25T02:00:00", "2026-10-26T01:00:00"),
    ],
)
def test_opening(window: tuple[str, str, str], now: str, opens: str | None) -> None:
    """None while it is open, else the next opening."""
    start, end, zone = window
    found = opens_at(Window(start=start, end=end, days=DAYS, timezone=zone), at(now))
    assert found == (at(opens) if opens else None)


def test_a_window_over_midnight_belongs_to_the_day_on_which_it_opens() -> None:
    """Friday's window is open on Saturday morning, and none opens until Friday."""
    window = Window(start="22:00", end="06:00", days=("fri",), timezone="UTC")
    assert opens_at(window, at("2026-03-07T05:00:00")) is None
    assert opens_at(window, at("2026-03-07T07:00:00")) == at("2026-03-13T22:00:00")


times = st.times().map(lambda time: f"{time:%H:%M}")


@given(
    times,
    times,
    st.sets(st.sampled_from(DAYS), min_size=1),
    st.sampled_from(["UTC", BERLIN, "Asia/Shanghai", "America/St_Johns", "Australia/Lord_Howe"]),
    st.datetimes(datetime.fromisoformat("2024-01-01"), datetime.fromisoformat("2030-01-01"), timezones=st.just(UTC)),
)
def test_a_launch_that_waits_for_the_opening_finds_it_open(
    start: str, end: str, days: set[str], zone: str, now: datetime
) -> None:
    """The opening lies ahead, within nine days, and the window is open then and not a moment before, at any time."""
    window = Window(start=start, end=end, days=tuple(days), timezone=zone)
    opens = opens_at(window, now)
    if opens is not None:
        assert now < opens <= now + timedelta(days=9)
        assert opens_at(window, opens) is None
        assert opens_at(window, opens - timedelta(microseconds=1)) is not None or opens - now < timedelta(seconds=1)
        assert opens.astimezone(ZoneInfo(zone)).second == 0
