"""Remembers which nonces were used, across restarts, for as long as a request signed with one could be valid."""

from __future__ import annotations

import threading
from collections import deque
from datetime import datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from junbi.emulator.records import Records

_KIND = "used-nonce"


class Nonces:
    """The used nonces. Safe to use from many threads.

    Args:
        records: where they are kept.
    """

    def __init__(self, records: Records) -> None:
        self._records = records
        self._lock = threading.Lock()
        kept = [(datetime.fromisoformat(document["Until"]), document["Nonce"]) for document in records.all(_KIND)]
        self._order = deque(sorted(kept))

    def use(self, nonce: str, now: datetime, until: datetime) -> bool:
        """Note a nonce as used until then; False where it was used before."""
        with self._lock:
            while self._order and self._order[0][0] <= now:
                self._records.delete(_KIND, self._order.popleft()[1])
            fresh = self._records.add(_KIND, nonce, {"Nonce": nonce, "Until": until.isoformat()})
            if fresh:
                self._order.append((until, nonce))
            return fresh
