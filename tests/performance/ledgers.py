"""What several measurements begin with: a ledger that watches a dataset, and the events of its uploads."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from junbi.core.plan import Complete, DatasetSpec, Generation, Watch
from junbi.ledger.clock import LedgerClock
from junbi.ledger.ledger import Ledger
from junbi.ledger.sqlite import SqliteDatabase
from junbi.pipeline.apply import apply

if TYPE_CHECKING:
    from pathlib import Path

    from junbi.core.plan import PlanSpec

#: Events in one call of the door, as EventBridge delivers them together.
BATCH = 100
BUCKET, MARKER = "data", "_SUCCESS"


def dataset(name: str = "digits") -> DatasetSpec:
    """A dataset below ``oss://data/<name>/{version}/``, closed by its marker."""
    watch = Watch(bucket=BUCKET, root=f"{name}/", pattern=rf"{name}/(?P<version>[^/]+)/", captures=("version",))
    return DatasetSpec(name=name, watch=watch, complete=Complete(marker=MARKER), mount=f"/mnt/{name}")


def digits(*plans: PlanSpec, others: tuple[DatasetSpec, ...] = ()) -> Generation:
    """A generation that watches ``digits``, the other datasets, and has these plans."""
    scope = {"deployment": "vision", "environment": "bench", "region": "cn-hangzhou", "workspace": "104231"}
    datasets = {one.name: one for one in (dataset(), *others)}
    return Generation(**scope, datasets=datasets, plans={one.name: one for one in plans})


def ledger_in(directory: Path, generation: Generation) -> Ledger:
    """A new ledger in a file, with a generation in force."""
    ledger = Ledger(SqliteDatabase(directory / "ledger.db"), LedgerClock())
    ledger.migrate()
    apply(ledger, generation)
    return ledger


def payload(first: int, events: int = BATCH, version: str = "v1") -> bytes:
    """What OSS sends for the next objects of a version."""
    keys = [f"digits/{version}/part-{number:07}.csv" for number in range(first, first + events)]
    return json.dumps({"events": [record(key, first + place) for place, key in enumerate(keys)]}).encode()


def record(key: str, number: int = 0) -> dict[str, Any]:
    """What OSS says of one object."""
    stored = {"key": key, "size": 5, "eTag": f"{number:032X}", "deltaSize": 5}
    return {
        "eventSource": "acs:oss",
        "eventName": "ObjectCreated:PutObject",
        "eventTime": datetime.now(UTC).isoformat(),
        "responseElements": {"requestId": f"{number:024X}"},
        "oss": {"bucket": {"name": BUCKET}, "object": stored},
    }


#: By engine: the tables there are, and the bytes that the ledger takes.
_TABLES = {
    True: "SELECT name FROM sqlite_master WHERE type = 'table'",
    False: "SELECT tablename AS name FROM pg_tables WHERE schemaname = current_schema()",
}
_SIZE = {
    True: "SELECT page_count * page_size AS bytes FROM pragma_page_count(), pragma_page_size()",
    False: "SELECT SUM(pg_total_relation_size(relid)) AS bytes FROM pg_statio_user_tables "
    "WHERE schemaname = current_schema()",
}


def rows(ledger: Ledger) -> int:
    """How many rows a ledger has in all."""
    tables = [one["name"] for one in _read(ledger, _TABLES)]
    return sum(_read(ledger, f"SELECT COUNT(*) AS n FROM {table}")[0]["n"] for table in tables)


def size(ledger: Ledger) -> int:
    """How many bytes a ledger takes."""
    return int(_read(ledger, _SIZE)[0]["bytes"])


def _read(ledger: Ledger, statement: str | dict[bool, str]) -> list[dict[str, Any]]:
    database: Any = ledger._database
    text = statement if isinstance(statement, str) else statement[isinstance(database, SqliteDatabase)]
    found: list[dict[str, Any]] = database._connection().execute(text).fetchall()
    return found
