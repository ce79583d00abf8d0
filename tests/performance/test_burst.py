"""A burst of object events for one version costs the ledger as much as one upload, and each event the same."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.performance import burst

if TYPE_CHECKING:
    from pathlib import Path


def test_the_ledger_does_not_grow_with_the_events(tmp_path: Path) -> None:
    """20,000 events in 200 calls add an arrival, its work and its story: three rows."""
    _, grown = burst.burst(20_000, tmp_path)
    assert grown == burst.ROWS
