"""A decision is saved under the row version it read; who comes second decides again."""

from __future__ import annotations

import threading
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest

from junbi.core.facts import Arrival, ArrivalState, CreateState, Launch, LaunchState, Revision
from junbi.core.plan import JobTemplate, PlanSpec, Resource, Workers
from junbi.errors import Stale
from junbi.ledger.ledger import open_ledger

if TYPE_CHECKING:
    from collections.abc import Callable

    from junbi.ledger.ledger import Ledger

NOW = datetime(2026, 3, 1, tzinfo=UTC)
KEY = "digits:digits/v1/"
ARRIVAL = Arrival(KEY, "digits", "b", "digits/v1/", {"version": "v1"}, ArrivalState.OPEN, NOW, NOW)
REVISION = Revision("rev-1", "digits", "v1", "b", "digits/v1/", {}, "d", 1, 1, NOW, NOW)
PLAN = PlanSpec(
    name="train",
    on=("digits",),
    datasets=("digits",),
    mounts={"digits": "/mnt"},
    image="torch",
    resource=Resource(name="cpu", public="ecs.c6.large"),
    job=JobTemplate(type="TFJob", workers=Workers(), command="train"),
)
LAUNCH = Launch(
    "l-1", "train", "identity", 0, "trigger", {"digits": "rev-1"}, {}, PLAN, 1, LaunchState.WAITING, NOW, NOW
)


def together(count: int, act: Callable[[int], Any]) -> list[Any]:
    """What each of so many threads got, all starting at one moment; an error is a result."""
    barrier = threading.Barrier(count)
    results: list[Any] = [None] * count

    def run(number: int) -> None:
        barrier.wait()
        try:
            results[number] = act(number)
        except Stale as error:
            results[number] = error

    threads = [threading.Thread(target=run, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


def stored(ledger: Ledger, what: str) -> Any:
    """The arrival, registration or launch of these tests as the ledger has it."""
    if what == "arrival":
        return ledger.arrivals.get(KEY)
    return ledger.revisions.registration("rev-1") if what == "registration" else ledger.launches.get("l-1")


def save(ledger: Ledger, what: str, value: Any) -> None:
    """Save it."""
    if what == "arrival":
        ledger.arrivals.save(value)
    elif what == "registration":
        ledger.revisions.save_registration(value)
    else:
        ledger.launches.save(value)


def save_read(ledger: Ledger, what: str, value: Any, _number: int) -> None:
    """Save it, as one of many."""
    save(ledger, what, value)


@pytest.fixture(params=["arrival", "registration", "launch"])
def what(request: pytest.FixtureRequest, ledger: Ledger) -> str:
    """Each kind of row that decisions are saved to, stored once."""
    ledger.arrivals.save(ARRIVAL)
    ledger.revisions.add(REVISION)
    ledger.launches.add(LAUNCH)
    name: str = request.param
    return name


class TestSaves:
    """Saving what was read."""

    def test_the_second_save_of_one_read_is_stale(self, ledger: Ledger, what: str) -> None:
        """It raises and changes nothing; whoever reads again may save."""
        read = stored(ledger, what)
        save(ledger, what, read)
        saved = stored(ledger, what)
        with pytest.raises(Stale, match="changed meanwhile"):
            save(ledger, what, read)
        assert stored(ledger, what) == saved
        save(ledger, what, saved)

    def test_every_save_makes_a_new_version(self, ledger: Ledger, what: str) -> None:
        """Also one that changes nothing else; versions never repeat."""
        versions = []
        for _ in range(4):
            read = stored(ledger, what)
            versions.append(read.row)
            save(ledger, what, read)
        assert versions == [1, 2, 3, 4]

    def test_a_version_from_the_future_is_stale(self, ledger: Ledger, what: str) -> None:
        """Only the very version that stands there may be replaced."""
        read = stored(ledger, what)
        with pytest.raises(Stale):
            save(ledger, what, replace(read, row=read.row + 1))

    def test_of_eight_threads_one_wins(self, ledger: Ledger, what: str) -> None:
        """Round after round, whoever is first: exactly one save goes through, seven are told."""
        for _ in range(5):
            read = stored(ledger, what)
            results = together(8, partial(save_read, ledger, what, read))
            assert results.count(None) == 1
            assert stored(ledger, what).row == read.row + 1

    def test_a_row_that_is_not_there_is_stale(self, ledger: Ledger) -> None:
        """Saving what was never stored makes no row."""
        with pytest.raises(Stale):
            ledger.arrivals.save(replace(ARRIVAL, row=1))
        with pytest.raises(Stale):
            ledger.launches.save(replace(LAUNCH, row=1))
        assert ledger.arrivals.newest() == []
        assert ledger.launches.newest() == []


class TestFirsts:
    """Storing something new."""

    def test_bc_47_of_eight_threads_that_open_an_arrival_one_does(self, ledger: Ledger) -> None:
        """The first event of an upload seen by all at once makes one row; the others decide again."""
        results = together(8, lambda number: ledger.arrivals.save(replace(ARRIVAL, bucket=f"b{number}")))
        assert results.count(None) == 1
        arrival = ledger.arrivals.get(KEY)
        assert arrival is not None
        assert (arrival.row, arrival.bucket) == (1, f"b{results.index(None)}")

    def test_bc_1_of_eight_threads_that_launch_one_does(self, ledger: Ledger) -> None:
        """One identity and rerun is one launch, whatever id and state each would have given it."""
        results = together(8, lambda number: ledger.launches.add(replace(LAUNCH, id=f"l-{number}")))
        assert results.count(True) == 1
        assert results.count(False) == 7
        assert [launch.id for launch in ledger.launches.newest()] == [f"l-{results.index(True)}"]
        assert [launch.id for launch in ledger.launches.pinning("rev-1")] == [f"l-{results.index(True)}"]

    def test_a_rerun_is_another_launch(self, ledger: Ledger) -> None:
        """The same identity with another rerun number is stored, and found as the latest."""
        assert ledger.launches.add(LAUNCH)
        assert ledger.launches.add(replace(LAUNCH, id="l-2", rerun=1))
        latest = ledger.launches.with_identity("identity")
        assert latest is not None
        assert latest.id == "l-2"

    def test_a_revision_is_stored_once_and_never_changes(self, ledger: Ledger) -> None:
        """The same revision found again is told as known; its row and registration stay as they were."""
        assert ledger.revisions.add(REVISION)
        registration = ledger.revisions.registration("rev-1")
        ledger.revisions.save_registration(replace(registration, state=CreateState.DONE, version_name="v3"))
        assert not ledger.revisions.add(replace(REVISION, label="other", created_at=NOW + timedelta(days=1)))
        assert ledger.revisions.get("rev-1") == REVISION
        assert ledger.revisions.registration("rev-1").version_name == "v3"

    def test_of_eight_threads_that_find_a_revision_one_stores_it(self, ledger: Ledger) -> None:
        """One of them registers it; the others know that it is being registered."""
        assert together(8, lambda _number: ledger.revisions.add(REVISION)).count(True) == 1


def test_bc_124_of_four_processes_one_wins(address: str, crew: Any) -> None:
    """Real processes that read the same row and save at one moment: exactly one in each of 15 rounds."""
    open_ledger(address).arrivals.save(ARRIVAL)
    answers = crew.run("save_arrival", address, 4, "15")
    assert sorted(number for answer in answers for number in answer["won"]) == list(range(15))
    assert sum(answer["stale"] for answer in answers) == 3 * 15
