"""Reads for people: counts, and what belongs to many things, in one statement each however many they are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from junbi.core.facts import CreateState, Registration, Revision
from junbi.ledger import rows

if TYPE_CHECKING:
    from collections.abc import Iterable

    from junbi.core.facts import Arrival, ArrivalState, Launch, LaunchState
    from junbi.ledger.database import Database
    from junbi.ledger.worklist import Kind

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Version:
    """A revision with its registration, and whether it is the newest of its dataset."""

    revision: Revision
    registration: Registration
    newest: bool


class Overview:
    """Answers what the console, the API and the CLI show. Writes nothing."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def launch_counts(self) -> dict[str, int]:
        """How many launches stand in each state; a state without any is absent."""
        return {row["state"]: row["number"] for row in self._database.rows("launch_counts")}

    def launches(self, states: Iterable[LaunchState], most: int) -> list[Launch]:
        """The newest launches in any of these states."""
        names = rows.to_json([state.value for state in states])
        return [rows.launch(row) for row in self._database.rows("newest_launches_in", states=names, most=most)]

    def arrival_counts(self) -> dict[str, int]:
        """How many arrivals stand in each state; a state without any is absent."""
        return {row["state"]: row["number"] for row in self._database.rows("arrival_counts")}

    def arrivals(self, states: Iterable[ArrivalState], most: int) -> list[Arrival]:
        """The arrivals in any of these states that were noted last."""
        names = rows.to_json([state.value for state in states])
        return [rows.arrival(row) for row in self._database.rows("newest_arrivals_in", states=names, most=most)]

    def versions(self, most: int) -> list[Version]:
        """The newest revisions with their registrations."""
        return [_version(row) for row in self._database.rows("newest_revisions", most=most)]

    def revision_count(self) -> int:
        """How many revisions there are."""
        return self._count("revision_count")

    def quarantine_count(self) -> int:
        """How many payloads could not be read."""
        return self._count("quarantine_count")

    def revisions(self, ids: Iterable[str]) -> dict[str, Revision]:
        """These revisions by id; one that is not there is absent."""
        found = self._database.rows("revisions_with_ids", ids=rows.to_json(sorted(set(ids))))
        return {row["id"]: rows.revision(row) for row in found}

    def looks(self, kind: Kind, ids: Iterable[str]) -> dict[str, Row]:
        """By id: ``due_at``, ``failures`` and ``problem`` of those that are looked at again."""
        found = self._database.rows("work_of_many", kind=kind, ids=rows.to_json(list(ids)))
        return {row.pop("id"): row for row in found}

    def stories(self, subjects: Iterable[str]) -> list[Row]:
        """What happened to these, oldest first: ``number, at, subject, code, message``."""
        return self._database.rows("stories_of", subjects=rows.to_json(list(subjects)))

    def tries(self, owners: Iterable[str]) -> list[Row]:
        """The tries of these, oldest first: ``number, owner, operation, stored_at, outcome, detail``."""
        return self._database.rows("tries_of", owners=rows.to_json(list(owners)))

    def _count(self, statement: str) -> int:
        row = self._database.row(statement)
        return int(row["number"]) if row else 0


def _version(row: Row) -> Version:
    revision = rows.revision(row)
    registration = Registration(
        revision=revision.id,
        state=rows.known(CreateState, row["registration_state"], f"registration {revision.id}"),
        dataset_id=row["dataset_id"],
        version_name=row["version_name"],
        reason=rows.from_reason(row["registration_reason"]),
    )
    return Version(revision, registration, newest=bool(row["is_head"]))
