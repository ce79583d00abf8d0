"""The lines of launches before quotas, and what those hold that have been let in."""

from __future__ import annotations

import json
from dataclasses import replace
from decimal import Decimal
from typing import TYPE_CHECKING

from junbi.core.admission import Reservation
from junbi.core.facts import LaunchState
from junbi.core.plan import Queue
from junbi.ledger.rows import from_time, to_json, to_time

if TYPE_CHECKING:
    from datetime import datetime

    from junbi.ledger.database import Database
    from junbi.ledger.rows import Row

#: So many of those who wait for one quota are looked at when it is decided who may go.
LOOKED_AT = 100


class Reservations:
    """Stores reservations, one for a launch. They go with the launch: ``Launches.save`` frees what it needs no more."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def of(self, launch_id: str) -> Reservation | None:
        """The reservation of a launch; None where it asked for none."""
        row = self._database.row("reservation", launch=launch_id)
        return _reservation(row) if row else None

    def put(self, region: str, reservation: Reservation) -> None:
        """Store what a launch asks for, in place of what it asked for before."""
        self._database.run("put_reservation", region=region, **_columns(reservation))

    def hold(self, region: str, reservation: Reservation, now: datetime) -> None:
        """Let a launch in."""
        self.put(region, replace(reservation, held_at=now))

    def held(self, region: str, quota: str) -> list[Reservation]:
        """What is held of a quota, longest first."""
        return [_reservation(row) for row in self._database.rows("reservations_held", region=region, quota=quota)]

    def waiting(self, region: str, quota: str) -> list[Reservation]:
        """The first who wait for a quota, in their order; ``LOOKED_AT`` at most."""
        rows = self._database.rows("reservations_waiting", region=region, quota=quota, most=LOOKED_AT)
        return [_reservation(row) for row in rows]

    def in_line(self, region: str, quota: str) -> int:
        """How many wait for a quota."""
        row = self._database.row("reservations_in_line", region=region, quota=quota)
        return int(row["waiting"]) if row else 0

    def ahead(self, region: str, one: Reservation) -> int:
        """How many come before one in the line."""
        place = {"priority": one.priority, "made_at": to_time(one.made_at), "launch": one.launch}
        row = self._database.row("reservations_ahead", region=region, quota=one.quota, **place)
        return int(row["ahead"]) if row else 0

    def free(self, launch_id: str, now: datetime) -> None:
        """A launch asks for nothing any more; whoever waits behind it is woken."""
        self._database.run("wake_quota", launch=launch_id, attempt=0, moved=1, due_at=to_time(now))
        self._database.run("free_reservation", launch=launch_id, attempt=0, over=1)


def _columns(one: Reservation) -> Row:
    return {
        "launch": one.launch,
        "attempt": one.attempt,
        "choice": one.choice,
        "quota": one.quota,
        "need": to_json({name: str(number) for name, number in one.need.items()}),
        "queue": one.queue.model_dump_json(exclude={"fallback"}),
        "priority": one.priority,
        "made_at": to_time(one.made_at),
        "asked_at": to_time(one.asked_at),
        "held_at": to_time(one.held_at) if one.held_at else "",
    }


def _reservation(row: Row) -> Reservation:
    return Reservation(
        launch=row["launch"],
        attempt=row["attempt"],
        choice=row["choice"],
        quota=row["quota"],
        need={name: Decimal(number) for name, number in json.loads(row["need"]).items()},
        queue=Queue.model_validate_json(row["queue"]),
        priority=row["priority"],
        made_at=from_time(row["made_at"]),
        asked_at=from_time(row["asked_at"]),
        held_at=from_time(row["held_at"]) if row["held_at"] else None,
        state=LaunchState(row["state"]),
        since=from_time(row["since"]) if row["since"] else None,
    )
