"""1,000,000 object events of one version: each costs the same, and together they cost no more than one upload."""

from __future__ import annotations

import json
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.performance.result import Result

from junbi.core.plan import Complete, DatasetSpec, Generation, Watch
from junbi.events import oss
from junbi.ledger.clock import LedgerClock
from junbi.ledger.ledger import Ledger
from junbi.ledger.sqlite import SqliteDatabase
from junbi.pipeline.apply import apply
from junbi.pipeline.note import note_events

if TYPE_CHECKING:
    from collections.abc import Iterator

#: Events in one call of the door, as a busy OSS trigger delivers them.
BATCH = 100
BUDGET = 1.25
#: Rows of the whole ledger after the events, less those before: an arrival, a row of work, an entry of the story.
ROWS = 4


def ledger_in(directory: Path) -> Ledger:
    """A ledger that watches one dataset."""
    ledger = Ledger(SqliteDatabase(directory / "ledger.db"), LedgerClock())
    ledger.migrate()
    watch = Watch(bucket="data", root="digits/", pattern=r"digits/(?P<version>[^/]+)/", captures=("version",))
    digits = DatasetSpec(name="digits", watch=watch, complete=Complete(marker="_SUCCESS"), mount="/mnt/digits")
    scope = {"deployment": "vision", "environment": "bench", "region": "cn-hangzhou", "workspace": "1"}
    apply(ledger, Generation(**scope, datasets={"digits": digits}, plans={}))
    return ledger


def payload(first: int) -> bytes:
    """What OSS sends for the next objects."""
    return json.dumps({"events": [_record(number) for number in range(first, first + BATCH)]}).encode()


def _record(number: int) -> dict[str, Any]:
    stored = {"key": f"digits/v1/part-{number:07}.csv", "size": 5, "eTag": f"{number:032X}", "deltaSize": 5}
    return {
        "eventSource": "acs:oss",
        "eventName": "ObjectCreated:PutObject",
        "eventTime": datetime.now(UTC).isoformat(),
        "responseElements": {"requestId": f"{number:024X}"},
        "oss": {"bucket": {"name": "data"}, "object": stored},
    }


def rows(ledger: Ledger) -> int:
    """How many rows the ledger has in all."""
    database: Any = ledger._database
    connection = database._connection()
    tables = [one["name"] for one in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    return sum(connection.execute(f"SELECT COUNT(*) AS n FROM {table}").fetchone()["n"] for table in tables)


def burst(events: int, directory: Path) -> tuple[list[float], int]:
    """Deliver so many events; CPU seconds of each tenth, and by how many rows the ledger grew."""
    ledger = ledger_in(directory)
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


def measure(events: int = 1_000_000) -> Iterator[Result]:
    """The last tenth beside the first, and the ledger's growth beside one upload's."""
    with tempfile.TemporaryDirectory() as directory:
        taken, grown = burst(events, Path(directory))
    each = sum(taken) / events * 1e6
    how = f"{each:.0f} us of CPU per event, {events:,} events"
    yield Result("object events of one version, last tenth beside the first", taken[-1] / taken[0], BUDGET, how)
    yield Result("rows they add to the ledger, beside one upload's", grown / ROWS, 1.0, f"{grown} rows")


if __name__ == "__main__":
    for result in measure(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000):
        print(result)
