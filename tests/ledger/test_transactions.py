"""Everything inside a transaction is saved together or not at all."""

from __future__ import annotations

import threading
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from junbi.core.facts import Arrival, ArrivalState
from junbi.errors import LedgerError, Stale
from junbi.ledger.ledger import open_ledger

if TYPE_CHECKING:
    from junbi.ledger.ledger import Ledger

NOW = datetime(2026, 3, 1, tzinfo=UTC)
ARRIVAL = Arrival("digits:digits/v1/", "digits", "b", "digits/v1/", {}, ArrivalState.OPEN, NOW, NOW)


def everything(ledger: Ledger) -> tuple[int, int, int]:
    """How many arrivals, stories and due rows there are."""
    return len(ledger.arrivals.newest()), len(ledger.stories()), ledger.worklist.due(NOW)


def write(ledger: Ledger) -> None:
    """Something of each."""
    ledger.arrivals.save(ARRIVAL)
    ledger.worklist.ask("arrival", ARRIVAL.key, NOW)
    ledger.tell("arrival:1", "Code", "message", NOW)


def test_what_ends_well_is_there_for_all(ledger: Ledger, address: str) -> None:
    """After the end of the block another connection sees all of it."""
    with ledger.transaction():
        write(ledger)
    assert everything(open_ledger(address)) == (1, 1, 1)


@pytest.mark.parametrize("error", [RuntimeError, Stale, KeyboardInterrupt, SystemExit])
def test_an_error_in_the_middle_leaves_nothing(ledger: Ledger, error: type[BaseException]) -> None:
    """Whatever is raised comes out as it was, and nothing was saved; the next transaction works."""

    def fail() -> None:
        with ledger.transaction():
            write(ledger)
            raise error

    with pytest.raises(error):
        fail()
    assert everything(ledger) == (0, 0, 0)
    with ledger.transaction():
        write(ledger)
    assert everything(ledger) == (1, 1, 1)


def test_a_lost_race_takes_the_rest_back(ledger: Ledger) -> None:
    """A save that is stale undoes what was written before it."""
    ledger.arrivals.save(ARRIVAL)

    def lose() -> None:
        with ledger.transaction():
            ledger.tell("arrival:1", "Code", "message", NOW)
            ledger.arrivals.save(ARRIVAL)

    with pytest.raises(Stale):
        lose()
    assert ledger.stories() == []


def test_nobody_sees_half_of_it(ledger: Ledger) -> None:
    """Another thread reads the state before, until the transaction has ended."""
    seen: list[tuple[int, int, int]] = []
    with ledger.transaction():
        write(ledger)
        reader = threading.Thread(target=lambda: seen.append(everything(ledger)))
        reader.start()
        reader.join()
    assert seen == [(0, 0, 0)]


def test_a_transaction_in_a_transaction_is_refused_and_leaves_nothing(ledger: Ledger) -> None:
    """It would not be what it says, so it is an error; the outer one is taken back whole."""

    def nest() -> None:
        with ledger.transaction():
            write(ledger)
            with ledger.transaction():
                write(ledger)

    with pytest.raises(LedgerError):
        nest()
    assert everything(ledger) == (0, 0, 0)


def test_writers_wait_for_each_other(ledger: Ledger) -> None:
    """Eight threads with ten transactions each: none fails, none is lost, each saw its own whole."""
    failures: list[BaseException] = []

    def work() -> None:
        try:
            for _ in range(10):
                with ledger.transaction():
                    before = len(ledger.stories())
                    ledger.tell("launch:1", "Code", "message", NOW)
                    if len(ledger.stories()) != before + 1:
                        failures.append(AssertionError("somebody else wrote in between"))
        except BaseException as error:  # noqa: BLE001 - the test shows whatever it was
            failures.append(error)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert len(ledger.stories()) == 80
