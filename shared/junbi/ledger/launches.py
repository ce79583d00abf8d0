"""Launches: one row for each intended job."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from junbi.core import lifecycle
from junbi.core.facts import LaunchState
from junbi.errors import LedgerError, Stale
from junbi.ledger import rows

if TYPE_CHECKING:
    from collections.abc import Iterable

    from junbi.core.facts import Launch
    from junbi.ledger.database import Database


#: A launch in one of these has no job and asks for none, whatever way led it there.
_HOLDS_NOTHING = lifecycle.FINAL | {LaunchState.REFUSED}


class Launches:
    """Stores launches."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def get(self, launch_id: str) -> Launch | None:
        """A launch by its id."""
        row = self._database.row("launch", id=launch_id)
        return rows.launch(row) if row else None

    def newest(self, most: int = 100) -> list[Launch]:
        """The launches made last."""
        return [rows.launch(row) for row in self._database.rows("launches", most=most)]

    def standing(self, states: Iterable[LaunchState]) -> list[Launch]:
        """The launches in any of these states, oldest first."""
        names = rows.to_json([state.value for state in states])
        return [rows.launch(row) for row in self._database.rows("launches_in", states=names)]

    def pinning(self, revision_id: str) -> list[Launch]:
        """The launches that train on a revision."""
        return [rows.launch(row) for row in self._database.rows("launches_pinning", revision=revision_id)]

    def with_identity(self, identity: str) -> Launch | None:
        """The latest launch of an identity."""
        row = self._database.row("launch_by_identity", identity=identity)
        return rows.launch(row) if row else None

    def with_trigger(self, trigger: str) -> Launch | None:
        """The latest launch of a plan for the same revisions, whatever its parameters."""
        row = self._database.row("launch_by_trigger", trigger_key=trigger)
        return rows.launch(row) if row else None

    def of_plan(self, plan: str, states: Iterable[LaunchState], most: int = 100) -> list[Launch]:
        """The launches of a plan in any of these states, oldest first."""
        found = [
            rows.launch(row)
            for state in states
            for row in self._database.rows("launches_of_plan", plan=plan, state=state.value, most=most)
        ]
        return sorted(found, key=lambda one: (one.created_at, one.id))[:most]

    def with_input(self, plan: str, name: str, revision_id: str) -> Launch | None:
        """The last launch of a plan that trains on a revision under the name of an input."""
        row = self._database.row("launched_with", plan=plan, input=name, revision=revision_id)
        return rows.launch(row) if row else None

    def add(self, launch: Launch) -> bool:
        """Store a launch; False where one of the same identity and rerun is there."""
        if self._database.run("add_launch", **rows.launch_columns(launch)) != 1:
            return False
        for name, revision in launch.pins.items():
            self._database.run("add_pin", revision=revision, launch=launch.id, input=name)
        return True

    def save(self, launch: Launch) -> None:
        """Save a changed launch. Stale where another worker was faster; LedgerError for a move that does not exist."""
        columns = rows.launch_columns(launch)
        if self._database.run("save_launch", **columns, before=_before(launch.state)) != 1:
            raise self._not_saved(launch)
        if launch.state in _HOLDS_NOTHING or launch.spec.resource.quota or launch.spec.queue.fallback:
            self._move_in_quota(launch, columns["updated_at"])  # the end frees also what an earlier spec asked for

    def _move_in_quota(self, launch: Launch, now: str) -> None:
        """Wake who waits behind a launch that moved on, and free what it holds when it needs it no more."""
        moved, over = int(launch.state is not LaunchState.WAITING), int(launch.state in _HOLDS_NOTHING)
        self._database.run("wake_quota", launch=launch.id, attempt=launch.attempt, moved=moved, due_at=now)
        self._database.run("free_reservation", launch=launch.id, attempt=launch.attempt, over=over)

    def _not_saved(self, launch: Launch) -> LedgerError:
        row = self._database.row("launch", id=launch.id)
        if row is None or row["row"] != launch.row:
            return Stale(f"launch {launch.id} was changed meanwhile")
        return LedgerError(
            f"launch {launch.id} is {row['state']} and cannot become {launch.state}: it stays as it is. "
            f"That is a fault of junbi; report it with what 'junbi launches {launch.id}' shows"
        )


@cache
def _before(state: LaunchState) -> str:
    """The states in which a launch may stand before it is saved in this one."""
    return rows.to_json([old.value for old in LaunchState if old is state or lifecycle.may_move(old, state)])
