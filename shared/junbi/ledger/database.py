"""What the ledger asks of a database engine."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from contextlib import AbstractContextManager


class Database(Protocol):
    """An engine: runs the named statements of ``sql/``."""

    def transaction(self) -> AbstractContextManager[None]:
        """Everything inside happens together or not at all."""
        ...

    def run(self, statement: str, /, **values: Any) -> int:
        """Execute a statement; the number of rows it changed."""
        ...

    def rows(self, statement: str, /, **values: Any) -> list[dict[str, Any]]:
        """Execute a statement; its rows."""
        ...

    def row(self, statement: str, /, **values: Any) -> dict[str, Any] | None:
        """Execute a statement; its first row, or None."""
        ...

    def migrate(self) -> None:
        """Bring the schema up to date."""
        ...
