"""Counts refused deliveries in this process first: a flood costs the ledger a write a second for each reason."""

from __future__ import annotations

import threading
import time
from collections import Counter
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from junbi.ledger.deliveries import RefusedDelivery
    from junbi.ledger.ledger import Ledger

#: Seconds between two writes of one reason. What an instance counted since its last one is lost with the instance.
EVERY = 1.0


class Tally:
    """Counts what was refused since the last write, by endpoint and code: a flood for one reason hides no other."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._counts: Counter[tuple[str, str]] = Counter()
        self._written_at: dict[tuple[str, str], float] = {}

    def add(self, ledger: Ledger, endpoint: str, code: str, now: datetime, tell: Callable[[], RefusedDelivery]) -> None:
        """Count a refused delivery; write it down, with those before it, unless one of its reason was just now.

        ``tell`` is asked only for one that is written: a closer look at a delivery costs a hundred quick ones.
        """
        times = self._count((endpoint, code))
        if times:
            with ledger.transaction(alone=False):
                ledger.deliveries.refuse(endpoint, {code: times}, tell(), now)

    def _count(self, why: tuple[str, str]) -> int:
        """How many are to be written now; none where that has to wait."""
        with self._lock:
            self._counts[why] += 1
            if time.monotonic() - self._written_at.get(why, -EVERY) < EVERY:
                return 0
            self._written_at[why] = time.monotonic()
            return self._counts.pop(why)


@cache
def tally() -> Tally:
    """This process's."""
    return Tally()
