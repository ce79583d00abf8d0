"""Arrivals: one row for each upload, however many objects it has."""

from __future__ import annotations

from typing import TYPE_CHECKING

from junbi.errors import Stale
from junbi.ledger import rows

if TYPE_CHECKING:
    from collections.abc import Iterable

    from junbi.core.facts import Arrival
    from junbi.ledger.database import Database


class Arrivals:
    """Stores arrivals."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def get(self, key: str) -> Arrival | None:
        """An arrival by its key."""
        row = self._database.row("arrival", key=key)
        return rows.arrival(row) if row else None

    def newest(self, most: int = 100) -> list[Arrival]:
        """The arrivals noted last."""
        return [rows.arrival(row) for row in self._database.rows("arrivals", most=most)]

    def held_back(self, dataset: str) -> list[Arrival]:
        """Those of a dataset that were refused or given up, or that nothing watched for a while."""
        return [rows.arrival(row) for row in self._database.rows("arrivals_held_back", dataset=dataset)]

    def ended(self, after: str, most: int) -> list[Arrival]:
        """Those that are not open, by key, behind a key."""
        return [rows.arrival(row) for row in self._database.rows("next_arrivals", after=after, most=most)]

    def adopting(self, dataset: str, key: str) -> int:
        """How many others of a dataset were found by a listing and not looked at yet."""
        row = self._database.row("adopting", dataset=dataset, key=key)
        return int(row["number"]) if row else 0

    def unknown(self, dataset: str, bucket: str, prefixes: Iterable[str]) -> list[str]:
        """Those of a dataset's prefixes in a bucket that have no arrival yet."""
        asked = list(prefixes)
        found = self._database.rows("known_prefixes", dataset=dataset, bucket=bucket, prefixes=rows.to_json(asked))
        known = {row["prefix"] for row in found}
        return [prefix for prefix in asked if prefix not in known]

    def save(self, arrival: Arrival) -> None:
        """Insert a new arrival (``row`` 0) or save a changed one. Stale where another worker was faster."""
        statement = "save_arrival" if arrival.row else "add_arrival"
        if self._database.run(statement, **rows.arrival_columns(arrival)) != 1:
            raise Stale(f"arrival {arrival.key} was changed meanwhile")
