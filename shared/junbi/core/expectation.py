"""When a dataset's next delivery is due, day by day in its own time zone, and what becomes of the deadline."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime, time, timedelta
from typing import TYPE_CHECKING

from junbi.core.model import Reason
from junbi.core.reasons import Code

if TYPE_CHECKING:
    from datetime import tzinfo

    from junbi.core.plan import Expect


@dataclass(frozen=True, slots=True)
class Expectation:
    """What is expected of a dataset next. There is one row for each.

    Attributes:
        due_at: when the next delivery is due; the deadline is by ``grace`` later.
        since: deliveries after it count for that deadline.
        delivered_at: when an upload was completed last; None where none counts yet.
        missed: deadlines that passed in a row without a delivery.
    """

    dataset: str
    due_at: datetime
    since: datetime
    delivered_at: datetime | None = None
    missed: int = 0
    row: int = 0


def next_due(daily: str, zone: tzinfo, after: datetime) -> datetime:
    """The next time of day ``HH:MM`` in a zone after a moment, UTC.

    Where the clocks skip that time it is meant by the clock before the change, and where they repeat it, the first.
    """
    at, today = time.fromisoformat(daily), after.astimezone(zone).date()
    days = (today + timedelta(days=ahead) for ahead in range(-1, 3))
    moments = (datetime.combine(day, at, zone).astimezone(UTC) for day in days)
    return next(moment for moment in moments if moment > after)


def deadline(expect: Expect, expectation: Expectation) -> datetime:
    """When a delivery that did not come is late."""
    return expectation.due_at + timedelta(seconds=expect.grace)


def planned(known: Expectation | None, dataset: str, expect: Expect, zone: tzinfo, now: datetime) -> Expectation:
    """What is expected next by what was declared just now: the first deadline that has not passed."""
    due_at = next_due(expect.daily or "00:00", zone, now - timedelta(seconds=expect.grace))
    return replace(known, due_at=due_at) if known else Expectation(dataset, due_at, since=now)


def passed(expectation: Expectation, expect: Expect, zone: tzinfo) -> Expectation:
    """What is expected after a deadline passed: met where something was delivered for it, else missed."""
    ended = deadline(expect, expectation)
    met = expectation.delivered_at is not None and expectation.delivered_at > expectation.since
    due_at = next_due(expect.daily or "00:00", zone, expectation.due_at)
    return replace(expectation, due_at=due_at, since=ended, missed=0 if met else expectation.missed + 1)


def delivered(expectation: Expectation, now: datetime) -> Expectation:
    """What is expected after an upload was completed: a late one ends the lateness, and counts for no other day."""
    if expectation.missed:
        return replace(expectation, missed=0, since=now, delivered_at=None)
    return replace(expectation, delivered_at=now)


def late(expectation: Expectation, expect: Expect, zone: tzinfo) -> Reason | None:
    """Why a dataset is late; None where it is not."""
    if not expectation.missed:
        return None
    times = "once" if expectation.missed == 1 else f"{expectation.missed} times in a row"
    by = expectation.since.astimezone(zone)
    return Reason(
        Code.DATASET_LATE,
        f"No upload of {expectation.dataset} was completed by {by:%Y-%m-%d %H:%M} ({expect.timezone}); it is expected "
        f"daily at {expect.daily}, and was missed {times}.",
        fix="See why nothing was delivered, and what 'junbi inputs' says of uploads that are not closed.",
        wakes="the next upload that is completed",
        facts={"missed": str(expectation.missed)},
    )
