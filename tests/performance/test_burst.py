"""A burst of object events for one version costs the ledger as much as one upload, and PAI as few calls."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.performance import burst
from tests.performance.ledgers import digits, ledger_in

if TYPE_CHECKING:
    from pathlib import Path

    from junbi.ledger.ledger import Ledger


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    """A ledger that watches one dataset."""
    return ledger_in(tmp_path, digits())


def test_the_ledger_does_not_grow_with_the_events(ledger: Ledger) -> None:
    """20,000 events in 200 calls add an arrival, its work, its story and that they were heard: four rows."""
    _, grown = burst.burst(20_000, ledger)
    assert grown == burst.ROWS


def test_they_are_registered_with_a_few_calls(ledger: Ledger, tmp_path: Path) -> None:
    """20,000 events are closed, listed and registered with at most ten calls of PAI."""
    burst.burst(20_000, ledger)
    assert burst.register(20_000, ledger, tmp_path).calls <= burst.CALLS
