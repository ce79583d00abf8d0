"""What must hold after every step where plans have policies and people act on launches."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from tests.simulation.dlc import ENDED

from junbi.core.facts import LaunchState
from junbi.core.lifecycle import LIVE

if TYPE_CHECKING:
    from tests.simulation.world import World

Row = dict[str, Any]


class Policies:
    """Judges what is submitted, and what runs beside each other."""

    def __init__(self, world: World) -> None:
        self._world = world

    def runs_apart(self) -> None:
        """Unless a plan's runs may overlap, PAI never has two of its jobs under way."""
        world, under_way = self._world, set[str]()
        if world.people.overlaps:
            return
        for job in world.dlc.jobs:
            if job.deleted or job.status(world.time.now) in ENDED:
                continue
            plan = job.request.display_name.split("-")[0]
            if plan in under_way:
                world.violated(f"two jobs of {plan} are under way, the second {job.id}")
            under_way.add(plan)
        taken = [row["plan"] for row in world.table("launch") if row["state"] in LIVE]
        for plan in {one for one in taken if taken.count(one) > 1}:
            world.violated(f"two launches of {plan} have jobs, or may have")

    def may_submit(self, row: Row) -> None:
        """Nothing is submitted that is frozen, or taken back, or not approved, or tried too often."""
        policy = json.loads(row["spec"])["policy"]
        frozen = {one["plan"] for one in self._world.table("frozen")} & {"", row["plan"]}
        if frozen:
            self._world.violated(f"launch {row['id']} is submitted during a freeze")
        if row["stop"] is not None:
            self._world.violated(f"launch {row['id']} is submitted although its end is wished")
        if policy["approve"] and row["id"] not in self._world.people.acting.approved:
            self._world.violated(f"launch {row['id']} is submitted and nobody approved it")
        if row["attempt"] > policy["retries"]["max"] + 1:
            self._world.violated(f"launch {row['id']} has attempt {row['attempt']}")

    def heed_acts(self, before: Row | None, row: Row) -> None:
        """A wish that somebody expressed stays until the launch has ended, and what is approved stays so."""
        if before is None:
            return
        wished = before["stop"] and not json.loads(before["stop"])["retry"]
        if wished and row["stop"] is None and LaunchState(row["state"]) is not LaunchState.CANCELLED:
            self._world.violated(f"the wish that launch {row['id']} ends was lost")
        if before["approved_by"] and not row["approved_by"]:
            self._world.violated(f"the approval of launch {row['id']} was lost")
