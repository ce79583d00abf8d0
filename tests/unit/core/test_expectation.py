"""Daily deadlines in their own time zone, over nights in which the clocks change."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from junbi.core.expectation import Expectation, deadline, delivered, late, next_due, passed, planned
from junbi.core.plan import Expect

NEW_YORK, SHANGHAI, BERLIN = ZoneInfo("America/New_York"), ZoneInfo("Asia/Shanghai"), ZoneInfo("Europe/Berlin")
DAILY = Expect(daily="03:00", grace=3600, timezone="Asia/Shanghai")


def utc(text: str) -> datetime:
    """A moment, UTC."""
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


@pytest.mark.parametrize(
    ("daily", "zone", "after", "due"),
    [
        ("03:00", SHANGHAI, "2026-03-01T18:59:59", "2026-03-01T19:00"),
        ("03:00", SHANGHAI, "2026-03-01T19:00:00", "2026-03-02T19:00"),
        ("02:30", NEW_YORK, "2026-03-08T05:00:00", "2026-03-08T07:30"),  # skipped: 02:30 by the clock before
        ("02:30", NEW_YORK, "2026-03-08T07:30:00", "2026-03-09T06:30"),
        ("01:30", NEW_YORK, "2026-11-01T04:00:00", "2026-11-01T05:30"),  # comes twice: the first
        ("01:30", NEW_YORK, "2026-11-01T05:30:00", "2026-11-02T06:30"),
        ("02:30", BERLIN, "2026-10-25T00:00:00", "2026-10-25T00:30"),
        ("02:30", BERLIN, "2026-10-25T00:30:00", "2026-10-26T01:30"),
    ],
)
def test_bc_127_the_next_time_of_day(daily: str, zone: ZoneInfo, after: str, due: str) -> None:
    """BC-127: in nights that skip or repeat the time it comes once, and every day has one."""
    assert next_due(daily, zone, utc(after)) == utc(due)


@given(
    after=st.datetimes(datetime(2020, 1, 1), datetime(2030, 1, 1)),  # noqa: DTZ001 - Hypothesis takes no others here
    minute=st.integers(0, 24 * 60 - 1),
    zone=st.sampled_from([NEW_YORK, SHANGHAI, BERLIN, ZoneInfo("Australia/Lord_Howe"), ZoneInfo("UTC")]),
)
def test_deadlines_follow_each_other_by_about_a_day(after: datetime, minute: int, zone: ZoneInfo) -> None:
    """From any moment the next is ahead and within 25 hours, and so is the one after that: none is skipped."""
    daily = f"{minute // 60:02}:{minute % 60:02}"
    first = next_due(daily, zone, after.replace(tzinfo=UTC))
    second = next_due(daily, zone, first)
    assert timedelta(0) < first - after.replace(tzinfo=UTC) <= timedelta(hours=25)
    assert timedelta(hours=23) <= second - first <= timedelta(hours=25)


def expectation(**more: object) -> Expectation:
    """What is expected at 03:00 in Shanghai on March 2nd."""
    fields = {"due_at": utc("2026-03-01T19:00"), "since": utc("2026-02-28T20:00"), "row": 1} | more
    return Expectation("digits", **fields)  # type: ignore[arg-type]


def test_a_day_with_a_delivery_is_met() -> None:
    """A delivery since the deadline before, however early, meets the next one; nothing is late."""
    after = passed(delivered(expectation(), utc("2026-02-28T21:00")), DAILY, SHANGHAI)
    assert (after.missed, after.since, after.due_at) == (0, utc("2026-03-01T20:00"), utc("2026-03-02T19:00"))
    assert late(after, DAILY, SHANGHAI) is None


def test_days_without_one_are_counted() -> None:
    """The reason says by when nothing came, in the dataset's zone, and how often in a row."""
    after = passed(passed(expectation(), DAILY, SHANGHAI), DAILY, SHANGHAI)
    reason = late(after, DAILY, SHANGHAI)
    assert reason is not None
    assert reason.code == "DatasetLate"
    assert "by 2026-03-03 04:00 (Asia/Shanghai)" in reason.message
    assert "2 times in a row" in reason.message


def test_a_late_delivery_ends_the_lateness_and_counts_for_no_other_day() -> None:
    """What came for yesterday does not make today's delivery superfluous."""
    missed = passed(expectation(), DAILY, SHANGHAI)
    there = delivered(missed, utc("2026-03-02T00:00"))
    assert late(there, DAILY, SHANGHAI) is None
    assert passed(there, DAILY, SHANGHAI).missed == 1


def test_what_is_declared_anew_does_not_skip_the_deadline_that_is_under_way() -> None:
    """An apply between the due time and the deadline leaves the deadline where it is."""
    again = planned(expectation(), "digits", DAILY, SHANGHAI, utc("2026-03-01T19:30"))
    assert deadline(DAILY, again) == utc("2026-03-01T20:00")
    first = planned(None, "digits", DAILY, SHANGHAI, utc("2026-03-01T20:30"))
    assert first.due_at == utc("2026-03-02T19:00")
