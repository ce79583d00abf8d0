"""Member lists: where the members of revisions were written down."""

from __future__ import annotations

from typing import TYPE_CHECKING

from junbi.ledger.rows import to_json

if TYPE_CHECKING:
    from collections.abc import Iterable

    from junbi.ledger.database import Database


class MemberLists:
    """Stores addresses ``oss://bucket/key`` by revision."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def put(self, revision: str, uri: str) -> None:
        """Where the members of a revision are written down."""
        self._database.run("put_member_list", revision=revision, uri=uri)

    def of(self, revisions: Iterable[str]) -> dict[str, str]:
        """By revision; one whose members are written down nowhere is absent."""
        found = self._database.rows("member_lists_of", revisions=to_json(list(revisions)))
        return {row["revision"]: row["uri"] for row in found}
