"""junbi with one protection taken away each, as far as it lies in how PAI and OSS are asked."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any

from tests.simulation.house import House

from junbi.clients.signing import Stamp
from junbi.core.assumptions import TAG_DEPLOYMENT, Settling
from junbi.errors import NotDone, OutcomeUnknown, Refused

if TYPE_CHECKING:
    from datetime import datetime

    from tests.simulation.time import SkewedClock
    from tests.simulation.world import World

    from junbi.pipeline.wiring import Ports
    from junbi.wire.dlc import JobItem


class Port:
    """A port of which one or two methods are replaced."""

    def __init__(self, port: Any, world: World) -> None:
        self._port, self._world = port, world

    def __getattr__(self, name: str) -> Any:
        return getattr(self._port, name)


class WithPort(House):
    """A house one of whose ports is of another kind."""

    name: str
    port: type[Port]

    def ports(self, world: World, own_clock: SkewedClock) -> Ports:
        """The ports, that one replaced."""
        ports = super().ports(world, own_clock)
        setattr(ports, self.name, self.port(getattr(ports, self.name), world))
        return ports


class _SendsAgain(Port):
    def create_job(self, request: Any, stamp: Stamp) -> str:
        try:
            return str(self._port.create_job(request, stamp))
        except OutcomeUnknown as error:
            raise NotDone(error.operation, error.code, error.message) from error


class BlindRetry(WithPort):
    """An unknown outcome is taken for 'not done': the job is submitted again with a new nonce."""

    themes = ("settling",)
    name, port = "dlc", _SendsAgain


class _SignsAgain(Port):
    def create_job(self, request: Any, stamp: Stamp) -> str:
        del stamp
        self._world.before_call("CreateJob")
        return str(self._port.create_job(request, Stamp.fresh(self._world.instances[0]())))


class SignedAtSending(WithPort):
    """A request is signed when it is sent, and not with the stored nonce and date."""

    themes = ("pausing",)
    name, port = "dlc", _SignsAgain


class NoSettling(House):
    """What is not in the listing at once was never created."""

    themes = ("settling",)
    settling = Settling(timedelta(0), timedelta(0), timedelta(0))


class SettlesTooSoon(House):
    """Settling forgets that listings lag and clocks are skewed."""

    themes = ("settling",)
    settling = Settling(skew=timedelta(0), list_lag=timedelta(0))


class _FindsByName(Port):
    def find_jobs(self, workspace: str, tags: dict[str, str], start: datetime, end: datetime) -> list[JobItem]:
        return list(self._port.find_jobs(workspace, {TAG_DEPLOYMENT: tags[TAG_DEPLOYMENT]}, start, end))


class AdoptedByName(WithPort):
    """A job is taken for a launch's own because it looks like one of ours."""

    themes = ("settling",)
    name, port = "dlc", _FindsByName


class _ListsOnce(Port):
    """Gives each task one real listing of a prefix, and the same again whenever it asks."""

    def list_page(self, bucket: str, prefix: str, after: str | None = None, **more: Any) -> Any:
        if more:
            return self._port.list_page(bucket, prefix, after, **more)
        pages = vars(self._world).setdefault("pages", {})
        if (prefix, after) not in pages:
            pages[prefix, after] = self._port.list_page(bucket, prefix, after)
        return pages[prefix, after]


class NotProved(House):
    """A launch is submitted without listing its datasets once more."""

    def ports(self, world: World, own_clock: SkewedClock) -> Ports:
        """Ports whose listings for launches come from memory."""
        ports = super().ports(world, own_clock)
        ports.objects = _ListsOnce(ports.objects, world)  # type: ignore[misc, assignment]
        return ports


class _AbsenceIsGone(Port):
    def get_job(self, job_id: str) -> Any:
        raise Refused("GetJob", "JobNotFound", f"{job_id} is not in the listing", status=404)


class AbsenceIsGone(WithPort):
    """A job that is missing in one listing is taken for deleted."""

    name, port = "dlc", _AbsenceIsGone


class _StaleListing(Port):
    def find_jobs(self, workspace: str, tags: dict[str, str], start: datetime, end: datetime) -> list[JobItem]:
        known = vars(self._world).setdefault("known", {})
        key = tuple(tags.values())
        before = known.get(key, [])
        known[key] = list(self._port.find_jobs(workspace, tags, start, end))
        return before


class OldListing(WithPort):
    """Absence is judged by a listing that was made a look ago."""

    themes = ("settling",)
    name, port = "dlc", _StaleListing


#: Every variant of this kind.
VARIANTS: tuple[type[House], ...] = (
    BlindRetry,
    SignedAtSending,
    NoSettling,
    SettlesTooSoon,
    AdoptedByName,
    NotProved,
    AbsenceIsGone,
    OldListing,
)
