"""DLC as the pipeline sees it: jobs that progress with time, and that people stop and delete."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from functools import cached_property
from typing import TYPE_CHECKING

from tests.simulation.network import answered
from tests.simulation.pai_studio import asked

from junbi.core.assumptions import TAG_ATTEMPT, TAG_LAUNCH
from junbi.wire import dlc as wire

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import datetime

    from tests.simulation.network import Network
    from tests.simulation.world import World

    from junbi.clients.signing import Stamp
    from junbi.core.demand import Amounts

ENDED = frozenset({"Succeeded", "Failed", "Stopped"})


@dataclass
class KnownJob:
    """A job: what was asked for, when, and what becomes of it.

    Attributes:
        course: its statuses with how many seconds after its beginning each begins.
        failure: PAI's reason code, should it fail.
        begun_at: when it was created, or left the queue of its quota; None while it stands there.
    """

    id: str
    request: wire.CreateJobRequest
    created_at: datetime
    visible_at: datetime
    course: tuple[tuple[float, str], ...]
    failure: str = ""
    stopped_at: datetime | None = None
    deleted: bool = False
    begun_at: datetime | None = None

    def __post_init__(self) -> None:
        if not self.quota:
            self.begun_at = self.created_at

    @property
    def quota(self) -> str:
        """The quota it runs in; empty for public resources."""
        return self.request.resource_id or ""

    @cached_property
    def needs(self) -> Amounts:
        """What its pods ask of the quota."""
        return asked(self.request)

    @property
    def tags(self) -> Mapping[str, str]:
        """Its tags."""
        settings = self.request.settings
        return (settings and settings.tags) or {}

    @property
    def launch(self) -> str:
        """The launch it was made for."""
        return self.tags[TAG_LAUNCH]

    @property
    def attempt(self) -> str:
        """Which attempt of its launch it is."""
        return self.tags[TAG_ATTEMPT]

    def reason(self, now: datetime) -> str:
        """PAI's code for why it ended, where it failed."""
        return self.failure if self.status(now) == "Failed" else ""

    def status(self, now: datetime) -> str:
        """PAI's word for where it stands."""
        stops = self.stopped_at is not None and now >= self.stopped_at
        until = self.stopped_at if self.stopped_at is not None and stops else now
        if self.begun_at is None or until < self.begun_at:
            return "Stopped" if stops else "Queuing"
        age = (until - self.begun_at).total_seconds()
        status = [status for begins, status in self.course if begins <= age][-1]
        return "Stopped" if stops and status not in ENDED else status

    def queued(self, now: datetime) -> bool:
        """Whether it stands in the queue of its quota."""
        return self.begun_at is None and not self.deleted and self.status(now) == "Queuing"

    def holds(self, at: datetime) -> bool:
        """Whether it had left the queue then, and had not ended."""
        return self.begun_at is not None and self.begun_at <= at and not self.deleted and self.status(at) not in ENDED


class Dlc:
    """The jobs of one workspace, and the port's methods over them."""

    def __init__(self, world: World, network: Network) -> None:
        self._world, self._network = world, network
        self.jobs: list[KnownJob] = []

    def create_job(self, request: wire.CreateJobRequest, stamp: Stamp, *, deadline: float | None = None) -> str:
        """See ``junbi.clients.dlc.DlcClient``."""
        del deadline

        def effect() -> str:
            rng, now, visible_at = self._world.rng, self._world.time.now, self._network.visible_at()
            prepares, runs = rng.choice((1.0, 20.0)), rng.choice((30.0, 90.0))
            course = ((0.0, "Creating"), (prepares, "EnvPreparing"), (prepares * 2, "Running"))
            ends = ("Succeeded", "Failed") if self._world.has_acts else ("Succeeded", "Succeeded", "Failed")
            end = (prepares * 2 + runs, rng.choice(ends))
            failure = rng.choice(("JobFailed", "JobPreempted")) if self._world.has_acts else ""
            self.jobs.append(KnownJob(f"dlc{len(self.jobs) + 1}", request, now, visible_at, (*course, end), failure))
            return self.jobs[-1].id

        return self._network.create("CreateJob", stamp, effect)

    def get_job(self, job_id: str) -> wire.GetJobResponse:
        """See ``junbi.clients.dlc.DlcClient``."""

        def look() -> wire.GetJobResponse:
            found = next((job for job in self.jobs if job.id == job_id and not job.deleted), None)
            if found is None:
                raise answered("GetJob", 404, "JobNotFound")
            now = self._world.time.now
            return wire.GetJobResponse(job_id=job_id, status=found.status(now), reason_code=found.reason(now))

        return self._network.read("GetJob", look)

    def find_jobs(self, workspace: str, tags: Mapping[str, str], start: datetime, end: datetime) -> list[wire.JobItem]:
        """See ``junbi.clients.dlc.DlcClient``."""
        del workspace
        return self._network.read(
            "ListJobs",
            lambda: [
                self._item(job)
                for job in self._visible()
                if job.tags.items() >= tags.items() and start <= job.created_at <= end
            ],
        )

    def list_jobs_by_ids(self, workspace: str, ids: Iterable[str]) -> list[wire.JobItem]:
        """See ``junbi.clients.dlc.DlcClient``."""
        del workspace
        wanted = tuple(ids)
        return self._network.read("ListJobs", lambda: [self._item(job) for job in self._visible() if job.id in wanted])

    def list_instance_types(self) -> list[wire.EcsSpec]:
        """See ``junbi.clients.dlc.DlcClient``."""
        return self._network.read("ListEcsSpecs", lambda: [wire.EcsSpec(instance_type="ecs.g7.large")])

    def stop_job(self, job_id: str) -> None:
        """See ``junbi.clients.dlc.DlcClient``."""
        self._network.read("StopJob", lambda: self.stop(next(job for job in self.jobs if job.id == job_id)))

    def job_events(self, job_id: str, limit: int = 2000) -> list[str]:
        """See ``junbi.clients.dlc.DlcClient``."""
        del job_id, limit
        return self._network.read("GetJobEvents", list)

    def stop(self, job: KnownJob) -> None:
        """A person stops a job; nothing happens where it has ended."""
        if job.status(self._world.time.now) not in ENDED:
            job.stopped_at = self._world.time.now + timedelta(seconds=1)

    def _visible(self) -> list[KnownJob]:
        now = self._world.time.now
        return [job for job in self.jobs if job.visible_at <= now and not job.deleted]

    def _item(self, job: KnownJob) -> wire.JobItem:
        return wire.JobItem(
            job_id=job.id,
            display_name=job.request.display_name,
            status=job.status(self._world.time.now),
            reason_code=job.reason(self._world.time.now),
            settings=job.request.settings,
        )
