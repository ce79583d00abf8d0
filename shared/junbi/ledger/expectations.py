"""Expectations: one row for each dataset with a daily deadline."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from junbi.core.expectation import Expectation
from junbi.errors import Stale
from junbi.ledger.rows import from_time, to_json, to_time

if TYPE_CHECKING:
    from collections.abc import Iterable

    from junbi.ledger.database import Database


class Expectations:
    """Stores what is expected of datasets."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def get(self, dataset: str) -> Expectation | None:
        """What is expected of a dataset; None where nothing is."""
        row = self._database.row("expectation", dataset=dataset)
        return _read(row) if row else None

    def all(self) -> dict[str, Expectation]:
        """What is expected, by dataset."""
        return {row["dataset"]: _read(row) for row in self._database.rows("expectations")}

    def save(self, expectation: Expectation) -> None:
        """Insert a new one (``row`` 0) or save a changed one. Stale where another worker was faster."""
        statement = "save_expectation" if expectation.row else "add_expectation"
        delivered = to_time(expectation.delivered_at) if expectation.delivered_at else ""
        columns = {
            "dataset": expectation.dataset,
            "due_at": to_time(expectation.due_at),
            "since": to_time(expectation.since),
            "delivered_at": delivered,
            "missed": expectation.missed,
            "row": expectation.row,
        }
        if self._database.run(statement, **columns) != 1:
            raise Stale(f"what is expected of {expectation.dataset} was changed meanwhile")

    def drop_but(self, datasets: Iterable[str]) -> None:
        """Expect nothing of any other dataset any more."""
        self._database.run("drop_expectations_but", datasets=to_json(list(datasets)))


def _read(row: dict[str, Any]) -> Expectation:
    return Expectation(
        dataset=row["dataset"],
        due_at=from_time(row["due_at"]),
        since=from_time(row["since"]),
        delivered_at=from_time(row["delivered_at"]) if row["delivered_at"] else None,
        missed=row["missed"],
        row=row["row"],
    )
