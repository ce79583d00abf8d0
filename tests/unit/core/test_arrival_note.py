"""What an object event does to the arrival of its prefix."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from junbi.core.arrival import FRESH, Noted, note, opened, place
from junbi.core.closing import close
from junbi.core.digest import Listing, Member
from junbi.core.facts import Arrival, ArrivalState
from junbi.core.model import Event, EventKind, ObjectRef, Reason
from junbi.core.places import pattern_of
from junbi.core.plan import Complete, DatasetSpec, Watch
from junbi.core.reasons import Code

NOW = datetime(2026, 3, 1, 12, 0, 0, tzinfo=UTC)
MARKER = Complete(marker="_SUCCESS")
COUNT = Complete(count=3)
QUIET = Complete(quiet=60)
CONDITIONS = {"marker": MARKER, "count": COUNT, "quiet": QUIET}


def dataset(complete: Complete, allow: str = r"[A-Za-z0-9._-]{1,128}") -> DatasetSpec:
    """A dataset that watches ``digits/{version}/``."""
    root, pattern, captures = pattern_of("digits/{version}/")
    watch = Watch(bucket="vision", root=root, pattern=pattern, captures=captures, allow=allow)
    return DatasetSpec(name="digits", watch=watch, complete=complete, mount="/mnt/digits")


def event(key: str = "digits/v1/a.csv", kind: EventKind = EventKind.OBJECT_CREATED, id_: str = "1") -> Event:
    """An event of an object of the first version."""
    return Event(id_, kind, f"oss:{kind}", ObjectRef("vision", key), NOW)


def arrival(state: ArrivalState, noted: timedelta = timedelta(minutes=1)) -> Arrival:
    """The arrival of the first version, noted so long ago."""
    reason = Reason(Code.DATASET_INCOMPLETE, "as it was") if state is ArrivalState.INCOMPLETE else None
    then = NOW - noted
    return Arrival(
        "digits:digits/v1/",
        "digits",
        "vision",
        "digits/v1/",
        {"version": "v1"},
        state,
        then,
        then,
        reason=reason,
        row=4,
    )


def noted(known: Arrival | None, complete: Complete, happened: Event, now: datetime = NOW) -> Noted:
    """What ``note`` says of an event under ``digits/``."""
    spec = dataset(complete)
    spot = place(spec.watch, happened.subject.key)
    assert spot is not None
    return note(known, spec, spot, happened, now)


def outcome(known: Arrival | None, said: Noted) -> str:
    """One word for what ``note`` said."""
    if said.arrival is None:
        return "folded" if said.reason is None else "ignored"
    if known is None:
        return "opens"
    if said.arrival.dirty and not known.dirty:
        return "dirties"
    return "reopens" if said.arrival.state is not known.state else "notes"


OBJECT_KINDS = CREATED, REMOVED, NOTHING = (EventKind.OBJECT_CREATED, EventKind.OBJECT_REMOVED, EventKind.NOTHING)
TABLE = {
    (None, CREATED): "opens",
    (ArrivalState.OPEN, CREATED): "notes",
    (ArrivalState.CLOSING, CREATED): "dirties",
    (ArrivalState.CLOSED, CREATED): "reopens",
    (ArrivalState.INCOMPLETE, CREATED): "reopens",
    (ArrivalState.IGNORED, CREATED): "reopens",
    (ArrivalState.CLOSING, REMOVED): "dirties",
    (ArrivalState.CLOSED, REMOVED): "dirties",
}
STATES = (None, *(state for state in ArrivalState if state is not ArrivalState.REFUSED))


class TestTable:
    """Every state, event and closing condition."""

    @pytest.mark.parametrize("complete", CONDITIONS.values(), ids=CONDITIONS)
    @pytest.mark.parametrize("kind", OBJECT_KINDS)
    @pytest.mark.parametrize("state", STATES)
    def test_an_event_does_what_the_table_says(
        self, state: ArrivalState | None, kind: EventKind, complete: Complete
    ) -> None:
        """Objects open, note, dirty or reopen; removals only dirty what is listed or closed; the rest is ignored."""
        known = arrival(state) if state else None
        assert outcome(known, noted(known, complete, event(kind=kind))) == TABLE.get((state, kind), "ignored")

    @pytest.mark.parametrize("state", STATES)
    @pytest.mark.parametrize("kind", [NOTHING, REMOVED])
    def test_an_event_that_does_nothing_says_so(self, state: ArrivalState | None, kind: EventKind) -> None:
        """What is ignored carries NoObjectYet; nothing is swallowed."""
        said = noted(arrival(state) if state else None, MARKER, event(kind=kind))
        if said.arrival is None:
            assert said.reason is not None
            assert said.reason.code == Code.NO_OBJECT_YET

    @pytest.mark.parametrize("state", [ArrivalState.CLOSED, ArrivalState.INCOMPLETE, ArrivalState.IGNORED])
    def test_a_reopened_arrival_begins_a_new_round(self, state: ArrivalState) -> None:
        """The deadline counts from the object that reopened it; the old reason, dirt and find are gone."""
        known = replace(arrival(state), found=True, dirty=True, revision="rev-1")
        again = noted(known, MARKER, event()).arrival
        assert again == replace(
            known, state=ArrivalState.OPEN, opened_at=NOW, noted_at=NOW, found=False, dirty=False, reason=None
        )

    def test_a_dirty_listing_takes_further_events_without_a_write(self) -> None:
        """While a prefix is listed the first event marks it, and the thousands after it cost no row."""
        assert noted(replace(arrival(ArrivalState.CLOSING), dirty=True), MARKER, event()) == Noted()


class TestLooks:
    """When an event has its arrival looked at."""

    @pytest.mark.parametrize(
        ("complete", "key", "wait"),
        [
            (MARKER, "digits/v1/a.csv", FRESH),
            (MARKER, "digits/v1/_SUCCESS", timedelta(0)),
            (MARKER, "digits/v1/sub/_SUCCESS", FRESH),
            (COUNT, "digits/v1/a.csv", timedelta(0)),
            (QUIET, "digits/v1/a.csv", timedelta(seconds=60)),
        ],
    )
    @pytest.mark.parametrize("state", [None, ArrivalState.CLOSED, ArrivalState.INCOMPLETE])
    def test_the_first_object_is_looked_at(
        self, state: ArrivalState | None, complete: Complete, key: str, wait: timedelta
    ) -> None:
        """A marker or a count at once, a quiet time when it may have passed, all else soon: never not at all."""
        assert noted(arrival(state) if state else None, complete, event(key)).wake_at == NOW + wait

    @pytest.mark.parametrize("age", [timedelta(0), timedelta(seconds=1), FRESH, timedelta(hours=1)])
    def test_a_marker_is_never_folded(self, age: timedelta) -> None:
        """However fresh the arrival: the event that may complete it is noted and looked at now."""
        said = noted(arrival(ArrivalState.OPEN, age), MARKER, event("digits/v1/_SUCCESS"))
        assert said.arrival is not None
        assert said.wake_at == NOW

    @pytest.mark.parametrize("complete", CONDITIONS.values(), ids=CONDITIONS)
    def test_bc_52_a_burst_costs_no_write_each(self, complete: Complete) -> None:
        """Objects within five seconds of the last note are folded into it; the fifth second writes again."""
        just_now = arrival(ArrivalState.OPEN, FRESH - timedelta(microseconds=1))
        assert noted(just_now, complete, event()) == Noted()
        assert noted(arrival(ArrivalState.OPEN, FRESH), complete, event()).arrival is not None

    def test_an_event_for_a_found_arrival_is_noted_however_fresh(self) -> None:
        """From the first event on it is no longer only found, so its objects are not left alone as old ones."""
        known = replace(arrival(ArrivalState.OPEN, timedelta(0)), found=True)
        said = noted(known, MARKER, event()).arrival
        assert said is not None
        assert not said.found

    def test_bc_59_a_first_object_of_a_quiet_dataset_stores_its_deadline(self) -> None:
        """With no further event at all the arrival is looked at: the time is in the row, not in memory."""
        assert noted(None, QUIET, event()).wake_at == NOW + timedelta(seconds=60)


class TestRefused:
    """Arrivals with a name that is not acceptable."""

    def test_a_refused_arrival_is_stored_and_never_looked_at(self) -> None:
        """It is visible with CaptureRefused and has no wake-up."""
        said = noted(None, MARKER, event("digits/a b;rm/_SUCCESS"))
        assert said.arrival is not None
        assert (said.arrival.state, said.wake_at) == (ArrivalState.REFUSED, None)
        assert said.reason == said.arrival.reason
        assert said.reason is not None
        assert said.reason.code == Code.CAPTURE_REFUSED

    def test_further_events_repeat_the_reason(self) -> None:
        """No event reopens it, and each is told why."""
        first = noted(None, MARKER, event("digits/a b/x")).arrival
        assert first is not None
        assert noted(first, MARKER, event("digits/a b/y", CREATED)) == Noted(reason=first.reason)

    def test_a_removal_has_it_looked_at_once(self) -> None:
        """The object that went away may have been the last; it stays refused until a listing shows that it was."""
        first = noted(None, MARKER, event("digits/a b/x")).arrival
        assert first is not None
        removed = noted(first, MARKER, event("digits/a b/x", REMOVED))
        assert removed.arrival is not None
        assert (removed.arrival.state, removed.arrival.dirty, removed.reason) == (first.state, True, None)
        assert removed.wake_at is not None
        assert noted(removed.arrival, MARKER, event("digits/a b/y", REMOVED)) == Noted()

    def test_it_opens_once_the_name_is_allowed(self) -> None:
        """After 'allow' was widened, as the reason advises, the next object opens it."""
        refused = noted(None, MARKER, event("digits/a b/x")).arrival
        wide = dataset(MARKER, allow=r"[a-z ]+")
        spot = place(wide.watch, "digits/a b/_SUCCESS")
        assert spot is not None
        said = note(refused, wide, spot, event("digits/a b/_SUCCESS"), NOW)
        assert said.arrival is not None
        assert (said.arrival.state, said.arrival.reason, said.wake_at) == (ArrivalState.OPEN, None, NOW)


KEYS = st.sampled_from(["digits/v1/a", "digits/v1/b", "digits/v1/_SUCCESS", "digits/v1/sub/"])
EVENTS = st.lists(st.tuples(KEYS, st.sampled_from(OBJECT_KINDS), st.integers(0, 120)), max_size=12)
LISTINGS = st.lists(st.tuples(st.sampled_from("abc"), st.integers(-200, 100)), max_size=4, unique_by=lambda m: m[0])


def after(events: list[tuple[str, EventKind, int]], complete: Complete) -> Arrival | None:
    """The arrival after events, each at its second; saved as the ledger saves it."""
    known: Arrival | None = None
    for key, kind, second in events:
        said = noted(known, complete, event(key, kind), NOW + timedelta(seconds=second))
        known = said.arrival or known
    return known


def listing_of(members: list[tuple[str, int]], marker: int | None) -> Listing:
    """A listing with members and perhaps a marker of these seconds."""
    listing = Listing("digits/v1/", "_SUCCESS")
    for name, second in sorted(members):
        listing.add(Member(f"digits/v1/{name}", 1, "E", NOW + timedelta(seconds=second)))
    if marker is not None:
        listing.add(Member("digits/v1/_SUCCESS", 0, "M", NOW + timedelta(seconds=marker)))
    return listing


class TestEventsAreHints:
    """The end state comes from the world; events only bring the look forward."""

    @given(
        orders=EVENTS.flatmap(lambda events: st.tuples(st.just(events), st.permutations([*events, *events[::2]]))),
        members=LISTINGS,
        marker=st.none() | st.integers(-200, 100),
        complete=st.sampled_from(list(CONDITIONS.values())),
    )
    @settings(max_examples=100, deadline=None)
    def test_bc_31_order_doubles_and_losses_change_no_decision(
        self,
        orders: tuple[list[tuple[str, EventKind, int]], list[tuple[str, EventKind, int]]],
        members: list[tuple[str, int]],
        marker: int | None,
        complete: Complete,
    ) -> None:
        """Any events, the same ones reordered and doubled, or one alone: one listing gives one decision."""
        first = ("digits/v1/a", CREATED, 0)
        listing = listing_of(members, marker if complete.marker else None)
        now, since = NOW + timedelta(seconds=120), NOW - timedelta(days=1)
        decisions = []
        for events in ([first, *orders[0]], [first, *orders[1]], [first]):
            known = after(events, complete)
            assert known is not None
            decisions.append(close(known, complete, listing, now, since))
        assert decisions[0] == decisions[1] == decisions[2]

    @given(events=EVENTS, complete=st.sampled_from(list(CONDITIONS.values())))
    @settings(max_examples=100, deadline=None)
    def test_bc_2_a_redelivered_event_writes_nothing_new(
        self, events: list[tuple[str, EventKind, int]], complete: Complete
    ) -> None:
        """The event that was noted last, delivered again at once, changes at most when it was noted."""
        once = after(events, complete)
        twice = after([*events, *events[-1:]], complete)
        assert once == twice

    @given(events=EVENTS, members=LISTINGS, complete=st.sampled_from(list(CONDITIONS.values())))
    @settings(max_examples=100, deadline=None)
    def test_every_event_lost_ends_in_the_same_decision(
        self, events: list[tuple[str, EventKind, int]], members: list[tuple[str, int]], complete: Complete
    ) -> None:
        """An arrival that only a listing found is judged as one that events told of, if its objects are new."""
        told = after([("digits/v1/a", CREATED, 0), *events], complete)
        spec = dataset(complete)
        spot = place(spec.watch, "digits/v1/")
        assert spot is not None
        assert told is not None
        found = opened(spec, spot, NOW, found=True)
        listing = listing_of(members, 50 if complete.marker else None)
        now, since = NOW + timedelta(seconds=120), NOW - timedelta(days=1)
        assert close(found, complete, listing, now, since) == close(told, complete, listing, now, since)
