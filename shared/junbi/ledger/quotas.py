"""Quotas as they were read last, by region and kind."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from junbi.core.quotas import Snapshot
from junbi.errors import Stale
from junbi.ledger.rows import from_time, to_json, to_time

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from junbi.ledger.database import Database


@dataclass(frozen=True, slots=True)
class Reading:
    """How a kind of quota was read last.

    Attributes:
        read_at: when it was read as a whole last; None where it never was.
        problem: why the last try failed; empty where it did not.
        row: the row version that the next reading is saved under, 0 where there is none yet.
    """

    kind: str
    read_at: datetime | None = None
    problem: str = ""
    row: int = 0


class Quotas:
    """Stores what was read of quotas. All of a kind is saved under the row version of its reading."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def all(self, region: str) -> list[Snapshot]:
        """Every quota of a region, those that are gone too, by kind and id."""
        return [_snapshot(row) for row in self._database.rows("quota_snapshots", region=region)]

    def readings(self, region: str) -> dict[str, Reading]:
        """How each kind was read last; one that was never tried is absent."""
        found = self._database.rows("quota_readings", region=region)
        return {row["kind"]: _reading(row) for row in found}

    def save(self, region: str, reading: Reading, quotas: Iterable[Snapshot] = ()) -> None:
        """Save a reading and what it showed. Stale where another one was faster. Call it inside a transaction."""
        statement = "save_quota_reading" if reading.row else "add_quota_reading"
        columns: dict[str, Any] = {"region": region, "kind": reading.kind, "problem": reading.problem}
        columns["read_at"] = to_time(reading.read_at) if reading.read_at else ""
        if reading.row:
            columns["row"] = reading.row
        if self._database.run(statement, **columns) != 1:
            raise Stale(f"{reading.kind} quotas of {region} were read by another meanwhile")
        for quota in quotas:
            self._database.run("put_quota_snapshot", region=region, **_columns(quota))


def _columns(quota: Snapshot) -> dict[str, Any]:
    return {
        "id": quota.id,
        "kind": quota.kind,
        "declared": to_json(quota.declared),
        "details": to_json(quota.details),
        "read_at": to_time(quota.read_at),
        "changed_at": to_time(quota.changed_at),
        "gone_at": to_time(quota.gone_at) if quota.gone_at else "",
    }


def _snapshot(row: dict[str, Any]) -> Snapshot:
    return Snapshot(
        id=row["id"],
        kind=row["kind"],
        declared=json.loads(row["declared"]),
        details=json.loads(row["details"]),
        read_at=from_time(row["read_at"]),
        changed_at=from_time(row["changed_at"]),
        gone_at=from_time(row["gone_at"]) if row["gone_at"] else None,
    )


def _reading(row: dict[str, Any]) -> Reading:
    read_at = from_time(row["read_at"]) if row["read_at"] else None
    return Reading(row["kind"], read_at, row["problem"], row["row"])
