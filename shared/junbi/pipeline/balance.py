"""The audit of reconcile: what was accepted is at its end or will be looked at; and what is old is forgotten."""

from __future__ import annotations

import os
from datetime import timedelta
from typing import TYPE_CHECKING

from junbi import log

if TYPE_CHECKING:
    from datetime import datetime

    from junbi.ledger.ledger import Ledger

_log = log.logger("reconcile")

#: Days for which the story of what rests is kept, where JUNBI_KEEP_DAYS does not say.
KEEP_DAYS = 90


def audit(ledger: Ledger, now: datetime) -> int:
    """Have looked at what nothing would have looked at; how much there was. It is a fault of ours, and told."""
    found = ledger.worklist.unwatched()
    for kind, key in found:
        with ledger.transaction(alone=False):
            ledger.worklist.ask(kind, key, now)
            said = "Nothing would have looked at it any more, which should not be: it is looked at now."
            ledger.tell(f"{kind}:{key}", "WokenByAudit", said, now)
        _log.error("something had no wake-up and was given one", kind=kind, id=key)
    return len(found)


def prune(ledger: Ledger, now: datetime) -> int:
    """Forget what is of no use to people any more; how many entries went."""
    days = float(os.environ.get("JUNBI_KEEP_DAYS") or KEEP_DAYS)
    return ledger.prune(now, timedelta(days=days))
