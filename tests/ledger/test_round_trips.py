"""What is stored comes back as it was, whatever text, times and values it holds."""

from __future__ import annotations

import itertools
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from junbi.core.facts import (
    Arrival,
    ArrivalState,
    CreateState,
    Launch,
    LaunchState,
    Registration,
    Revision,
    Stop,
    Try,
)
from junbi.core.lifecycle import may_move
from junbi.core.model import Check, Reason, State
from junbi.core.plan import JobTemplate, Output, PlanSpec, Resource, Workers

if TYPE_CHECKING:
    from junbi.ledger.ledger import Ledger

#: One ledger serves all examples of a test: each example stores under its own number.
many = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
numbers = itertools.count()

texts = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=12) | st.sampled_from(
    ["", "null", "日本/語", "a'; DROP TABLE launch;--", 'a"b\\c', "line\nbreak", "\u2028", "😀", ":key", "%s", "\ufeff"]
)
times = st.datetimes(
    datetime.fromisoformat("1970-01-01"),
    datetime.fromisoformat("2200-01-01"),
    timezones=st.sampled_from([UTC, timezone(timedelta(hours=8))]),
)
scalars = texts | st.integers(-(2**53), 2**53) | st.booleans() | st.floats(allow_nan=False, allow_infinity=False)
words = st.dictionaries(texts, texts, max_size=3)
reasons = st.none() | st.builds(Reason, texts, texts, texts, texts, words)
checks = st.lists(st.builds(Check, texts, st.sampled_from(State), reasons), max_size=3).map(tuple)
params = st.dictionaries(texts, scalars, max_size=3)
plans = st.builds(
    PlanSpec,
    name=texts,
    on=st.tuples(texts),
    datasets=st.tuples(texts, texts),
    mounts=words,
    image=texts,
    resource=st.builds(Resource, name=texts, public=texts),
    params=params,
    job=st.builds(
        JobTemplate,
        type=texts,
        workers=st.builds(Workers, count=st.integers(1, 9)),
        command=texts,
        env=words,
        request=st.dictionaries(texts, st.none() | scalars | st.lists(scalars, max_size=2), max_size=2),
    ),
    outputs=st.tuples(st.builds(Output, name=texts, uri=texts, mount=texts)),
    tags=words,
)
arrivals = st.builds(
    Arrival,
    key=texts,
    dataset=texts,
    bucket=texts,
    prefix=texts,
    captures=words,
    state=st.sampled_from(ArrivalState),
    opened_at=times,
    noted_at=times,
    found=st.booleans(),
    dirty=st.booleans(),
    reason=reasons,
    revision=texts,
    row=st.just(0),
)
revisions = st.builds(
    Revision,
    id=texts,
    dataset=texts,
    label=texts,
    bucket=texts,
    prefix=texts,
    captures=words,
    digest=texts,
    members=st.integers(0, 10**9),
    size=st.integers(0, 2**62),
    newest_at=times,
    created_at=times,
)
launches = st.builds(
    Launch,
    id=texts,
    plan=texts,
    identity=texts,
    rerun=st.integers(0, 99),
    trigger=texts,
    pins=words,
    params=params,
    spec=plans,
    generation=st.integers(1, 10**6),
    state=st.sampled_from(LaunchState),
    created_at=times,
    updated_at=times,
    job_id=texts,
    job_status=texts,
    reason=reasons,
    checks=checks,
    made_by=texts,
    approved_by=texts,
    attempt=st.integers(1, 99),
    not_before=st.none() | times,
    since=st.none() | times,
    stop=st.none() | st.builds(Stop, st.builds(Reason, texts, texts, texts, texts, words), times, texts, st.booleans()),
    row=st.just(0),
)


@given(arrivals)
@many
def test_an_arrival(ledger: Ledger, arrival: Arrival) -> None:
    """Stored, it comes back with row version 1."""
    arrival = replace(arrival, key=f"{next(numbers)} {arrival.key}")
    ledger.arrivals.save(arrival)
    assert ledger.arrivals.get(arrival.key) == replace(arrival, row=1)


@given(first=arrivals, later=arrivals)
@many
def test_a_changed_arrival(ledger: Ledger, first: Arrival, later: Arrival) -> None:
    """All that changes in an arrival's life is saved; what names it stays."""
    first = replace(first, key=f"{next(numbers)} {first.key}")
    ledger.arrivals.save(first)
    changed = replace(
        later,
        key=first.key,
        dataset=first.dataset,
        bucket=first.bucket,
        prefix=first.prefix,
        captures=first.captures,
        row=1,
    )
    ledger.arrivals.save(changed)
    assert ledger.arrivals.get(first.key) == replace(changed, row=2)


registrations = st.builds(
    Registration, st.just(""), st.sampled_from(CreateState), texts, texts, reasons, row=st.just(1)
)


@given(revision=revisions, registration=registrations)
@many
def test_a_revision_and_its_registration(ledger: Ledger, revision: Revision, registration: Registration) -> None:
    """A revision begins with a pending registration; both come back as saved."""
    revision = replace(revision, id=f"{next(numbers)} {revision.id}")
    assert ledger.revisions.add(revision)
    assert ledger.revisions.get(revision.id) == revision
    assert ledger.revisions.registration(revision.id) == Registration(revision.id, CreateState.PENDING, row=1)
    registration = replace(registration, revision=revision.id)
    ledger.revisions.save_registration(registration)
    assert ledger.revisions.registration(revision.id) == replace(registration, row=2)


def same(one: Launch | None, other: Launch) -> bool:
    """Equal, and of equal types: 1, 1.0 and true are three parameters."""
    return one == other and repr(sorted(one.params.items())) == repr(sorted(other.params.items()))


@given(launches)
@many
def test_a_launch(ledger: Ledger, launch: Launch) -> None:
    """With its plan, its parameters by value and type, its pins and every check."""
    number = next(numbers)
    launch = replace(launch, id=f"{number} {launch.id}", identity=f"{number}", trigger=f"{number} {launch.trigger}")
    assert ledger.launches.add(launch)
    expected = replace(launch, row=1)
    assert same(ledger.launches.get(launch.id), expected)
    assert ledger.launches.with_identity(launch.identity) == expected
    assert ledger.launches.with_trigger(launch.trigger) == expected
    for revision in launch.pins.values():
        assert launch.id in [one.id for one in ledger.launches.pinning(revision)]


@given(first=launches, later=launches)
@many
def test_a_changed_launch(ledger: Ledger, first: Launch, later: Launch) -> None:
    """State, job, reason, checks and the resolved plan are saved; what the launch is stays."""
    number = next(numbers)
    first = replace(first, id=f"{number} {first.id}", identity=f"{number}")
    ledger.launches.add(first)
    changed = replace(
        first,
        spec=later.spec,
        generation=later.generation,
        state=later.state if may_move(first.state, later.state) else first.state,
        job_id=later.job_id,
        job_status=later.job_status,
        reason=later.reason,
        checks=later.checks,
        updated_at=later.updated_at,
        row=1,
    )
    ledger.launches.save(changed)
    assert ledger.launches.get(first.id) == replace(changed, row=2)


tries = st.builds(Try, st.just(0), texts, texts, texts, texts, texts, times, texts, texts)


@given(tries)
@many
def test_a_try(ledger: Ledger, made: Try) -> None:
    """What is signed and sent is kept to the byte, and what became of it."""
    made = replace(made, owner=f"launch:{next(numbers)} {made.owner}")
    number = ledger.tries.add(
        owner=made.owner,
        operation=made.operation,
        nonce=made.nonce,
        date=made.date,
        body=made.body,
        now=made.stored_at,
    )
    made = replace(made, number=number)
    assert ledger.tries.of(made.owner) == [replace(made, outcome="", detail="")]
    ledger.tries.answer(number, made.outcome, made.detail)
    assert ledger.tries.of(made.owner) == [made]


def test_tries_are_numbered_in_the_order_they_were_stored(ledger: Ledger) -> None:
    """An answer goes to its own try; other owners' tries are not shown."""

    def add(owner: str) -> int:
        return ledger.tries.add(
            owner=owner, operation="CreateJob", nonce="n", date="d", body="{}", now=datetime(2026, 3, 1, tzinfo=UTC)
        )

    first, _, second = add("launch:1"), add("launch:2"), add("launch:1")
    ledger.tries.answer(first, "not_done", "Throttling")
    assert [(one.number, one.outcome) for one in ledger.tries.of("launch:1")] == [(first, "not_done"), (second, "")]


@pytest.mark.parametrize("zone", [timezone(timedelta(hours=8)), timezone(timedelta(hours=-3, minutes=-30))])
def test_bc_127_times_of_any_zone_are_the_same_moment(ledger: Ledger, zone: timezone) -> None:
    """Stored as UTC: what a source wrote as +08:00 is due at that very moment."""
    moment = datetime(2026, 3, 29, 2, 30, 0, 123456, tzinfo=zone)
    ledger.worklist.ask("launch", "x", moment)
    assert ledger.worklist.due(moment.astimezone(UTC) - timedelta(microseconds=1)) == 0
    assert ledger.worklist.due(moment.astimezone(UTC)) == 1


class TestLists:
    """What is asked for as a list."""

    AT = datetime(2026, 3, 1, tzinfo=UTC)

    @pytest.fixture
    def three(self, ledger: Ledger) -> list[Launch]:
        """Three launches of one plan, a minute between them."""
        job = JobTemplate(type="TFJob", workers=Workers(), command="train")
        cpu = Resource(name="cpu", public="x")
        plan = PlanSpec(name="p", on=("d",), datasets=("d",), mounts={}, image="i", resource=cpu, job=job)
        states = [LaunchState.WAITING, LaunchState.RUNNING, LaunchState.SUCCEEDED]
        made = []
        for minute, state in enumerate(states):
            at = self.AT + timedelta(minutes=minute)
            pins = {"d": f"rev-{minute % 2}"}
            made.append(Launch(f"l{minute}", "p", f"i{minute}", 0, "t", pins, {}, plan, 1, state, at, at))
            ledger.launches.add(made[-1])
        return made

    def ids(self, launches: list[Launch]) -> list[str]:
        """Their ids."""
        return [launch.id for launch in launches]

    @pytest.mark.usefixtures("three")
    def test_launches(self, ledger: Ledger) -> None:
        """Newest first and at most so many; by state oldest first; by pinned revision; the latest of a trigger."""
        assert self.ids(ledger.launches.newest()) == ["l2", "l1", "l0"]
        assert self.ids(ledger.launches.newest(2)) == ["l2", "l1"]
        assert self.ids(ledger.launches.standing([LaunchState.RUNNING, LaunchState.WAITING])) == ["l0", "l1"]
        assert ledger.launches.standing([]) == []
        assert sorted(self.ids(ledger.launches.pinning("rev-0"))) == ["l0", "l2"]
        latest = ledger.launches.with_trigger("t")
        assert latest is not None
        assert latest.id == "l2"

    def test_what_is_not_there(self, ledger: Ledger) -> None:
        """Nothing is None or empty, never an error."""
        assert ledger.launches.get("x") is None
        assert ledger.launches.with_identity("x") is None
        assert ledger.launches.with_trigger("x") is None
        assert ledger.arrivals.get("x") is None
        assert ledger.tries.of("x") == []

    def test_arrivals(self, ledger: Ledger) -> None:
        """The one noted last comes first."""
        for minute in (1, 2, 0):
            at = self.AT + timedelta(minutes=minute)
            ledger.arrivals.save(Arrival(f"k{minute}", "d", "b", f"p{minute}/", {}, ArrivalState.OPEN, self.AT, at))
        assert [arrival.key for arrival in ledger.arrivals.newest(2)] == ["k2", "k1"]

    def test_bc_34_a_thousand_prefixes_are_one_lookup(self, ledger: Ledger) -> None:
        """Which of many prefixes are new is asked at once, per dataset, and answered in their order."""
        prefixes = [f"d/日本 'v{number}/" for number in range(1000)]
        for number in (3, 7):
            ledger.arrivals.save(
                Arrival(f"d:{number}", "d", "b", prefixes[number], {}, ArrivalState.OPEN, self.AT, self.AT)
            )
        assert ledger.arrivals.unknown("d", "b", prefixes) == [*prefixes[:3], *prefixes[4:7], *prefixes[8:]]
        assert ledger.arrivals.unknown("other", "b", prefixes) == prefixes
        assert ledger.arrivals.unknown("d", "b", []) == []

    def test_revisions(self, ledger: Ledger) -> None:
        """The head is what was put there; registrations of one dataset go one at a time, the oldest first."""
        first, second = (
            Revision(f"r{n}", "d", f"v{n}", "b", f"p{n}/", {}, "x", 1, 1, self.AT, self.AT + timedelta(minutes=n))
            for n in (1, 2)
        )
        assert (ledger.revisions.head("d"), ledger.revisions.registering("d")) == (None, "")
        ledger.revisions.add(second)
        ledger.revisions.add(first)
        ledger.revisions.put_head(first)
        ledger.revisions.put_head(second)
        assert ledger.revisions.head("d") == second
        assert ledger.revisions.newest() == [second, first]
        assert sorted(one.id for one in ledger.revisions.of("d")) == ["r1", "r2"]
        assert ledger.revisions.registering("d") == "r1"
        ledger.revisions.save_registration(Registration("r1", CreateState.DONE, "d-1", "v1", row=1))
        assert (ledger.revisions.registering("d"), ledger.revisions.dataset_id("d", "", "")) == ("r2", "d-1")
        refused = Registration("r2", CreateState.REFUSED, reason=Reason("PlatformRefused", "no"), row=1)
        ledger.revisions.save_registration(refused)
        assert ledger.revisions.registering("d") == ""
        assert ledger.revisions.not_done() == [replace(refused, row=2)]
