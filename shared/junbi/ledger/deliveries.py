"""Deliveries of webhooks: what each verified one came to, and of the refused a counter and the last few."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from junbi.ledger.rows import from_reason, from_time, to_json, to_reason, to_time

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from junbi.core.model import Reason
    from junbi.ledger.database import Database

#: Refused deliveries that are kept: a flood of them overwrites its own.
RING = 50


@dataclass(frozen=True, slots=True)
class Delivery:
    """A verified delivery.

    Attributes:
        id: its own, or a digest of what it says where it has none.
        endpoint: the function that took it in.
        source: who sent it, such as ``github``.
        times: how often it came.
        outcome: what it came to, as the sender was answered.
    """

    id: str
    endpoint: str
    source: str
    at: datetime
    times: int
    outcome: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class RefusedDelivery:
    """A delivery that nobody vouched for; nothing of its content is kept."""

    at: datetime
    endpoint: str
    reason: Reason
    fingerprint: str


class Deliveries:
    """Stores deliveries."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def get(self, delivery_id: str) -> Delivery | None:
        """A verified delivery that came before; None for a new one."""
        row = self._database.row("delivery", id=delivery_id)
        return _delivery(row) if row else None

    def put(self, delivery_id: str, endpoint: str, source: str, outcome: Mapping[str, Any], now: datetime) -> None:
        """Keep what a delivery came to, and how often it came."""
        self._database.run(
            "put_delivery", id=delivery_id, endpoint=endpoint, source=source, outcome=to_json(outcome), now=to_time(now)
        )

    def newest(self, most: int = 100) -> list[Delivery]:
        """The verified deliveries that came last."""
        return [_delivery(row) for row in self._database.rows("deliveries", most=most)]

    def refuse(self, endpoint: str, counts: Mapping[str, int], last: RefusedDelivery, now: datetime) -> None:
        """Count refused deliveries by their reason's code, and keep the last of them in the ring."""
        row = self._database.row("refused_total")
        slot = (int(row["total"]) if row else 0) % RING
        for code, times in counts.items():
            self._database.run("count_refused", endpoint=endpoint, code=code, times=times, now=to_time(now))
        reason = to_reason(last.reason)
        self._database.run(
            "put_refused", slot=slot, endpoint=endpoint, reason=reason, fingerprint=last.fingerprint, now=to_time(now)
        )

    def refused(self, most: int = RING) -> list[RefusedDelivery]:
        """The deliveries that were refused last, as far as they are kept, newest first."""
        rows = self._database.rows("refused", most=most)
        return [
            RefusedDelivery(from_time(row["at"]), row["endpoint"], reason, row["fingerprint"])
            for row in rows
            if (reason := from_reason(row["reason"])) is not None
        ]

    def refused_counts(self) -> list[dict[str, Any]]:
        """How many were refused, by endpoint and the reason's code, and when it was so last."""
        return self._database.rows("refused_counts")


def _delivery(row: dict[str, Any]) -> Delivery:
    return Delivery(
        row["id"], row["endpoint"], row["source"], from_time(row["at"]), row["times"], json.loads(row["outcome"])
    )
