"""Notes: what was found out about launches after their jobs had ended."""

from __future__ import annotations

import json
from collections import defaultdict
from typing import TYPE_CHECKING, Any

from junbi.ledger.rows import to_json, to_reason, to_time

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from junbi.core.model import Reason
    from junbi.ledger.database import Database


class Notes:
    """Stores notes: one for each launch and thing that it is about."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, launch: str, subject: str, reason: Reason, now: datetime) -> bool:
        """Note something of a launch; False where it is noted already."""
        columns = {"launch": launch, "subject": subject, "reason": to_reason(reason), "now": to_time(now)}
        return self._database.run("add_note", **columns) == 1

    def of(self, launches: Iterable[str]) -> dict[str, list[dict[str, Any]]]:
        """By launch: ``subject, reason, noted_at`` of what was noted; empty where nothing was."""
        found: dict[str, list[dict[str, Any]]] = defaultdict(list)
        for row in self._database.rows("notes_of", launches=to_json(list(launches))):
            found[row.pop("launch")].append({**row, "reason": json.loads(row["reason"])})
        return found
