"""What a quota's queue knows of the work that was submitted to it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime

    from junbi.emulator.quota.amounts import Amount


@dataclass(frozen=True, slots=True)
class Workload:
    """One job in a quota.

    Attributes:
        needs: what all of its pods ask for together.
        status: of the job.
        enqueued, dequeued: when it came into the queue and left it for its pods to be made; None where it did not.
        queued: whether it stands in the queue.
        holds: whether it has its share: from when it left the queue until it ended, however slowly it ends.
    """

    workload_id: str
    name: str
    quota_id: str
    workspace_id: str
    user_id: str
    priority: int
    needs: Amount
    status: str
    created: datetime
    enqueued: datetime | None
    dequeued: datetime | None
    queued: bool
    holds: bool
