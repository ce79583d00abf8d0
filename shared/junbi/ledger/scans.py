"""Scans: listings that did not end within one look, kept until the next one goes on with them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from junbi.ledger.rows import to_json

if TYPE_CHECKING:
    from junbi.ledger.database import Database


class Scans:
    """Stores what was folded of a listing so far. ``token`` is the state of the owner that it is good for."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def get(self, owner: str, token: str) -> dict[str, Any] | None:
        """What was kept; None where there is nothing, or only what was folded for another state of its owner."""
        row = self._database.row("scan", owner=owner)
        if row is None or row["token"] != token:
            return None
        state: dict[str, Any] = json.loads(row["state"])
        return state

    def put(self, owner: str, token: str, state: dict[str, Any]) -> None:
        """Keep what was folded so far, in place of what was kept before."""
        self._database.run("put_scan", owner=owner, token=token, state=to_json(state))

    def drop(self, owner: str) -> None:
        """The listing ended, or is begun anew."""
        self._database.run("drop_scan", owner=owner)
