"""junbi with one protection taken away each, as far as it lies in the lines before quotas."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from tests.simulation.broken_ledger import WithPart as WithAnyPart

from junbi.core.facts import LaunchState
from junbi.ledger.launches import Launches
from junbi.ledger.reservations import Reservations
from junbi.ledger.worklist import Worklist

if TYPE_CHECKING:
    from tests.simulation.house import House

    from junbi.core.admission import Reservation
    from junbi.core.facts import Launch


class WithPart(WithAnyPart):
    """A house whose ledger has one part of another kind, and all of whose plans run in quotas."""

    in_quotas = True


_LONG_AGO = datetime.min.replace(tzinfo=UTC)
_NEVER = datetime.max.replace(tzinfo=UTC)


class _FreesOnSuccess(Launches):
    def _move_in_quota(self, launch: Launch, now: str) -> None:
        if launch.state is LaunchState.SUCCEEDED:
            super()._move_in_quota(launch, now)


class KeptAfterFailure(WithPart):
    """What a launch holds is given back only where its job succeeded."""

    name, part = "launches", _FreesOnSuccess


class _BelievesTheReading(Reservations):
    def held(self, region: str, quota: str) -> list[Reservation]:
        shown = {LaunchState.PREPARING, LaunchState.RUNNING}
        return [replace(one, since=_LONG_AGO) if one.state in shown else one for one in super().held(region, quota)]


class ReadingBelieved(WithPart):
    """A job that runs counts only as far as the last reading shows it, although that may be older than the job."""

    name, part = "reservations", _BelievesTheReading


class _NeverLapses(Reservations):
    def held(self, region: str, quota: str) -> list[Reservation]:
        waiting = LaunchState.WAITING
        return [replace(one, held_at=_NEVER) if one.state is waiting else one for one in super().held(region, quota)]


class HeldForEver(WithPart):
    """What is held for a launch whose worker died is held for ever."""

    themes = ("pausing",)
    name, part = "reservations", _NeverLapses


class _DeafToQuotas(Worklist):
    def ask(self, kind: Any, *more: Any, **named: Any) -> None:
        if kind != "quota":
            super().ask(kind, *more, **named)


class QuotasNotLookedAt(WithPart):
    """Neither a reading nor a launch in the line has anybody look who may go."""

    name, part = "worklist", _DeafToQuotas


class _SeesOneQuota(Reservations):
    def held(self, region: str, quota: str) -> list[Reservation]:
        task = self.world.tasks.current  # type: ignore[attr-defined]
        asked = task.memory.setdefault("quota", quota) if task is not None else quota
        return super().held(region, quota) if quota == asked else []


class SiblingsOverlooked(WithPart):
    """What is held in other quotas below the same one is nobody's concern."""

    name, part = "reservations", _SeesOneQuota


#: Every variant of this kind.
VARIANTS: tuple[type[House], ...] = (
    KeptAfterFailure,
    ReadingBelieved,
    HeldForEver,
    QuotasNotLookedAt,
    SiblingsOverlooked,
)
