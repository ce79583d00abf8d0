"""The watched lines of code in force, and what pushes said of each since it was looked at last."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from junbi.core.model import CommitRef
from junbi.core.plan import CodeSpec
from junbi.errors import Stale
from junbi.ledger.lines import LineState, columns, from_webhook, standing, to_webhook
from junbi.ledger.rows import to_json, to_time

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import datetime

    from junbi.ledger.database import Database

#: Paths of a push that are kept. One that changes more is looked at whatever it touches.
MOST_PATHS = 1000


class CodeLines:
    """Stores what code is watched, and pushes as the hints they are."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def put(self, lines: Mapping[str, CodeSpec], now: datetime) -> None:
        """Put the lines of a generation in force, and no others. Call it inside a transaction."""
        self._database.run("drop_code_lines_but", names=to_json(list(lines)))
        for line in lines.values():
            self._database.run(
                "put_code_line",
                name=line.name,
                address=line.address,
                webhook=to_webhook(line.webhook),
                spec=line.model_dump_json(),
                now=to_time(now),
            )

    def get(self, name: str) -> CodeSpec | None:
        """A line by its name; None where nothing of that name is watched."""
        row = self._database.row("code_line", name=name)
        return CodeSpec.model_validate_json(row["spec"]) if row else None

    def state(self, name: str) -> LineState:
        """Where a line stands. Stale where nothing of that name is watched any more."""
        row = self._database.row("code_line_state", name=name)
        if row is None:
            raise Stale(f"no code {name} is watched any more")
        return LineState(**standing(row))

    def save_state(self, name: str, state: LineState) -> None:
        """Save where a line stands after a look."""
        self._database.run("save_code_line_state", name=name, **columns(state))

    def all(self) -> list[CodeSpec]:
        """Every line, by name."""
        return [CodeSpec.model_validate_json(row["spec"]) for row in self._database.rows("code_lines")]

    def at(self, addresses: Iterable[str], webhook: tuple[str, ...]) -> list[CodeSpec]:
        """The lines of a repository, by any of its addresses, whose pushes are signed with those secrets."""
        signed = to_webhook(webhook)
        rows = self._database.rows("code_lines_at", addresses=to_json(list(addresses)), webhook=signed)
        return [CodeSpec.model_validate_json(row["spec"]) for row in rows]

    def webhooks(self) -> list[tuple[str, ...]]:
        """The secrets that pushes are signed with, by name: of each webhook those that are valid beside each other."""
        return [from_webhook(row["webhook"]) for row in self._database.rows("webhooks")]

    def note(self, line: str, push: CommitRef, now: datetime) -> None:
        """Keep what a push said; the same one again changes nothing."""
        known = push.paths is not None and len(push.paths) <= MOST_PATHS
        self._database.run(
            "note_push",
            line=line,
            ref=push.ref,
            commit_id=push.commit,
            before=push.before,
            paths=to_json(sorted(push.paths or ())) if known else None,
            now=to_time(now),
        )

    def pushes(self, line: CodeSpec) -> list[CommitRef]:
        """What pushes said of a line, in the order in which they were noted."""
        return [
            CommitRef(
                repository=line.address,
                ref=row["ref"],
                commit=row["commit_id"],
                before=row["before"],
                paths=None if row["paths"] is None else frozenset(json.loads(row["paths"])),
            )
            for row in self._database.rows("pushes", line=line.name)
        ]

    def forget(self, line: str, until: datetime) -> None:
        """Forget the pushes that were noted until then: the line was looked at after them."""
        self._database.run("drop_pushes", line=line, until=to_time(until))
