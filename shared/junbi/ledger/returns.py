"""Returns: which revision each upload holds, and since when, where one that was known came back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from junbi.ledger import rows

if TYPE_CHECKING:
    from datetime import datetime

    from junbi.core.facts import Revision
    from junbi.ledger.database import Database


class Returns:
    """Stores when a prefix began to hold a revision."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def note(self, revision: str, now: datetime) -> None:
        """From now on its prefix holds a revision, new or known."""
        self._database.run("put_returned", revision=revision, now=rows.to_time(now))

    def held(self, dataset: str, bucket: str) -> list[Revision]:
        """The revision that each of a dataset's uploads in a bucket was closed with last.

        ``created_at`` is when its prefix began to hold it.
        """
        return [rows.revision(row) for row in self._database.rows("held_revisions", dataset=dataset, bucket=bucket)]
