"""What policies remember: the attempts of launches, frozen plans, and what came while a plan settles."""

from __future__ import annotations

from typing import TYPE_CHECKING

from junbi.core.facts import Attempt, Freeze
from junbi.ledger.rows import from_time, to_time

if TYPE_CHECKING:
    from datetime import datetime
    from typing import Any

    from junbi.core.facts import Launch
    from junbi.ledger.database import Database


class Policies:
    """Stores attempts, freezes, and the revisions that wait for a plan's deadline."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def begin_attempt(self, launch: Launch, now: datetime) -> None:
        """The present attempt of a launch is being submitted; only its first try counts."""
        self._database.run("add_attempt", launch=launch.id, number=launch.attempt, plan=launch.plan, now=to_time(now))

    def save_attempt(self, launch: Launch) -> None:
        """Keep the job of the present attempt and its status, for when the launch has another."""
        self._database.run(
            "save_attempt",
            launch=launch.id,
            number=launch.attempt,
            job_id=launch.job_id,
            job_status=launch.job_status,
        )

    def attempts(self, launch_id: str) -> list[Attempt]:
        """Every submitted attempt of a launch, oldest first."""
        return [_attempt(row) for row in self._database.rows("attempts", launch=launch_id)]

    def begun_since(self, launch: Launch, after: datetime) -> list[Attempt]:
        """The attempts of a launch's plan that began after a time, its own present one left out; oldest first."""
        rows = self._database.rows(
            "begun_since", plan=launch.plan, after=to_time(after), launch=launch.id, number=launch.attempt
        )
        return [_attempt(row) for row in rows]

    def retried_since(self, launch: Launch, after: datetime) -> list[Attempt]:
        """The further attempts of all plans that began after a time, this launch's left out; oldest first."""
        rows = self._database.rows("retried_since", after=to_time(after), launch=launch.id, number=launch.attempt)
        return [_attempt(row) for row in rows]

    def freeze(self, plan: str, by: str, now: datetime) -> bool:
        """Let a plan (all for the empty name) launch nothing; False where it was frozen already."""
        return self._database.run("freeze", plan=plan, by=by, now=to_time(now)) == 1

    def thaw(self, plan: str) -> bool:
        """Take a freeze back; False where there was none."""
        return self._database.run("thaw", plan=plan) == 1

    def frozen(self, plan: str) -> Freeze | None:
        """The freeze that a plan is under, if any; one of all plans comes first."""
        row = self._database.row("frozen", plan=plan)
        return _freeze(row) if row else None

    def freezes(self) -> list[Freeze]:
        """Every freeze in force."""
        return [_freeze(row) for row in self._database.rows("freezes")]

    def settle(self, plan: str, revision: str, now: datetime) -> None:
        """Keep a revision for a plan's deadline."""
        self._database.run("settle", plan=plan, revision=revision, now=to_time(now))

    def settling_since(self, plan: str) -> datetime | None:
        """When the first of the revisions came that a plan still waits with; None where there is none."""
        row = self._database.row("settling", plan=plan)
        return from_time(row["noted_at"]) if row else None

    def take_settled(self, plan: str) -> list[str]:
        """The revisions that came while a plan settled, in their order; they are forgotten here."""
        found = [row["revision"] for row in self._database.rows("settling", plan=plan)]
        self._database.run("settled", plan=plan)
        return found


def _attempt(row: dict[str, Any]) -> Attempt:
    return Attempt(**{**row, "begun_at": from_time(row["begun_at"])})


def _freeze(row: dict[str, Any]) -> Freeze:
    return Freeze(row["plan"], row["frozen_by"], from_time(row["frozen_at"]))
