"""PaiStudio as the pipeline sees it: quotas with what jobs hold of them, and the queues before them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from typing import TYPE_CHECKING

from junbi.core.amounts import amount
from junbi.core.assumptions import QUOTA_LAG
from junbi.wire import quotas as wire

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from tests.simulation.dlc import KnownJob
    from tests.simulation.network import Network
    from tests.simulation.world import World

    from junbi.core.demand import Amounts
    from junbi.wire.dlc import CreateJobRequest

#: How many seconds a reading may be behind what jobs hold; all that is assumed of it, at most.
LAGS = (1.0, 20.0, 59.0, QUOTA_LAG.total_seconds())


def amounts(cpu: int, gpu: int = 0) -> Amounts:
    """So many CPUs with four gibibytes of memory each, and so many GPUs."""
    return {"CPU": Decimal(cpu), "Memory": Decimal(cpu * 4 * 1024**3), "GPU": Decimal(gpu)}


def asked(request: CreateJobRequest) -> Amounts:
    """What all pods of a job ask for."""
    sums = amounts(0)
    for spec in request.job_specs or ():
        config = spec.resource_config
        if config is not None:
            each = {"CPU": amount(config.cpu), "Memory": amount(config.memory), "GPU": amount(config.gpu)}
            sums = {name: number + (each[name] or 0) * (spec.pod_count or 1) for name, number in sums.items()}
    return sums


@dataclass
class KnownQuota:
    """A quota.

    Attributes:
        shared: others run jobs in it or below it.
        shrank: it was made smaller at some time.
        max_queued: the largest of the plans that ever ran in it.
    """

    id: str
    has: Amounts
    parent: str = ""
    shared: bool = False
    shrank: bool = False
    attached: bool = True
    max_queued: int = 0


@dataclass(frozen=True)
class Others:
    """Somebody else's job."""

    quota: str
    needs: Amounts
    begins: datetime
    ends: datetime

    def holds(self, at: datetime) -> bool:
        """Whether it ran then."""
        return self.begins <= at < self.ends


class PaiStudio:
    """The quotas of the region, and the port's methods over them."""

    def __init__(self, world: World, network: Network) -> None:
        self._world, self._network = world, network
        self.quotas: dict[str, KnownQuota] = {}
        self._others: list[Others] = []

    def list_quotas(self, kind: str) -> list[wire.Quota]:
        """See ``junbi.clients.quota.QuotaClient``."""
        # Of the other kinds there are none; that they are read as well costs time, and no fault of it is new.
        return self._network.read("ListQuotas", self._listed) if kind == "ECS" else []

    def above(self, quota: str) -> list[KnownQuota]:
        """A quota and those it is nested in, itself first."""
        own = self.quotas[quota]
        return [own, *(self.above(own.parent) if own.parent else [])]

    def dequeue(self) -> None:
        """Let out of the queues whom there is room for: the higher priority first, then who came first."""
        now = self._world.time.now
        waiting = [job for job in self._jobs() if job.queued(now)]
        if not waiting:
            return
        free = {quota: self._free(quota, now) for quota in self.quotas}
        for job in sorted(waiting, key=lambda one: (-(one.request.priority or 1), one.created_at)):
            above = [one.id for one in self.above(job.quota)]
            if all(free[each][name] >= number for each in above for name, number in job.needs.items()):
                job.begun_at = now
                free |= {each: minus(free[each], job.needs) for each in above}

    def come(self, quota: str, needs: Amounts, seconds: float) -> None:
        """Somebody else starts a job, if there is room for it."""
        now = self._world.time.now
        if all(self._free(each.id, now)[name] >= needs[name] for each in self.above(quota) for name in needs):
            self._others.append(Others(quota, needs, now, now + timedelta(seconds=seconds)))

    def _jobs(self) -> list[KnownJob]:
        return [job for job in self._world.dlc.jobs if job.quota]

    def _free(self, quota: str, at: datetime) -> Amounts:
        return minus(self.quotas[quota].has, self._held(quota, at))

    def _held(self, quota: str, at: datetime) -> Amounts:
        """What ran in a quota or below it then."""
        running = [one for one in (*self._jobs(), *self._others) if one.holds(at)]
        return total(one.needs for one in running if any(each.id == quota for each in self.above(one.quota)))

    def _listed(self) -> list[wire.Quota]:
        return [self._shown(one) for one in self.quotas.values()]

    def _shown(self, quota: KnownQuota) -> wire.Quota:
        lag = self._world.rng.choice(LAGS) if self._world.chance("lag") else 0.0
        held = self._held(quota.id, self._world.time.now - timedelta(seconds=lag))
        return wire.Quota(
            quota_id=quota.id,
            quota_name=quota.id,
            parent_quota_id=quota.parent,
            resource_type="ECS",
            status="Ready",
            workspaces=[wire.WorkspaceIdName(workspace_id="104231")] if quota.attached else [],
            quota_details=wire.QuotaDetails(allocatable_quota=_told(quota.has), allocated_quota=_told(held)),
        )


def total(parts: Iterable[Amounts]) -> Amounts:
    """Their sum."""
    sums = amounts(0)
    for part in parts:
        sums = {name: number + part[name] for name, number in sums.items()}
    return sums


def minus(one: Amounts, other: Amounts) -> Amounts:
    """What is left."""
    return {name: number - other[name] for name, number in one.items()}


def _told(told: Amounts) -> wire.ResourceAmount:
    return wire.ResourceAmount(cpu=str(told["CPU"]), memory=str(told["Memory"]), gpu=str(told["GPU"]))
