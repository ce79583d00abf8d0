"""Whether an arrival is complete, judged by what its prefix holds."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from junbi.core.arrival import FRESH
from junbi.core.closing import LONGEST_REST, Closing, close
from junbi.core.digest import Listing, Member
from junbi.core.facts import Arrival, ArrivalState
from junbi.core.plan import Complete
from junbi.core.reasons import Code

NOW = datetime(2026, 3, 1, 12, 0, 0, tzinfo=UTC)
SINCE = NOW - timedelta(days=30)
SECOND = timedelta(seconds=1)
MARKER = Complete(marker="_SUCCESS")


def ago(seconds: float) -> datetime:
    """So many seconds before now."""
    return NOW - timedelta(seconds=seconds)


def listing(*members: datetime, marker: datetime | None = None, placeholder: bool = False) -> Listing:
    """A prefix with an object for each time, perhaps a marker, perhaps the folder's placeholder."""
    seen = Listing("digits/v1/", "_SUCCESS")
    if placeholder:
        seen.add(Member("digits/v1/", 0, "P", NOW))
    if marker is not None:
        seen.add(Member("digits/v1/_SUCCESS", 0, "M", marker))
    for number, modified in enumerate(members):
        seen.add(Member(f"digits/v1/{number:04}", 5, "E", modified))
    return seen


def arrival(opened: datetime = NOW, *, found: bool = False) -> Arrival:
    """An arrival whose prefix is being listed."""
    return Arrival(
        "digits:digits/v1/",
        "digits",
        "vision",
        "digits/v1/",
        {"version": "v1"},
        ArrivalState.CLOSING,
        opened,
        opened,
        found=found,
        row=2,
    )


def judged(complete: Complete, seen: Listing, opened: datetime = NOW, now: datetime = NOW) -> Closing:
    """What ``close`` says of a listing."""
    return close(arrival(opened), complete, seen, now, SINCE)


def code(said: Closing) -> str:
    """The code of the reason, empty for none."""
    return said.reason.code if said.reason else ""


class TestMarker:
    """A marker speaks for what was there when it came."""

    def test_a_marker_that_is_newest_closes(self) -> None:
        """Members older than the marker are complete."""
        assert judged(MARKER, listing(ago(9), ago(8), marker=ago(7))) == Closing(ArrivalState.CLOSED)

    def test_the_same_second_counts(self) -> None:
        """Listings have whole seconds, so a member of the marker's own second is taken as covered."""
        assert judged(MARKER, listing(ago(9), ago(7), marker=ago(7))).state is ArrivalState.CLOSED

    def test_a_member_one_second_newer_makes_it_stale(self) -> None:
        """MarkerStale says when each came, and what to do; the arrival stays open."""
        said = judged(MARKER, listing(ago(9), ago(6), marker=ago(7)))
        assert (said.state, code(said)) == (ArrivalState.OPEN, Code.MARKER_STALE)
        assert said.reason is not None
        assert "11:59:54" in said.reason.message
        assert "11:59:53" in said.reason.message
        assert "again" in said.reason.fix
        assert said.wake_at is not None

    def test_without_it_the_arrival_stays_open(self) -> None:
        """However old the members are: no marker, no version."""
        said = judged(MARKER, listing(ago(86_400)), opened=ago(86_400))
        assert (said.state, code(said)) == (ArrivalState.OPEN, Code.DATASET_OPEN)

    def test_a_marker_alone_closes_nothing(self) -> None:
        """A version without a member is no version, also with its folder's placeholder."""
        for seen in (listing(marker=ago(1)), listing(marker=ago(1), placeholder=True)):
            said = judged(MARKER, seen)
            assert (said.state, code(said)) == (ArrivalState.OPEN, Code.DATASET_OPEN)

    def test_a_placeholder_newer_than_the_marker_does_not_make_it_stale(self) -> None:
        """Tools touch folder placeholders; they are no members."""
        assert judged(MARKER, listing(ago(9), marker=ago(7), placeholder=True)).state is ArrivalState.CLOSED


class TestCount:
    """A number of members."""

    @pytest.mark.parametrize(
        ("members", "state"), [(15, ArrivalState.OPEN), (16, ArrivalState.CLOSED), (17, ArrivalState.CLOSED)]
    )
    def test_bc_17_never_below_the_full_number(self, members: int, state: ArrivalState) -> None:
        """15 of 16 stay open and say need and have; 16 and more close."""
        said = judged(Complete(count=16), listing(*[ago(1)] * members))
        assert said.state is state
        if said.reason is not None:
            assert dict(said.reason.facts) == {"need": "16", "have": "15"}

    def test_placeholders_and_markers_do_not_count(self) -> None:
        """What is no member does not complete the number."""
        seen = listing(ago(1), marker=ago(1), placeholder=True)
        assert judged(Complete(count=2), seen).state is ArrivalState.OPEN


class TestQuiet:
    """A time without a new object, judged by the newest LastModified."""

    @pytest.mark.parametrize(
        ("age", "state"), [(59.9, ArrivalState.OPEN), (60, ArrivalState.CLOSED), (61, ArrivalState.CLOSED)]
    )
    def test_the_boundary_second_closes(self, age: float, state: ArrivalState) -> None:
        """Exactly the quiet time after the newest object is quiet enough."""
        assert judged(Complete(quiet=60), listing(ago(500), ago(age))).state is state

    def test_bc_59_it_is_looked_at_when_it_may_be_quiet(self) -> None:
        """The next look is at the newest object's time plus the quiet time: stored, not remembered."""
        said = judged(Complete(quiet=60), listing(ago(100), ago(20)))
        assert said.wake_at == ago(20) + 60 * SECOND
        assert code(said) == Code.DATASET_OPEN

    def test_max_wait_closes_a_prefix_that_never_rests(self) -> None:
        """With 'quiet' the deadline closes what is there; only then."""
        never = Complete(quiet=60, max_wait=3600)
        assert judged(never, listing(ago(1)), opened=ago(3599)).state is ArrivalState.OPEN
        assert judged(never, listing(ago(1)), opened=ago(3600)).state is ArrivalState.CLOSED


class TestDeadline:
    """``max_wait`` with a marker or a count."""

    @pytest.mark.parametrize("complete", [Complete(marker="_SUCCESS", max_wait=60), Complete(count=9, max_wait=60)])
    def test_bc_55_it_never_closes_what_is_not_complete(self, complete: Complete) -> None:
        """At the deadline it becomes DatasetIncomplete, without a further look; a second before it is open."""
        before, at = (judged(complete, listing(ago(1)), opened=ago(age)) for age in (59, 60))
        assert (before.state, code(before)) == (ArrivalState.OPEN, Code.DATASET_OPEN)
        assert (at.state, code(at), at.wake_at) == (ArrivalState.INCOMPLETE, Code.DATASET_INCOMPLETE, None)
        assert at.reason is not None
        assert at.reason.fix

    @pytest.mark.parametrize("complete", [Complete(marker="_SUCCESS", max_wait=60), Complete(count=1, max_wait=60)])
    def test_what_is_complete_closes_however_late(self, complete: Complete) -> None:
        """A complete prefix that is looked at after the deadline is no failure."""
        assert judged(complete, listing(ago(9), marker=ago(8)), opened=ago(999)).state is ArrivalState.CLOSED

    def test_a_look_is_never_after_the_deadline(self) -> None:
        """An open arrival is looked at at its deadline at the latest."""
        said = judged(Complete(marker="_SUCCESS", max_wait=3600), listing(ago(3590)), opened=ago(3598))
        assert said.wake_at == NOW + 2 * SECOND


class TestBeforeDeployment:
    """What was there before the watch."""

    def test_old_objects_that_only_a_listing_found_are_left_alone(self) -> None:
        """The first apply trains on nothing that lay there already, and says how to change that."""
        said = close(arrival(found=True), MARKER, listing(ago(9), marker=ago(8)), NOW, NOW)
        assert (said.state, code(said), said.wake_at) == (ArrivalState.IGNORED, Code.BEFORE_DEPLOYMENT, None)
        assert said.reason is not None
        assert "again" in said.reason.fix

    @pytest.mark.parametrize("offset", [0.0, 0.4, 0.999])
    def test_the_second_of_the_first_apply_counts_as_new(self, offset: float) -> None:
        """LastModified has whole seconds: an object of the very second was perhaps after it."""
        since = ago(8) + timedelta(seconds=offset)
        seen = listing(ago(9), marker=ago(8))
        assert close(arrival(found=True), MARKER, seen, NOW, since).state is ArrivalState.CLOSED
        assert close(arrival(found=True), MARKER, seen, NOW, since + SECOND).state is ArrivalState.IGNORED

    def test_one_new_object_or_the_marker_makes_all_of_it_new(self) -> None:
        """The newest decides, be it a member or the marker."""
        for seen in (listing(ago(99), marker=ago(1)), listing(ago(99), ago(1))):
            assert close(arrival(found=True), MARKER, seen, NOW, ago(50)).state is not ArrivalState.IGNORED

    def test_an_event_makes_old_objects_count(self) -> None:
        """Copying keeps times in some tools: what an event told of is never taken for old."""
        assert close(arrival(), MARKER, listing(ago(9), marker=ago(8)), NOW, NOW).state is ArrivalState.CLOSED


class TestEmpty:
    """Prefixes that hold nothing."""

    @pytest.mark.parametrize(
        "complete", [MARKER, Complete(count=1), Complete(quiet=0.001), Complete(quiet=1, max_wait=1)]
    )
    @pytest.mark.parametrize("placeholder", [True, False])
    def test_bc_73_an_emptied_prefix_is_no_version(self, complete: Complete, placeholder: bool) -> None:  # noqa: FBT001
        """Everything deleted again, by a person or a lifecycle rule: ignored until the next object, said why."""
        said = judged(complete, listing(placeholder=placeholder), opened=ago(9999))
        assert (said.state, code(said), said.wake_at) == (ArrivalState.IGNORED, Code.NO_OBJECT_YET, None)


class TestRest:
    """How long an open arrival rests before it is listed again."""

    @pytest.mark.parametrize(
        ("age", "rest"), [(0, 5), (-60, 5), (10, 5), (11, 5.5), (600, 300), (1200, 600), (10**6, 600)]
    )
    def test_it_grows_with_the_age_of_the_newest_object(self, age: int, rest: float) -> None:
        """Half the age, never below five seconds, never above ten minutes; a clock ahead of ours does no harm."""
        said = judged(MARKER, listing(ago(age)), opened=ago(10**6))
        assert said.wake_at == NOW + timedelta(seconds=rest)


SECONDS = st.integers(-30, 30)


class TestAlways:
    """What holds for every listing."""

    @given(
        members=st.lists(SECONDS, max_size=5),
        marker=st.none() | SECONDS,
        complete=st.builds(Complete, marker=st.just("_SUCCESS"), max_wait=st.none() | st.integers(1, 60))
        | st.builds(Complete, count=st.integers(1, 5), max_wait=st.none() | st.integers(1, 60))
        | st.builds(Complete, quiet=st.integers(1, 60), max_wait=st.none() | st.integers(1, 60)),
        opened=st.integers(0, 90),
        found=st.booleans(),
    )
    def test_bc_56_an_arrival_is_complete_or_has_a_reason_and_a_wake_up_or_an_end(
        self, members: list[int], marker: int | None, complete: Complete, opened: int, *, found: bool
    ) -> None:
        """Open has a later look; all but closed have a reason; only a prefix with members ever closes."""
        spoken = None if marker is None or complete.marker is None else ago(marker)
        seen = listing(*map(ago, members), marker=spoken)
        said = close(arrival(ago(opened), found=found), complete, seen, NOW, ago(10))
        if said.state is ArrivalState.CLOSED:
            assert seen.members > 0
            assert said == Closing(ArrivalState.CLOSED)
        else:
            assert said.reason is not None
        assert (said.wake_at is not None) == (said.state is ArrivalState.OPEN)
        assert said.wake_at is None or NOW < said.wake_at <= NOW + max(LONGEST_REST, FRESH)

    @given(members=st.lists(SECONDS, min_size=1, max_size=5), marker=SECONDS)
    def test_a_marker_closes_exactly_what_is_not_newer(self, members: list[int], marker: int) -> None:
        """Against the rule in one line: all members at or before the marker's second."""
        closed = judged(MARKER, listing(*map(ago, members), marker=ago(marker))).state is ArrivalState.CLOSED
        assert closed == all(ago(member) <= ago(marker) for member in members)

    def test_whether_it_was_dirty_before_does_not_matter(self) -> None:
        """Only the listing is judged; the row version guards against what came meanwhile."""
        seen = listing(ago(9), marker=ago(8))
        marked = replace(arrival(), dirty=True)
        assert close(marked, MARKER, seen, NOW, SINCE) == close(arrival(), MARKER, seen, NOW, SINCE)
