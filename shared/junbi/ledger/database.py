"""What the ledger asks of a database engine."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from contextlib import AbstractContextManager


class Database(Protocol):
    """An engine: runs the named statements of ``sql/``. Any number of threads may use it."""

    def transaction(self, *, alone: bool = True) -> AbstractContextManager[None]:
        """Everything inside happens together or not at all.

        Args:
            alone: no other such transaction runs meanwhile, so what is read inside stays true until the end.
                Without it only the row versions of what is saved are proved.
        """
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
        """Bring the schema up to date. LedgerUnknown where a newer junbi took something away."""
        ...

    def check(self) -> None:
        """LedgerUnknown where the schema is not one that this version can work with."""
        ...
