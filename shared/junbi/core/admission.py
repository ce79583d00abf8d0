"""Which launches may go into a quota now, in whose order, and why the others may not. Pure.

What is free is judged for a quota and for every quota it is nested in, and a quota lends nothing that somebody may
already hold: of our own jobs those that the last reading cannot show yet are counted on top of it.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from typing import TYPE_CHECKING

from junbi.core import demand as amounts
from junbi.core.assumptions import QUOTA_LAG
from junbi.core.facts import LaunchState
from junbi.core.model import Reason
from junbi.core.reasons import Code

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import datetime

    from junbi.core.demand import Amounts
    from junbi.core.plan import Queue
    from junbi.core.quotas import Snapshot

#: How long a reservation is kept for a launch that has not used it to submit.
LEASE = timedelta(minutes=5)

#: The job has left PAI's queue: since when its launch is in this state, it holds what it asked for.
_STARTED = frozenset({LaunchState.PREPARING, LaunchState.RUNNING})


@dataclass(frozen=True, slots=True)
class Reservation:
    """What a launch asks of a quota, and since when it holds it.

    Attributes:
        attempt: of the launch; a new one asks anew.
        choice: 0 for the plan's own resource, n for its n-th fallback.
        quota: empty for public resources, of which nothing is held.
        asked_at: since when it stands in the line.
        held_at: since when it may submit, and what it needs is kept for it; None while it waits.
        state, since: of the launch, as of now.
        made_at: when the launch was made, which is its age.
    """

    launch: str
    attempt: int
    choice: int
    quota: str
    need: Amounts
    queue: Queue
    priority: int
    made_at: datetime
    asked_at: datetime
    held_at: datetime | None = None
    state: LaunchState = LaunchState.WAITING
    since: datetime | None = None

    @property
    def rank(self) -> tuple[int, datetime, str]:
        """Its place in the order: the higher priority first, then the older launch."""
        return (-self.priority, self.made_at, self.launch)

    @property
    def queued(self) -> bool:
        """Whether it stands in PAI's queue, or is on its way there."""
        return self.held_at is not None and self.state not in _STARTED

    def lapsed(self, now: datetime) -> bool:
        """Whether it was held for a launch that did not use it in time."""
        return self.held_at is not None and self.state is LaunchState.WAITING and now - self.held_at >= LEASE

    def shown_in(self, quota: Snapshot) -> bool:
        """Whether a reading of the quota counts the job already."""
        return self.state in _STARTED and self.since is not None and self.since + QUOTA_LAG < quota.read_at


@dataclass(frozen=True, slots=True)
class Admission:
    """What is decided for the launches that wait: who may go, and for the first who may not, why."""

    admitted: tuple[Reservation, ...]
    reasons: Mapping[str, Reason]


def chain(quotas: Mapping[str, Snapshot], quota: str) -> list[Snapshot]:
    """A quota and those it is nested in, itself first; what PAI does not list ends it."""
    found: list[Snapshot] = []
    while (one := quotas.get(quota)) is not None and one not in found:
        found.append(one)
        quota = str(one.declared.get("ParentQuotaId") or "")
    return found


def admit(
    quotas: Mapping[str, Snapshot], holding: Iterable[Reservation], waiting: Sequence[Reservation], now: datetime
) -> Admission:
    """Go through those who wait in their order, and let in whom there is room for.

    Args:
        quotas: by id, as read last.
        holding: every reservation that is held in these quotas.
        waiting: those that ask, of all these quotas.
        now: the ledger's time.
    """
    room = _Room(quotas, holding)
    admitted: list[Reservation] = []
    reasons: dict[str, Reason] = {}
    for one in sorted(waiting, key=lambda each: each.rank):
        reason = room.refuses(one, now)
        if reason is None:
            room.take(one)
            admitted.append(one)
        else:
            reasons[one.launch] = reason
    return Admission(tuple(admitted), reasons)


class _Room:
    """What is free in each quota while the line is gone through."""

    def __init__(self, quotas: Mapping[str, Snapshot], holding: Iterable[Reservation]) -> None:
        self._quotas = quotas
        self._free: dict[str, Amounts] = {}
        self._ours: dict[str, list[Reservation]] = defaultdict(list)
        self._first: dict[str, str] = {}  # by the quota: for whom room is kept there until there is enough
        self._turn: dict[str, str] = {}  # by the quota: whose turn comes next in PAI's queue of it
        for one in holding:
            for quota in chain(quotas, one.quota):
                self._ours[quota.id].append(one)
        for quota_id, quota in quotas.items():
            self._free[quota_id] = _free(quota, self._ours[quota_id])

    def refuses(self, one: Reservation, now: datetime) -> Reason | None:
        """Why a launch may not go; None where it may. Who has waited for too long is not passed from then on."""
        line = chain(self._quotas, one.quota)
        if not line:
            said = f"PAI lists no quota {one.quota} in this region, so it lends nothing."
            return Reason(Code.QUOTA_NOT_FOUND, said, wakes="a reading that shows it")
        if one.quota in self._turn:
            return _behind(line[0], self._turn[one.quota])
        if not one.queue.waits:
            return self._passes(one, line) or self._in_turn(one, line[0])
        reason = self._passes(one, line) or self._no_room(one, line)
        if reason is not None and now - one.asked_at >= timedelta(seconds=one.queue.aging):
            self._keep(one, line)
        return reason

    def take(self, one: Reservation) -> None:
        """What it needs is no longer free, and it stands in PAI's queue."""
        self._ours[one.quota].append(one)
        self._lend(one, chain(self._quotas, one.quota))

    def _keep(self, one: Reservation, line: Iterable[Snapshot]) -> None:
        """Only who fits beside it may pass one that has waited for too long, here and in what its quota is part of."""
        for quota in line:
            self._first.setdefault(quota.id, one.launch)
        self._lend(one, line)

    def _lend(self, one: Reservation, line: Iterable[Snapshot]) -> None:
        for quota in line:
            free = self._free[quota.id]
            self._free[quota.id] = {name: number - one.need.get(name, 0) for name, number in free.items()}

    def _passes(self, one: Reservation, line: Iterable[Snapshot]) -> Reason | None:
        for quota in line:
            if quota.id in self._first and amounts.lacking(one.need, self._free[quota.id]):
                return _behind(quota, self._first[quota.id])
        return None

    def _in_turn(self, one: Reservation, quota: Snapshot) -> Reason | None:
        queued = [each for each in self._ours[quota.id] if each.quota == quota.id and _is_queued(each)]
        if len(queued) < one.queue.max_queued:
            return None
        self._turn[quota.id] = one.launch
        several = len(queued) > 1
        said = f"{len(queued)} of our launches {'are' if several else 'is'} in PAI's queue of quota {quota.full_name}, "
        said += f"and {one.queue.max_queued} may be ('max_queued'): "
        said += f"launch {queued[0].launch}{' is one of them' if several else ''}."
        return Reason(Code.WAITING_FOR_QUOTA, said, wakes="when one of them leaves PAI's queue")

    def _no_room(self, one: Reservation, line: Iterable[Snapshot]) -> Reason | None:
        for quota in line:
            free = self._free[quota.id]
            gap = amounts.lacking(one.need, free)
            unknown = [name for name, number in one.need.items() if number and name not in free]
            if unknown:
                said = f"PAI does not tell how much {' and '.join(unknown)} is free in quota {quota.full_name}."
                return Reason(Code.WAITING_FOR_QUOTA, said, wakes="a reading that tells")
            if gap:
                return _short(quota, one.need, free, gap, self._ours[quota.id])
        return None


def _is_queued(one: Reservation) -> bool:
    return one.held_at is None or one.queued  # one that was let in just now is on its way


def _free(quota: Snapshot, ours: Iterable[Reservation]) -> Amounts:
    """What nobody holds: where PAI does not tell what is allocated, all of ours count in full.

    Less than nothing is free only where PAI itself tells so: what is counted on top may be in its figures already.
    """
    has, used = amounts.held(quota, "AllocatableQuota"), amounts.held(quota, "AllocatedQuota")
    taken = amounts.total(one.need for one in ours if not used or not one.shown_in(quota))
    told = {name: number - used.get(name, 0) for name, number in has.items() if not used or name in used}
    return {name: max(number - taken[name], min(number, Decimal(0))) for name, number in told.items()}


def _behind(quota: Snapshot, first: str) -> Reason:
    said = f"Launch {first} comes before it in quota {quota.full_name}, and is not passed any more."
    return Reason(Code.WAITING_FOR_QUOTA, said, wakes="when that launch goes", facts={"behind": first})


def _short(quota: Snapshot, need: Amounts, free: Amounts, gap: Amounts, ours: Sequence[Reservation]) -> Reason:
    has, used = amounts.held(quota, "AllocatableQuota"), amounts.held(quota, "AllocatedQuota")
    in_all = amounts.total(one.need for one in ours)
    others = {name: max(number - in_all[name], Decimal(0)) for name, number in used.items()}  # surely not ours
    contended = all(number - others.get(name, 0) < need[name] for name, number in has.items() if name in gap)
    by_others = f", and others hold {amounts.written({name: others[name] for name in gap if name in others})}"
    said = (
        f"The job needs {amounts.written({name: need[name] for name in gap})}, and of quota {quota.full_name} "
        f"{amounts.written({name: max(free[name], Decimal(0)) for name in gap})} is free: "
        f"{amounts.written(gap)} too little{by_others if contended else ''}."
    )
    if over := [name for name in gap if free[name] < 0]:
        said += f" More is held than there is: {amounts.written({name: -free[name] for name in over})}."
    on_top = amounts.total(one.need for one in ours if used and not one.shown_in(quota))
    if unsure := {name: on_top[name] for name in gap if on_top[name]}:
        said += f" {amounts.written(unsure)} of ours is counted beside what PAI showed, which may contain it already."
    return Reason(
        Code.QUOTA_CONTENDED if contended else Code.WAITING_FOR_QUOTA,
        said,
        wakes="when more of the quota is free",
        facts={
            "need": amounts.written(need),
            "used": amounts.written(used),
            "limit": amounts.written(has),
            "free": amounts.written(free),
            "gap": amounts.written(gap),
        },
    )
