"""The ledger's clock: the one that leases, deadlines and settling are judged by."""

from __future__ import annotations

import os
from dataclasses import dataclass
from datetime import UTC, datetime

#: ``<wall seconds>,<ledger seconds>,<scale>``: set by ``junbi up --time-scale`` for everything it starts.
VARIABLE = "JUNBI_CLOCK"


@dataclass(frozen=True, slots=True)
class LedgerClock:
    """Wall time, unless a local cloud runs faster: then ``ledger`` + (wall now - ``wall``) x ``scale``.

    Times are seconds since 1970, UTC.
    """

    wall: float = 0.0
    ledger: float = 0.0
    scale: float = 1.0

    @classmethod
    def from_environment(cls) -> LedgerClock:
        """As JUNBI_CLOCK says; plain wall time without it."""
        text = os.environ.get(VARIABLE)
        return cls(*(float(part) for part in text.split(","))) if text else cls()

    def now(self) -> datetime:
        """The ledger's time, UTC."""
        seconds = datetime.now(UTC).timestamp()
        return datetime.fromtimestamp(self.ledger + (seconds - self.wall) * self.scale, UTC)

    def __str__(self) -> str:
        """As JUNBI_CLOCK carries it."""
        return f"{self.wall!r},{self.ledger!r},{self.scale!r}"
