"""An upload of 1,000,000 objects is listed and digested over several ticks in memory that does not grow with it."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import tracemalloc
from pathlib import Path
from typing import TYPE_CHECKING

from tests.performance import pai
from tests.performance.ledgers import MARKER, digits, ledger_in, record
from tests.performance.members import Members
from tests.performance.result import Result

from junbi.core.facts import ArrivalState
from junbi.events import oss
from junbi.pipeline import scan, work
from junbi.pipeline.note import note_events

if TYPE_CHECKING:
    from collections.abc import Iterator

FEW, MANY = 50_000, 1_000_000
BUDGET = 1.5


def digested(members: int, directory: Path) -> tuple[int, int]:
    """List an upload until it is closed; how many ticks that took, and the peak of bytes beyond those at its start."""
    ledger = ledger_in(directory, digits())
    body = json.dumps({"events": [record(f"digits/v1/{MARKER}")]}).encode()
    note_events(ledger, oss.parse(body))
    objects, ticks = Members(members), 0
    tracemalloc.start()
    before, _ = tracemalloc.get_traced_memory()
    while ledger.arrivals.newest()[0].state is not ArrivalState.CLOSED:
        # Long enough to begin a look, which then has the difference of the two reserves.
        work.tick(pai.ports(ledger, work.RESERVE + 0.2, objects=objects))
        ticks += 1
    _, peak = tracemalloc.get_traced_memory()
    return ticks, peak - before


def fresh(members: int) -> tuple[int, int]:
    """The same in a process of its own, where nothing was listed before."""
    command = [sys.executable, "-m", "tests.performance.listing", str(members)]
    said = subprocess.run(command, check=True, capture_output=True).stdout.splitlines()
    ticks, peak = json.loads(said[-1])  # a tick on a slow machine logs before that
    return ticks, peak


def measure() -> Iterator[Result]:
    """The peak for many members beside the peak for few."""
    _, few = fresh(FEW)
    ticks, many = fresh(MANY)
    seconds = work.RESERVE - scan.RESERVE
    how = (
        f"peak {many / 1e6:.1f} MB over {ticks} ticks of {seconds:.0f} s, beside {few / 1e6:.1f} MB for {FEW:,}; "
        "Python's allocations above those at the start, each in a fresh process"
    )
    yield Result(f"memory for listing {MANY:,} objects, beside that for {FEW:,}", many / few, BUDGET, how)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        print(json.dumps(digested(int(sys.argv[1]), Path(folder))))
