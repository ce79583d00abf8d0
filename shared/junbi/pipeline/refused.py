"""Counts refused deliveries in this process first, so that a flood of them costs the ledger a write a second."""

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

#: Seconds between two writes. What an instance counted since its last one is lost with the instance.
EVERY = 1.0


class Tally:
    """Counts what was refused since the last write."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._counts: Counter[tuple[str, str]] = Counter()
        self._written_at = -EVERY

    def add(self, ledger: Ledger, endpoint: str, code: str, now: datetime, tell: Callable[[], RefusedDelivery]) -> None:
        """Count a refused delivery; write it down, with those before it, unless something was written just now.

        ``tell`` is asked only for one that is written: a closer look at a delivery costs a hundred quick ones.
        """
        counts = self._count(endpoint, code)
        for where in {where for where, _ in counts}:
            by_code = {why: times for (there, why), times in counts.items() if there == where}
            with ledger.transaction(alone=False):
                ledger.deliveries.refuse(where, by_code, tell(), now)

    def _count(self, endpoint: str, code: str) -> Counter[tuple[str, str]]:
        """What is to be written now; empty where that has to wait."""
        with self._lock:
            self._counts[endpoint, code] += 1
            if time.monotonic() - self._written_at < EVERY:
                return Counter()
            self._written_at = time.monotonic()
            counts, self._counts = self._counts, Counter()
            return counts


@cache
def tally() -> Tally:
    """This process's."""
    return Tally()
