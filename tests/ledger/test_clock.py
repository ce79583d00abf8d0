"""The ledger's clock."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from junbi.ledger.clock import VARIABLE, LedgerClock

if TYPE_CHECKING:
    import pytest


def test_it_is_wall_time_by_default(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without JUNBI_CLOCK the ledger's time is the machine's, in UTC."""
    monkeypatch.delenv(VARIABLE, raising=False)
    now = LedgerClock.from_environment().now()
    assert now.tzinfo is UTC
    assert abs((datetime.now(UTC) - now).total_seconds()) < 5


def test_it_runs_as_many_times_faster_as_it_is_told() -> None:
    """At a scale of 1,000 a hundredth of a second is ten seconds, counted from where the ledger stood."""
    started = time.time()
    clock = LedgerClock(wall=started, ledger=1_000_000.0, scale=1000.0)
    time.sleep(0.01)
    seconds = clock.now().timestamp() - 1_000_000.0
    assert 10 <= seconds <= (time.time() - started) * 1000


def test_everything_that_is_started_with_it_has_the_same_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """The variable carries the clock to other processes without loss."""
    clock = LedgerClock(wall=1_772_323_200.123456, ledger=1_800_000_000.654321, scale=60.5)
    monkeypatch.setenv(VARIABLE, str(clock))
    assert LedgerClock.from_environment() == clock


FLOATS = st.floats(0, 4e9)


@given(st.builds(LedgerClock, FLOATS, FLOATS, st.floats(0.001, 10_000)))
def test_its_text_is_exact(clock: LedgerClock) -> None:
    """Every clock comes back from its text to the last bit."""
    assert LedgerClock(*(float(part) for part in str(clock).split(","))) == clock


def test_bc_127_it_never_goes_back() -> None:
    """Read again and again it stands still or goes on, at any scale."""
    clock = LedgerClock(wall=time.time(), ledger=0.0, scale=3600.0)
    moments = [clock.now() for _ in range(1000)]
    assert moments == sorted(moments)
