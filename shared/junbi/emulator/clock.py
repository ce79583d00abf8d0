"""The emulator's two clocks: one that tests step and that may run fast, and the wall's, which signatures use."""

from __future__ import annotations

import threading
from datetime import UTC, datetime, timedelta


class Clock:
    """Time as the local cloud sees it.

    Args:
        scale: how many emulated seconds pass in a real one (``junbi up --time-scale``).
        start: the emulated time to start from; the wall's by default.
    """

    def __init__(self, scale: float = 1.0, start: datetime | None = None) -> None:
        self.scale = scale
        self._lock = threading.Lock()
        self._wall_origin = datetime.now(UTC)
        self._origin = start or self._wall_origin

    def now(self) -> datetime:
        """The emulated time, UTC: for every date the cloud writes down and every delay it keeps."""
        with self._lock:
            return self._origin + (self.wall() - self._wall_origin) * self.scale

    def wall(self) -> datetime:
        """The real time, UTC: callers sign with their own clocks, so signature dates are judged by it."""
        return datetime.now(UTC)

    def advance(self, seconds: float) -> None:
        """Step the emulated time, as a test or the control API asks."""
        with self._lock:
            self._origin += timedelta(seconds=seconds)
