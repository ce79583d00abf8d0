"""Tries: every sending of a create, stored before it is sent."""

from __future__ import annotations

from typing import TYPE_CHECKING

from junbi.ledger import rows

if TYPE_CHECKING:
    from datetime import datetime

    from junbi.core.facts import Try
    from junbi.ledger.database import Database


class Tries:
    """Stores tries. ``owner`` is as ``Try`` says."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(
        self,
        *,
        owner: str,
        operation: str,
        nonce: str,
        date: str,
        body: str,
        now: datetime,
        region: str = "",
        workspace: str = "",
    ) -> int:
        """Store a try that is about to be sent; its number."""
        row = self._database.row(
            "add_try",
            owner=owner,
            operation=operation,
            nonce=nonce,
            date=date,
            body=body,
            stored_at=rows.to_time(now),
            region=region,
            workspace=workspace,
        )
        return int(row["number"]) if row else 0

    def answer(self, number: int, outcome: str, detail: str) -> None:
        """Write down what became of a try."""
        self._database.run("save_try", number=number, outcome=outcome, detail=detail)

    def gone(self, owner: str) -> None:
        """Write down that what an owner's tries made is of no use any more: it is no evidence from now on."""
        self._database.run("try_gone", owner=owner)

    def of(self, owner: str) -> list[Try]:
        """Every try of a launch or registration, oldest first."""
        return [rows.one_try(row) for row in self._database.rows("tries", owner=owner)]
