"""The ledger's clock: the one that leases, deadlines and settling are judged by."""

from __future__ import annotations

import os
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable

#: ``<wall seconds>,<ledger seconds>,<scale>``: set by ``junbi up --time-scale`` for everything it starts.
VARIABLE = "JUNBI_CLOCK"


class Clock(Protocol):
    """Whatever tells the ledger's time."""

    def now(self) -> datetime:
        """The ledger's time, UTC."""
        ...


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
        """The ledger's time by this machine's clock, UTC."""
        return self.at(datetime.now(UTC).timestamp())

    def at(self, seconds: float) -> datetime:
        """The ledger's time at a moment of wall time, UTC."""
        return datetime.fromtimestamp(self.ledger + (seconds - self.wall) * self.scale, UTC)

    def __str__(self) -> str:
        """As JUNBI_CLOCK carries it."""
        return f"{self.wall!r},{self.ledger!r},{self.scale!r}"


@dataclass(frozen=True, slots=True)
class SharedClock:
    """The clock of the database's machine, for instances whose own clocks differ.

    Args:
        seconds: asks the database; seconds since 1970, UTC.
        clock: how wall time becomes the ledger's.
    """

    seconds: Callable[[], float]
    clock: LedgerClock

    def now(self) -> datetime:
        """The ledger's time, UTC."""
        return self.clock.at(self.seconds())
