"""Revisions, which never change, and their registrations, which do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from junbi.core.facts import CreateState
from junbi.errors import LedgerError, Stale
from junbi.ledger import rows

if TYPE_CHECKING:
    from junbi.core.facts import Registration, Revision
    from junbi.ledger.database import Database


class Revisions:
    """Stores revisions and registrations."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def get(self, revision_id: str) -> Revision:
        """A revision by its id. LedgerError where there is none: nothing names one that was not stored."""
        row = self._database.row("revision", id=revision_id)
        if row is None:
            raise LedgerError(f"the ledger has no revision {revision_id}")
        return rows.revision(row)

    def newest(self, most: int = 100) -> list[Revision]:
        """The revisions made last."""
        return [rows.revision(row) for row in self._database.rows("revisions", most=most)]

    def of(self, dataset: str) -> list[Revision]:
        """Every revision of a dataset."""
        return [rows.revision(row) for row in self._database.rows("revisions_of", dataset=dataset)]

    def head(self, dataset: str) -> Revision | None:
        """The newest revision of a dataset, by the dataset's own order; None before the first."""
        row = self._database.row("head", dataset=dataset)
        return rows.revision(row) if row else None

    def put_head(self, revision: Revision) -> None:
        """Make a revision its dataset's newest."""
        self._database.run("put_head", dataset=revision.dataset, revision=revision.id)

    def registering(self, dataset: str) -> str:
        """The revision of a dataset whose registration comes first among those not ended; empty for none."""
        row = self._database.row("registering", dataset=dataset)
        return row["revision"] if row else ""

    def add(self, revision: Revision) -> bool:
        """Store a revision with its registration still to be made; False where it was known already."""
        added = self._database.run("add_revision", **rows.revision_columns(revision)) == 1
        if added:
            self._database.run("add_registration", revision=revision.id, state=CreateState.PENDING.value)
        return added

    def registration(self, revision_id: str) -> Registration:
        """Where a revision's registration stands."""
        row = self._database.row("registration", revision=revision_id)
        if row is None:
            raise LedgerError(f"the ledger has no registration of {revision_id}")
        return rows.registration(row)

    def not_done(self) -> list[Registration]:
        """The registrations that PAI refused, and those that wait for their turn or their next try."""
        return [rows.registration(row) for row in self._database.rows("registrations_not_done")]

    def dataset_id(self, dataset: str, region: str, workspace: str) -> str:
        """PAI's id there of a dataset that a revision was registered under; empty where there is none yet."""
        row = self._database.row("registered_dataset_id", dataset=dataset, region=region, workspace=workspace)
        return row["dataset_id"] if row else ""

    def forget_dataset(self, dataset_id: str) -> None:
        """Forget an id of PAI's, whose dataset is gone with all its versions."""
        self._database.run("forget_dataset", dataset_id=dataset_id)

    def save_registration(self, registration: Registration) -> None:
        """Save a changed registration. Stale where another worker was faster."""
        if self._database.run("save_registration", **rows.registration_columns(registration)) != 1:
            raise Stale(f"registration {registration.revision} was changed meanwhile")
