"""junbi with one protection taken away each, as far as it lies in policies and in what people do to launches."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tests.simulation.broken_ledger import WithPart

from junbi.core import lifecycle
from junbi.ledger.launches import Launches
from junbi.ledger.policies import Policies

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tests.simulation.house import House

    from junbi.core.facts import Freeze, Launch, LaunchState


class _NeverFrozen(Policies):
    def frozen(self, plan: str) -> Freeze | None:
        del plan


class FreezeIgnored(WithPart):
    """A launch is submitted while its plan is frozen."""

    name, part = "policies", _NeverFrozen


class _SeesJobsOnly(Launches):
    def of_plan(self, plan: str, states: Iterable[LaunchState], most: int = 100) -> list[Launch]:
        wanted = set(states)
        return super().of_plan(plan, lifecycle.ACTIVE if wanted == lifecycle.LIVE else wanted, most)


class DoubtIsNoRun(WithPart):
    """A run that may have a job, for all that is known, stands in nobody's way."""

    themes = ("settling",)
    name, part = "launches", _SeesJobsOnly


class _ForgetsWishes(Launches):
    def save(self, launch: Launch) -> None:
        before = self.get(launch.id)
        moved = before is not None and before.state is not launch.state
        super().save(replace(launch, stop=None) if moved else launch)


class WishForgotten(WithPart):
    """A launch that moves on forgets that somebody wished its end."""

    name, part = "launches", _ForgetsWishes


class _ApprovesAll(Launches):
    def get(self, launch_id: str) -> Launch | None:
        found = super().get(launch_id)
        return found and replace(found, approved_by=found.approved_by or "nobody")


class ApprovedByNobody(WithPart):
    """A launch that needs an approval starts without one."""

    name, part = "launches", _ApprovesAll


#: Every variant of this kind.
VARIANTS: tuple[type[House], ...] = (FreezeIgnored, DoubtIsNoRun, WishForgotten, ApprovedByNobody)
