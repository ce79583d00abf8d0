"""Workers with one protection taken away each: what the history checker must be able to find."""

from __future__ import annotations

import uuid
from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from junbi.core.assumptions import Settling
from junbi.core.facts import LaunchState
from junbi.errors import NotDone, OutcomeUnknown
from junbi.ledger.launches import Launches
from junbi.ledger.ledger import Ledger
from junbi.ledger.postgres import PostgresDatabase
from junbi.ledger.rows import to_time
from junbi.ledger.worklist import Item, Worklist
from junbi.pipeline.wiring import Ports

if TYPE_CHECKING:
    from datetime import datetime

    from junbi.clients.signing import Stamp
    from junbi.core.facts import Launch
    from junbi.ledger.clock import Clock
    from junbi.pipeline.invocation import Invocation


class Sound:
    """junbi as it is."""

    def ledger(self, url: str, clock: Clock) -> Ledger:
        """The ledger of a worker."""
        return Ledger(PostgresDatabase(url), clock)

    def ports(self, invocation: Invocation, ledger: Ledger) -> Ports:
        """The ports of one tick."""
        return Ports(invocation, ledger)


class _Unversioned(PostgresDatabase):
    _READ = {"save_arrival": ("arrival", "key"), "save_launch": ("launch", "id")} | {
        "save_registration": ("registration", "revision")
    }

    def run(self, statement: str, /, **values: Any) -> int:
        if statement in self._READ:
            name, key = self._READ[statement]
            found = self.row(name, **{key: values[key]})
            values["row"] = found["row"] if found else values["row"]
        return super().run(statement, **values)


class _Unleased(Worklist):
    def claim(self, now: datetime, most: int = 10) -> list[Item]:
        lease, until = uuid.uuid4().hex, to_time(now - timedelta(seconds=1))
        found = self._database.rows(
            "claim", lease=lease, until=until, now=to_time(now), most=most, seldom=to_time(now), patience=9, died=""
        )
        return [Item(row["kind"], row["id"], row["asked"], row["failures"], lease) for row in found]


class NothingHeld(Sound):
    """Leases are ignored, and so are the row versions that decisions were made upon."""

    def ledger(self, url: str, clock: Clock) -> Ledger:
        """A ledger without either."""
        database = _Unversioned(url)
        ledger = Ledger(database, clock)
        ledger.worklist = _Unleased(database)
        return ledger


class NoVersions(Sound):
    """Decisions are saved whatever happened to the row since it was read."""

    def ledger(self, url: str, clock: Clock) -> Ledger:
        """A ledger that saves under no version."""
        return Ledger(_Unversioned(url), clock)


class NoSettling(Sound):
    """What is not in the listing at once was never created."""

    def ports(self, invocation: Invocation, ledger: Ledger) -> Ports:
        """Ports that wait for nothing."""
        return Ports(invocation, ledger, Settling(timedelta(0), timedelta(0), timedelta(0)))


class _SendsAgain:
    def __init__(self, dlc: Any) -> None:
        self._dlc = dlc

    def __getattr__(self, name: str) -> Any:
        return getattr(self._dlc, name)

    def create_job(self, request: Any, stamp: Stamp) -> str:
        try:
            return str(self._dlc.create_job(request, stamp))
        except OutcomeUnknown as error:
            raise NotDone(error.operation, error.code, error.message) from error


class BlindRetry(Sound):
    """An unknown outcome is taken for 'not done'."""

    def ports(self, invocation: Invocation, ledger: Ledger) -> Ports:
        """Ports that believe so."""
        ports = Ports(invocation, ledger)
        ports.dlc = _SendsAgain(ports.dlc)  # type: ignore[assignment]
        return ports


class _Forgetful(Launches):
    def get(self, launch_id: str) -> Launch | None:
        launch = super().get(launch_id)
        lost = launch is not None and launch.state is LaunchState.SUBMITTING
        return replace(launch, state=LaunchState.WAITING) if launch and lost else launch


class TriesForgotten(Sound):
    """What a worker was submitting when it was killed is submitted anew."""

    def ledger(self, url: str, clock: Clock) -> Ledger:
        """A ledger that says so."""
        database = PostgresDatabase(url)
        ledger = Ledger(database, clock)
        ledger.launches = _Forgetful(database)
        return ledger


#: By name; the first is the real one.
VARIANTS: dict[str, type[Sound]] = {
    one.__name__: one for one in (Sound, NothingHeld, NoVersions, NoSettling, BlindRetry, TriesForgotten)
}
