"""What must hold after every step where plans run in quotas."""

from __future__ import annotations

import json
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from tests.simulation.dlc import ENDED
from tests.simulation.pai_studio import total

from junbi.core.admission import LEASE
from junbi.core.facts import LaunchState
from junbi.core.lifecycle import FINAL
from junbi.ledger.rows import from_time

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.simulation.world import World

    from junbi.core.demand import Amounts

Row = dict[str, Any]


@dataclass(frozen=True)
class _Held:
    """What a launch that was let in holds, or a job of it."""

    quota: str
    needs: Amounts
    waits: bool
    queued: bool


class Reserved:
    """Judges reservations by what jobs really hold."""

    def __init__(self, world: World) -> None:
        self._world = world
        #: By launch: since when its reservation was held a step ago, empty while it stood in the line.
        self._held_at: dict[str, str] = {}

    def check(self) -> None:
        """Everything."""
        launches = {row["id"]: row for row in self._world.table("launch")}
        rows = self._world.table("reservation")
        for row in rows:
            self._has_an_owner(row, launches.get(row["launch"]))
        self._leases_ended(rows, launches)
        held = list(self._held(rows, launches))
        for quota in self._world.pai.quotas.values():
            if not (quota.shared or quota.shrank):
                self._fits(quota.id, quota.has, held)
            queued = sum(one.queued and not one.waits and one.quota == quota.id for one in held)
            if queued > quota.max_queued:
                self._world.violated(f"{queued} launches are in PAI's queue of {quota.id}, or on their way there")

    def _has_an_owner(self, row: Row, launch: Row | None) -> None:
        # One without a quota holds nothing, and goes when the next attempt is looked at.
        if launch is None or (row["quota"] and launch["attempt"] != row["attempt"]):
            self._world.violated(f"the reservation of launch {row['launch']} is of no attempt that is being made")
        elif LaunchState(launch["state"]) in FINAL | {LaunchState.REFUSED}:
            self._world.violated(f"launch {row['launch']} is {launch['state']}, and has a reservation")

    def _fits(self, quota: str, has: Amounts, held: list[_Held]) -> None:
        inside = [
            one for one in held if one.waits and any(each.id == quota for each in self._world.pai.above(one.quota))
        ]
        sums = total(one.needs for one in inside)
        over = {name: str(number) for name, number in sums.items() if number > has[name]}
        if over:
            self._world.violated(f"more of {quota} is held than there is: {over}")

    def _held(self, rows: list[Row], launches: dict[str, Row]) -> Iterator[_Held]:
        """Each launch once: by its job where it has one, else by its reservation, unless the lease of that ended."""
        now, have = self._world.time.now, set[tuple[str, str]]()
        for job in self._world.dlc.jobs:
            have.add((job.launch, job.attempt))
            if job.quota and not job.deleted and job.status(now) not in ENDED:
                waits = json.loads(launches[job.launch]["spec"])["queue"]["waits"]
                yield _Held(job.quota, job.needs, waits, job.begun_at is None)
        for row in rows:
            mine = (row["launch"], str(row["attempt"]))
            if row["quota"] and row["held_at"] and mine not in have and not self._lapsed(row, launches):
                needs = {name: Decimal(number) for name, number in json.loads(row["need"]).items()}
                yield _Held(row["quota"], needs, json.loads(row["queue"])["waits"], queued=True)

    def _lapsed(self, row: Row, launches: dict[str, Row]) -> bool:
        waits = launches[row["launch"]]["state"] == LaunchState.WAITING
        return waits and self._world.ledger_clock() - from_time(row["held_at"]) >= LEASE

    def _leases_ended(self, rows: list[Row], launches: dict[str, Row]) -> None:
        """Whenever a launch is let in, no other one in that quota keeps what it did not use in time."""
        before, self._held_at = self._held_at, {row["launch"]: row["held_at"] for row in rows if row["quota"]}
        for new in rows:
            if not new["quota"] or not new["held_at"] or before.get(new["launch"]) != "":
                continue
            for row in rows:
                waits = launches[row["launch"]]["state"] == LaunchState.WAITING
                late = row["held_at"] and from_time(new["held_at"]) - from_time(row["held_at"]) >= LEASE
                if row["quota"] == new["quota"] and waits and late:
                    self._world.violated(f"launch {row['launch']} did not use what it holds, and kept it")
