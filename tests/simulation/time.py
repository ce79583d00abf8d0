"""Virtual time: one true time for the cloud, and clocks that differ from it as real ones do."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

START = datetime(2026, 3, 1, tzinfo=UTC)


@dataclass
class VirtualTime:
    """The cloud's time. Nothing moves it but ``pass_``."""

    now: datetime = START

    def pass_(self, seconds: float) -> None:
        """Let time go on."""
        self.now += timedelta(seconds=seconds)

    def until(self, moment: datetime) -> None:
        """Let time go on until a moment that may be over already."""
        self.now = max(self.now, moment)

    def after(self, seconds: float) -> datetime:
        """The moment in so many seconds."""
        return self.now + timedelta(seconds=seconds)


@dataclass
class SkewedClock:
    """A clock that is wrong by ``offset``: an instance's own, or the ledger's."""

    time: VirtualTime
    offset: timedelta = field(default_factory=timedelta)

    def __call__(self) -> datetime:
        """What it shows."""
        return self.time.now + self.offset
