"""1,000,000 object events of one version: each costs the same, and together they cost no more than one upload."""

from __future__ import annotations

import json
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tests.performance import pai
from tests.performance.ledgers import BATCH, MARKER, digits, ledger_in, payload, record, rows
from tests.performance.members import Members
from tests.performance.result import Result

from junbi.core.facts import CreateState
from junbi.events import oss
from junbi.pipeline import work
from junbi.pipeline.note import note_events

if TYPE_CHECKING:
    from collections.abc import Iterator

    from junbi.ledger.ledger import Ledger

BUDGET = 1.25
#: Rows of the whole ledger after the events, less those before: an arrival, a row of work, an entry of the story, and
#: that an event of the dataset was heard.
ROWS = 4
CALLS = 10


@dataclass(frozen=True, slots=True)
class Registered:
    """What closing, listing and registering took: requests to PAI, and pages asked of OSS."""

    calls: int
    pages: int


def burst(events: int, ledger: Ledger) -> tuple[list[float], int]:
    """Deliver so many events; CPU seconds of each tenth, and by how many rows the ledger grew."""
    before, taken = rows(ledger), []
    for tenth in range(10):
        spent = 0.0
        for first in range(tenth * events // 10, (tenth + 1) * events // 10, BATCH):
            body = payload(first)
            start = time.process_time()
            note_events(ledger, oss.parse(body))
            spent += time.process_time() - start
        taken.append(spent)
    return taken, rows(ledger) - before


def register(events: int, ledger: Ledger, directory: Path) -> Registered:
    """Say that the upload is complete, and work until its version is registered."""
    objects = Members(events)
    note_events(ledger, oss.parse(json.dumps({"events": [record(f"digits/v1/{MARKER}")]}).encode()))
    with pai.counted(directory / "cloud") as api:
        work.tick(pai.ports(ledger, objects=objects, **pai.clients(api)))
        calls = api.requests
    (revision,) = ledger.revisions.newest()
    registration = ledger.revisions.registration(revision.id)
    if (revision.members, registration.state) != (events, CreateState.DONE):
        raise AssertionError(f"{revision.members} of {events} members, registration {registration.state}")
    return Registered(calls, objects.pages)


def measure(events: int = 1_000_000) -> Iterator[Result]:
    """The last tenth beside the first, the ledger's growth beside one upload's, and the calls they come to."""
    with tempfile.TemporaryDirectory() as folder:
        directory = Path(folder)
        ledger = ledger_in(directory, digits())
        taken, grown = burst(events, ledger)
        made = register(events, ledger, directory)
    each = sum(taken) / events * 1e6
    how = f"{each:.0f} us of CPU per event, {events:,} events in calls of {BATCH}, SQLite"
    yield Result("object events of one version, last tenth beside the first", taken[-1] / taken[0], BUDGET, how)
    yield Result("rows they add to the ledger, beside one upload's", grown / ROWS, 1.0, f"{grown} rows, counted")
    how = f"requests counted at the local PAI's port; besides {made.pages:,} pages of OSS's listing"
    yield Result("calls of PAI until they are closed, listed and registered", made.calls, CALLS, how, unit="calls")


if __name__ == "__main__":
    for result in measure(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000):
        print(result.line(60))
