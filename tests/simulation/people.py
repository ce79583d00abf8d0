"""What people do in one seed: uploads in any order, changed configurations, jobs stopped and deleted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.simulation import acting
from tests.simulation.placing import Placing
from tests.simulation.pushes import Pushes

from junbi.core.lifecycle import ACTIVE
from junbi.core.plan import Complete, DatasetSpec, Generation, JobTemplate, PlanSpec, Resource, Watch, Workers
from junbi.core.policy import Policy

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.simulation.world import World

MARKER = "_SUCCESS"

#: Seconds before anybody uploads: what is older than the first apply would be left alone.
FIRST = 30.0

#: How long people are busy, at most.
BUSY = 400.0


def dataset(name: str, newest: Any, **complete: Any) -> DatasetSpec:
    """A dataset below ``oss://data/<name>/{version}/``."""
    watch = Watch(bucket="data", root=f"{name}/", pattern=rf"{name}/(?P<version>[^/]+)/", captures=("version",))
    return DatasetSpec(name=name, watch=watch, complete=Complete(**complete), newest=newest, mount=f"/mnt/{name}")


def plan(name: str, on: tuple[str, ...], inputs: tuple[str, ...], lr: float = 0.1) -> PlanSpec:
    """A plan on a public instance type."""
    return PlanSpec(
        name=name,
        on=on,
        datasets=inputs,
        mounts={one: f"/mnt/{one}" for one in inputs},
        image="registry.example/sklearn:1",
        resource=Resource(name="cpu", public="ecs.g7.large"),
        params={"lr": lr},
        job=JobTemplate(type="PyTorchJob", workers=Workers(), command="train {digits.version} {launch}"),
    )


class People:
    """Decides what people do, and does it when its time has come."""

    def __init__(self, world: World) -> None:
        self._world = world
        rng = world.rng
        names = ("digits", "labels") if rng.random() < 0.4 else ("digits",)
        self.datasets = {name: self._dataset(name) for name in names}
        self._policy = acting.policy(rng) if world.has_acts else Policy()
        self.acting = acting.Acting(world, (FIRST, BUSY))
        self.pushes, self.placing = Pushes(world, (FIRST, BUSY)), Placing(world, (FIRST, BUSY))
        self.plans = {"train": self._plan("train", ("digits",), ("digits",))}
        if len(names) > 1:
            on = rng.choice((("digits", "labels"), ("digits",)))
            self.plans["both"] = self._plan("both", on, ("digits", "labels"))
        if world.has_quotas:
            self.plans["wide"] = self._plan("wide", ("digits",), ("digits",))
        self._versions = ("v1", "v2", "v3", "v4") if world.has_acts or world.has_quotas else ("v1", "v2")
        #: How often somebody will still change a prefix while it is listed: for ever would leave nothing to judge.
        self._meddlings = 3
        #: What somebody changed or removed in the configuration: of it less can be expected.
        self.touched: set[str] = set()

    @property
    def overlaps(self) -> bool:
        """Whether runs of one plan may be under way at the same time."""
        return self._policy.overlap == "allow"

    def generation(self) -> Generation:
        """What junbi.yaml says now."""
        away = self.pushes.away
        return Generation(
            deployment="vision",
            environment="test",
            region="cn-hangzhou",
            workspace="104231",
            datasets=self.datasets,
            plans={name: one for name, one in self.plans.items() if not (away and (one.code or one.image_line))},
            code={} if away else self.pushes.code,
            images={} if away else self.pushes.images,
        )

    def plan_ahead(self) -> None:
        """Decide everything that people will do in this seed."""
        rng = self._world.rng
        uploads = rng.choice((2, 3, 4)) if self._world.has_acts or self._world.has_quotas else rng.choice((1, 1, 2, 3))
        for _ in range(uploads):
            self._upload(rng.uniform(FIRST, BUSY))
        if rng.random() < 0.3:
            self._at(rng.uniform(FIRST, BUSY), self._late_file)
        if rng.random() < 0.3:
            self._at(rng.uniform(FIRST, BUSY), self._delete)
        if rng.random() < 0.3:
            self._at(rng.uniform(60.0, BUSY), self._stop)
        if rng.random() < 0.2:
            self._at(rng.uniform(60.0, BUSY), self._delete_job)
        if rng.random() < 0.4:
            self._configure(rng.uniform(0.0, BUSY))
        if self._world.has_acts:
            self.acting.plan_ahead()
        self.pushes.plan_ahead()
        self.placing.plan_ahead()

    def _plan(self, name: str, on: tuple[str, ...], inputs: tuple[str, ...], lr: float = 0.1) -> PlanSpec:
        made = plan(name, on, inputs, lr).model_copy(update={"policy": self._policy})
        made = self.placing.placed(made)
        return self.pushes.joined(made) if name == "train" else made

    def _dataset(self, name: str) -> DatasetSpec:
        rng = self._world.rng
        newest = rng.choice(("time", "version"))
        kind = rng.choice(("marker", "marker", "count", "quiet", *(["call"] if self._world.has_acts else ())))
        max_wait = rng.choice((None, None, 120.0))
        complete = {"marker": {"marker": MARKER}, "count": {"count": 2}, "quiet": {"quiet": 20.0}}
        complete["call"] = {"call": True}
        return dataset(name, newest, **complete[kind], max_wait=max_wait)

    def _at(self, seconds: float, action: Callable[[], None]) -> None:
        self._world.later(seconds, action.__name__.strip("_"), action)

    def _upload(self, start: float) -> None:
        rng = self._world.rng
        name, version = rng.choice(list(self.datasets)), rng.choice(self._versions)
        keys = [f"{name}/{version}/part-{number}" for number in range(rng.choice((1, 2, 3)))]
        if self.datasets[name].complete.marker:
            keys.append(f"{name}/{version}/{MARKER}")
        order = rng.random()
        if order < 0.15:
            rng.shuffle(keys)
        gap = rng.choice((0.0, 0.2, 1.5, 10.0))
        text = rng.choice("abc")
        for number, key in enumerate(keys):
            content = "" if key.endswith(MARKER) else f"{text}{number}"
            self._put_at(start + number * gap, key, content)
        if order < 0.15:
            self._put_at(start + 60.0, keys[0], "again")
        if self.datasets[name].complete.call:
            prefix, at = f"{name}/{version}/", start + len(keys) * gap + rng.choice((1.0, 90.0))
            self._world.later(at, f"call {prefix}", lambda: self.acting.call(prefix))

    def _put_at(self, seconds: float, key: str, content: str) -> None:
        self._world.later(seconds, f"put {key} {content}", lambda: self._world.put(key, content))

    def _somewhere(self) -> str:
        rng = self._world.rng
        return f"{rng.choice(list(self.datasets))}/{rng.choice(('v1', 'v2'))}/part-{rng.choice((0, 1, 7))}"

    def _late_file(self) -> None:
        self._world.put(self._somewhere(), "late")

    def _delete(self) -> None:
        self._world.delete(self._somewhere())

    def meddle(self, prefix: str) -> None:
        """Somebody changes a prefix just while it is listed."""
        if self._meddlings == 0:
            return
        self._meddlings -= 1
        rng = self._world.rng
        complete = self.datasets[prefix.split("/", maxsplit=1)[0]].complete
        self._world.put(prefix + rng.choice(("part-0", "part-1", "part-7")), rng.choice("xyz"))
        if complete.marker and rng.random() < 0.5:
            self._world.put(prefix + complete.marker, "")

    def _stop(self) -> None:
        jobs = self._world.dlc.jobs
        if jobs:
            self._world.dlc.stop(self._world.rng.choice(jobs))

    def _delete_job(self) -> None:
        # A person sees a job in our console; one deleted before we know of it is beyond any protocol.
        known = {one["job_id"] for one in self._world.table("launch") if one["state"] in ACTIVE}
        jobs = [job for job in self._world.dlc.jobs if job.id in known]
        if jobs:
            self._world.rng.choice(jobs).deleted = True

    def _configure(self, seconds: float) -> None:
        action = self._world.rng.choice((self._remove_plan, self._change_plan, self._add_plan, self._tag))
        self._at(seconds, action)

    def _remove_plan(self) -> None:
        gone = self.plans.pop("train")
        self.touched.add("train")
        self._apply()
        if self._world.rng.random() < 0.5:
            self._at(60.0, lambda: self._put_back(gone))

    def _put_back(self, gone: PlanSpec) -> None:
        self.plans["train"] = gone
        self._apply()

    def _change_plan(self) -> None:
        self.plans["train"] = self._plan("train", ("digits",), ("digits",), lr=0.2)
        self.touched.add("train")
        self._apply()

    def _add_plan(self) -> None:
        self.plans["more"] = self._plan("more", ("digits",), ("digits",))
        self.touched.add("more")
        self._apply()

    def _tag(self) -> None:
        self.plans["train"] = self.plans["train"].model_copy(update={"tags": {"cost": "1"}})
        self.touched.add("train")
        self._apply()

    def _apply(self) -> None:
        self._world.apply(self.generation())
