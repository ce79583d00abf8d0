"""junbi with one protection taken away each, as far as it lies in what the ledger keeps."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from tests.simulation.house import House
from tests.simulation.ledger import SimulatedDatabase

from junbi.core.facts import ArrivalState
from junbi.ledger.arrivals import Arrivals
from junbi.ledger.revisions import Revisions
from junbi.ledger.tries import Tries
from junbi.ledger.worklist import Worklist

if TYPE_CHECKING:
    from datetime import datetime
    from pathlib import Path

    from tests.simulation.world import World

    from junbi.core.facts import Arrival, Registration
    from junbi.ledger.ledger import Ledger
    from junbi.ledger.worklist import Item


class WithPart(House):
    """A house whose ledger has one part of another kind."""

    name: str
    part: type

    def ledger(self, world: World) -> Ledger:
        """The ledger, that part replaced."""
        ledger = super().ledger(world)
        made = self.part(world.database)
        made.world = world
        setattr(ledger, self.name, made)
        return ledger


class _Unversioned(SimulatedDatabase):
    _TABLES = {"save_arrival": ("arrival", "key"), "save_launch": ("launch", "id")} | {
        "save_registration": ("registration", "revision")
    }

    def run(self, statement: str, /, **values: Any) -> int:
        if statement in self._TABLES:
            table, key = self._TABLES[statement]
            found = self.connection().execute(f"SELECT row FROM {table} WHERE {key} = ?", (values[key],)).fetchone()
            values["row"] = found["row"] if found else values["row"]
        return super().run(statement, **values)


class NoVersions(House):
    """Decisions are saved whatever happened to the row since it was read."""

    themes = ("pausing",)

    def database(self, path: Path, world: World) -> SimulatedDatabase:
        """An engine that saves under no version."""
        return _Unversioned(path, world)


class _NoLease(Worklist):
    def claim(self, now: datetime, most: int = 10) -> list[Item]:
        items = super().claim(now, most)
        for item in items:
            self._database.connection().execute(  # type: ignore[attr-defined]
                "UPDATE work SET leased_until = '' WHERE kind = ? AND id = ?", (item.kind, item.id)
            )
        return items


class NoLease(WithPart):
    """What a worker looks at is free for all others."""

    name, part = "worklist", _NoLease


class _Undirtied(Arrivals):
    def save(self, arrival: Arrival) -> None:
        if not (arrival.state is ArrivalState.CLOSING and arrival.dirty):
            super().save(arrival)


class DirtyIgnored(WithPart):
    """An event that comes while the prefix is listed is skipped, as if the arrival were open and fresh."""

    themes = ("listing",)
    name, part = "arrivals", _Undirtied


class _ClosingInMemory(Arrivals):
    def __init__(self, database: Any) -> None:
        super().__init__(database)
        self._row: dict[Any, int] = {}

    def save(self, arrival: Arrival) -> None:
        task = self.world.tasks.current  # type: ignore[attr-defined]
        if task is not None and task.name.startswith("reconcile"):
            if arrival.state is ArrivalState.CLOSING and not arrival.dirty:
                task.memory["closing"] = arrival.row + 1
                return
            if task.memory.pop("closing", None) == arrival.row:
                arrival = replace(arrival, row=arrival.row - 1)
        super().save(arrival)


class ClosingNotCommitted(WithPart):
    """The first page is listed before 'closing' is in the ledger, so events go on being skipped."""

    themes = ("listing",)
    name, part = "arrivals", _ClosingInMemory


class _AnyOrder(Revisions):
    def registration(self, revision_id: str) -> Registration:
        task = self.world.tasks.current  # type: ignore[attr-defined]
        if task is not None:
            task.memory["asked"] = revision_id
        return super().registration(revision_id)

    def registering(self, dataset: str) -> str:
        task = self.world.tasks.current  # type: ignore[attr-defined]
        before = super().registering(dataset)
        return task.memory.get("asked", before) if task is not None else before


class Unserialised(WithPart):
    """Two revisions of one new dataset are registered at the same time."""

    themes = ("settling",)
    name, part = "revisions", _AnyOrder


class _Silent(Tries):
    def answer(self, number: int, outcome: str, detail: str) -> None:
        pass


class AnswerNotRecorded(WithPart):
    """The answer of a create is acted upon and not written down first."""

    name, part = "tries", _Silent


class _ForgetsAsked(Worklist):
    def finish(self, item: Item, now: datetime) -> None:
        del now
        found = (
            self._database.connection()
            .execute(  # type: ignore[attr-defined]
                "SELECT asked FROM work WHERE kind = ? AND id = ?", (item.kind, item.id)
            )
            .fetchone()
        )
        asked = found["asked"] if found else item.asked
        self._database.run("finish", kind=item.kind, id=item.id, lease=item.lease, asked=asked)


class WakeLost(WithPart):
    """A look that ends takes the calls for another one with it."""

    themes = ("listing",)
    name, part = "worklist", _ForgetsAsked


class _Forgetful(Worklist):
    def again(self, item: Item, due_at: datetime, failures: int = 0, problem: str = "") -> None:
        del due_at, failures, problem
        self._database.run("finish", kind=item.kind, id=item.id, lease=item.lease, asked=item.asked)


class DeadlinesInMemory(WithPart):
    """When to look again is kept by the worker."""

    name, part = "worklist", _Forgetful


class _BackDated(Tries):
    def add(self, *, now: datetime, **more: Any) -> int:
        return super().add(now=now - timedelta(minutes=3), **more)


class StoredTooEarly(WithPart):
    """A try's time is not that of its signature but of the beginning of the look, minutes before."""

    themes = ("settling",)
    name, part = "tries", _BackDated


#: Every variant of this kind.
VARIANTS: tuple[type[House], ...] = (
    NoVersions,
    NoLease,
    DirtyIgnored,
    ClosingNotCommitted,
    Unserialised,
    AnswerNotRecorded,
    WakeLost,
    DeadlinesInMemory,
    StoredTooEarly,
)
