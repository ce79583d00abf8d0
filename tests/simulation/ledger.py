"""The real ledger on a real engine, in which a task pauses before and after whatever it asks."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from junbi.ledger.ledger import Ledger
from junbi.ledger.postgres import PostgresDatabase
from junbi.ledger.rows import from_time, to_time
from junbi.ledger.sqlite import SqliteDatabase
from junbi.ledger.worklist import LEASE

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator
    from datetime import datetime

    from tests.simulation.time import SkewedClock
    from tests.simulation.world import World

_WRITES = frozenset({"claim", "add_try", "add_generation"})

#: What changes nothing that an invariant looks at, and is done most often.
_UNSEEN = frozenset({"take_turn", "set_setting", "heard", "tell"})


class LedgerTime:
    """The ledger's clock. Asking it is asking the database: others may run before the answer."""

    def __init__(self, clock: SkewedClock, world: World) -> None:
        self._clock, self._world = clock, world

    def now(self) -> datetime:
        """The ledger's time."""
        if not self._world.database.inside:
            self._world.before_statement("clock")
        return self._clock()


class _Pausing:
    """Tasks pause before and after statements and transactions, never inside one: the ledger is theirs there."""

    def __init__(self, where: Any, world: World) -> None:
        super().__init__(where)  # type: ignore[call-arg]  # the engine stands behind it
        self._world = world
        self.inside = False
        #: Who holds a row of the worklist, by its lease, and until when.
        self.held: dict[tuple[str, str], tuple[str, str]] = {}
        #: Statements that may have changed something that must hold.
        self.changes = 0

    @contextmanager
    def transaction(self, **how: Any) -> Iterator[None]:
        """As ever, with pauses around it."""
        self._world.before_statement("begin")
        with super().transaction(**how):  # type: ignore[misc]
            self.inside = True
            try:
                yield
            finally:
                self.inside = False
        self._world.after_write("commit")

    def run(self, statement: str, /, **values: Any) -> int:
        """As ever, with pauses around it."""
        self.changes += statement not in _UNSEEN
        if self.inside:
            return super().run(statement, **values)  # type: ignore[misc,no-any-return]
        self._world.before_statement(statement)
        changed: int = super().run(statement, **values)  # type: ignore[misc]
        if statement in {"finish", "again"}:
            self._given_back(values)
        self._world.after_write(statement)
        return changed

    def rows(self, statement: str, /, **values: Any) -> list[dict[str, Any]]:
        """As ever, with pauses around it."""
        if self.inside:
            self.changes += statement in _WRITES
            return super().rows(statement, **values)  # type: ignore[misc,no-any-return]
        self._world.before_statement(statement)
        found: list[dict[str, Any]] = super().rows(statement, **values)  # type: ignore[misc]
        self.changes += bool(found) and statement in _WRITES
        if statement == "claim":
            self._claimed(found, values)
        if statement in _WRITES:
            self._world.after_write(statement)
        return found

    def table(self, name: str) -> list[dict[str, Any]]:
        """Every row of a table: a look of the simulation's own, which pauses nobody."""
        found: list[dict[str, Any]] = self._connection().execute(f"SELECT * FROM {name} ORDER BY 1, 2").fetchall()  # type: ignore[attr-defined]
        return found

    def close(self) -> None:
        """Let go of it."""
        self._connection().close()  # type: ignore[attr-defined]

    def _claimed(self, found: list[dict[str, Any]], values: dict[str, Any]) -> None:
        for row in found:
            key = (row["kind"], row["id"])
            holder = self.held.get(key)
            if holder is not None and holder[1] >= values["now"]:
                self._world.violated(f"{key} was handed to a second worker while the first one's lease ran")
            self.held[key] = (values["lease"], to_time(from_time(values["now"]) + LEASE))
            self._world.claimed()

    def _given_back(self, values: dict[str, Any]) -> None:
        key = (values["kind"], values["id"])
        if key in self.held and self.held[key][0] == values["lease"]:
            del self.held[key]


class SimulatedDatabase(_Pausing, SqliteDatabase):
    """On SQLite, whose file is as real in memory."""

    def connection(self) -> sqlite3.Connection:
        """For broken variants, which break what they like."""
        return self._connection()

    def _connect(self) -> sqlite3.Connection:
        connection = super()._connect()
        connection.execute("PRAGMA synchronous = OFF")  # no power is cut here
        return connection


class SimulatedPostgres(_Pausing, PostgresDatabase):
    """On a real PostgreSQL server. Tasks share one connection, as only one of them is ever inside a transaction."""


def new_ledger(world: World) -> Ledger:
    """The ledger as the functions have it."""
    return Ledger(world.database, LedgerTime(world.ledger_clock, world))
