"""``complete: {call: true}``: somebody says that everything is there, and the listing judges it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from junbi.core.facts import ArrivalState
from junbi.pipeline import call

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.pipeline.conftest import World

URI, KEY = "oss://data/digits/v1/", "digits:data/digits/v1/"


class Raced:
    """The ledger's engine; just before its first transaction somebody else is faster."""

    def __init__(self, database: Any, faster: Callable[[], object]) -> None:
        self._database, self._faster = database, [faster]

    def __getattr__(self, name: str) -> Any:
        if name == "transaction" and self._faster:
            self._faster.pop()()
        return getattr(self._database, name)


@pytest.fixture
def called(world: World) -> World:
    """A world whose dataset is closed by a call."""
    world.apply(world.generation([world.dataset(call=True)], [world.plan()]))
    return world


def state(world: World) -> tuple[ArrivalState, str]:
    """Where the upload stands, and why."""
    (arrival,) = world.ledger.arrivals.newest()
    return arrival.state, arrival.reason.code if arrival.reason else ""


def test_nothing_closes_it_but_the_call(called: World) -> None:
    """However long it rests, it stays open and says what it waits for; the call closes it, with a job."""
    called.deliver(called.upload(marker=None))
    called.settle(ticks=3, step=3600)
    assert state(called) == (ArrivalState.OPEN, "DatasetOpen")
    call.close(called.ledger, URI, "ann")
    called.settle(ticks=2)
    assert state(called) == (ArrivalState.CLOSED, "")
    assert len(called.jobs) == 1


def test_the_call_is_in_the_story_with_its_owner(called: World) -> None:
    """Who closed an upload can be read afterwards."""
    called.deliver(called.upload(marker=None))
    call.close(called.ledger, KEY, "ann")
    said = [one["message"] for one in called.ledger.story_of(f"arrival:{KEY}") if one["code"] == "ArrivalCalled"]
    assert said == [f"ann said that everything of {URI} is there."]


def test_calling_twice_is_calling_once(called: World) -> None:
    """A second call before or after the closing makes no second revision and no second job."""
    called.deliver(called.upload(marker=None))
    for _ in range(2):
        call.close(called.ledger, KEY, "ann")
    called.settle(ticks=2)
    assert call.close(called.ledger, KEY, "ann").state is ArrivalState.CLOSED
    called.settle(ticks=2)
    assert len(called.ledger.revisions.newest()) == len(called.jobs) == 1


def test_a_call_that_loses_a_race_is_decided_again(called: World) -> None:
    """An event that is noted between reading and saving costs the call nothing: it is answered, and noted."""
    told = called.upload(marker=None)
    called.deliver(told)
    called.advance(120)
    ledger = called.ledger_on(Raced(called.database, lambda: called.deliver(told[-1:])))
    before = called.arrival().row
    answer = call.close(ledger, KEY, "ann")
    assert answer.called_at is not None
    assert called.arrival().called_at == answer.called_at
    assert called.arrival().row == before + 2


def test_it_needs_no_event(called: World) -> None:
    """With every event lost, the call alone closes what lies there."""
    called.upload(marker=None)
    call.close(called.ledger, URI, "ann")
    called.reconcile()
    assert state(called) == (ArrivalState.CLOSED, "")


def test_a_later_object_is_not_covered_by_an_earlier_call(called: World) -> None:
    """What came well after the call waits for the next one; the call does not speak for it."""
    called.deliver(called.upload(marker=None))
    call.close(called.ledger, KEY, "ann")
    called.advance(120)
    called.deliver(called.upload(marker=None, files=4))
    called.reconcile()
    assert state(called) == (ArrivalState.OPEN, "MarkerStale")
    call.close(called.ledger, KEY, "ann")
    called.reconcile()
    assert [one.members for one in called.ledger.revisions.newest()] == [4]


def test_a_late_file_waits_for_a_call_of_its_own(called: World) -> None:
    """An object after the closing opens a round in which nobody has called yet."""
    called.deliver(called.upload(marker=None))
    call.close(called.ledger, KEY, "ann")
    called.reconcile()
    called.deliver(called.upload(marker=None, files=4))
    called.settle(ticks=2)
    assert state(called) == (ArrivalState.OPEN, "DatasetOpen")


@pytest.mark.parametrize("max_wait", [None, 60])
def test_an_event_that_comes_again_needs_no_other_call(world: World, max_wait: float | None) -> None:
    """A repeated event reopens what a call closed: it holds what it held, so it closes again, and nobody need call."""
    world.apply(world.generation([world.dataset(call=True, max_wait=max_wait)], [world.plan()]))
    told = world.upload(marker=None)
    world.deliver(told)
    call.close(world.ledger, KEY, "ann")
    world.reconcile()
    world.advance(300)
    world.deliver(told)
    world.settle(ticks=3)
    assert state(world) == (ArrivalState.CLOSED, "")
    assert len(world.ledger.revisions.newest()) == len(world.jobs) == 1


def test_a_call_speaks_for_what_no_event_told_of(called: World) -> None:
    """An upload is closed, and another one comes whose events are all lost: the call for it is not taken for old."""
    called.deliver(called.upload(marker=None))
    call.close(called.ledger, KEY, "ann")
    called.reconcile()
    called.advance(300)
    late = called.upload(marker=None, files=4)
    called.advance(5)
    assert call.close(called.ledger, KEY, "ann").state is ArrivalState.CLOSED
    called.deliver(late[:1])
    called.settle(ticks=3)
    assert state(called) == (ArrivalState.CLOSED, "")
    assert sorted(one.members for one in called.ledger.revisions.newest()) == [3, 4]


@pytest.mark.parametrize("left", [2, 1])
def test_a_call_speaks_for_what_was_taken_away(called: World, left: int) -> None:
    """Who deletes objects of a closed upload and calls again means what is left; without an event, too."""
    told = called.upload(marker=None)
    called.deliver(told)
    call.close(called.ledger, KEY, "ann")
    called.reconcile()
    called.advance(300)
    for record in told[left:]:
        called.delete(record["oss"]["object"]["key"])
    call.close(called.ledger, KEY, "ann")
    called.settle(ticks=3)
    assert sorted(one.members for one in called.ledger.revisions.newest()) == [left, 3]


def test_a_call_opens_what_was_given_up(world: World) -> None:
    """An upload that max_wait ended is judged anew when somebody says that it is all there."""
    world.apply(world.generation([world.dataset(call=True, max_wait=60)], [world.plan()]))
    world.deliver(world.upload(marker=None))
    world.settle(ticks=3)
    assert state(world) == (ArrivalState.INCOMPLETE, "DatasetIncomplete")
    call.close(world.ledger, KEY, "ann")
    world.reconcile()
    assert state(world) == (ArrivalState.CLOSED, "")


def test_an_empty_folder_becomes_no_version(called: World) -> None:
    """A call for a folder that holds nothing is noted, and the listing says so."""
    call.close(called.ledger, "oss://data/digits/v9/", "ann")
    called.reconcile()
    assert state(called) == (ArrivalState.IGNORED, "NoObjectYet")


@pytest.mark.parametrize(
    "name", ["oss://data/other/v1/", "oss://data/digits/v1", "digits:data/digits/", "nobody:x/", ""]
)
def test_what_is_not_watched_is_refused(called: World, name: str) -> None:
    """A name that is no version's folder changes nothing, and the message says how to name one."""
    with pytest.raises(call.NoSuchUpload, match="junbi inputs"):
        call.close(called.ledger, name, "ann")
    assert not called.ledger.arrivals.newest()


def test_a_dataset_with_another_condition_is_refused(world: World) -> None:
    """A call does not overrule the marker that was declared."""
    with pytest.raises(call.NotClosedByCall, match="marker: _SUCCESS"):
        call.close(world.ledger, KEY, "ann")


def test_a_strange_name_is_refused(called: World) -> None:
    """A call does not overrule what names may hold."""
    with pytest.raises(call.NotClosedByCall, match="CaptureRefused"):
        call.close(called.ledger, "oss://data/digits/$(x)/", "ann")
