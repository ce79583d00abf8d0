"""Where the plans of some seeds run: in quotas, which shrink, are detached, and fill with others' jobs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.simulation.pai_studio import KnownQuota, amounts

from junbi.core.plan import Fallback, Queue, Resource, Workers

if TYPE_CHECKING:
    from tests.simulation.world import World

    from junbi.core.plan import PlanSpec

#: CPUs of a quota that is nested, and of the one above, which cannot serve two that are full.
NESTED, WHOLE = 16, 24

_PUBLIC = Resource(name="cpu", public="ecs.g7.large")


def has_quotas(seed: int) -> bool:
    """Whether a seed's plans run in quotas: one in sixteen, half of them with policies, as each takes twice as long."""
    return seed % 32 in {2, 27}


def workers(cpu: int, gpu: int = 0, count: int = 1) -> Workers:
    """Pods that ask for so much of a quota each."""
    return Workers(count=count, cpu=cpu, memory=f"{cpu * 4}Gi", gpu=gpu)


def choices(spec: dict[str, Any]) -> list[dict[str, Any]]:
    """What a launch of a plan may be submitted as: the plan, or the plan on one of its fallbacks."""
    found, rest = [spec], spec["queue"]["fallback"]
    for number, one in enumerate(rest, 1):
        job, queue = spec["job"] | {"workers": one["workers"]}, spec["queue"] | {"fallback": rest[number:]}
        found.append(spec | {"resource": one["resource"], "job": job, "queue": queue})
    return found


class Placing:
    """Decides on the quotas of a seed, and what becomes of them."""

    def __init__(self, world: World, busy: tuple[float, float]) -> None:
        self._world, self._busy = world, busy
        if not world.has_quotas:
            return
        rng, quotas = world.rng, world.pai.quotas
        if rng.random() < 0.6:
            quotas["root"] = KnownQuota("root", amounts(WHOLE, 2))
        for name in ("left", "right"):
            quotas[name] = KnownQuota(name, amounts(NESTED, 2), parent="root" if "root" in quotas else "")
        if rng.random() < 0.3:
            for one in world.pai.above(rng.choice(("left", "right"))):
                one.shared = True

    def placed(self, plan: PlanSpec) -> PlanSpec:
        """A plan as it is in this seed."""
        if not self._world.has_quotas:
            return plan
        rng = self._world.rng
        quota = rng.choice(("left", "left", "right"))
        pods = rng.choice((workers(4, count=2), workers(8), workers(8, gpu=1), workers(12), workers(16, gpu=2)))
        return plan.model_copy(
            update={
                "resource": Resource(name=quota, quota=quota),
                "queue": self._queue(quota),
                "job": plan.job.model_copy(update={"workers": pods}),
                "policy": plan.policy.model_copy(update={"priority": rng.choice((None, None, 5))}),
            }
        )

    def plan_ahead(self) -> None:
        """Decide everything that happens to the quotas in this seed."""
        if not self._world.has_quotas:
            return
        rng, pai = self._world.rng, self._world.pai
        for one in [each for each in pai.quotas.values() if each.shared and each.id != "root"]:
            for _ in range(rng.choice((1, 3, 6))):
                needs, lasts = amounts(rng.choice((4, 8, 16))), rng.choice((40.0, 200.0, 700.0))
                come = self._comer(one.id, needs, lasts)
                self._world.later(rng.uniform(*self._busy) * 2, f"others come to {one.id}", come)
        for action, likely in ((self._shrink, 0.15), (self._detach, 0.15)):
            if rng.random() < likely:
                self._world.later(rng.uniform(*self._busy) * 1.5, action.__name__.strip("_"), action)

    def _comer(self, quota: str, needs: Any, lasts: float) -> Any:
        return lambda: self._world.pai.come(quota, needs, lasts)

    def _queue(self, quota: str) -> Queue:
        rng = self._world.rng
        waits, most = rng.random() < 0.6, rng.choice((1, 1, 2))
        known = self._world.pai.quotas[quota]
        known.max_queued = max(known.max_queued, 0 if waits else most)
        rest = [Fallback(resource=_PUBLIC, after=rng.choice((60.0, 400.0)), workers=Workers())]
        return Queue(
            waits=waits,
            max_queued=most,
            aging=rng.choice((120.0, 3600.0)),
            fallback=tuple(rest) if rng.random() < 0.25 else (),
        )

    def _shrink(self) -> None:
        one = self._any()
        before, one.has, one.shrank = one.has, amounts(8, 1), True

        def grow() -> None:
            one.has = before

        self._world.later(self._world.rng.choice((60.0, 500.0)), f"{one.id} grows again", grow)

    def _detach(self) -> None:
        one = self._any()
        one.attached = False

        def attach() -> None:
            one.attached = True

        self._world.later(self._world.rng.choice((60.0, 500.0)), f"{one.id} is attached again", attach)

    def _any(self) -> KnownQuota:
        return self._world.rng.choice(list(self._world.pai.quotas.values()))
