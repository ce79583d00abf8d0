"""What people and programs are shown of the deliveries of webhooks, ready for JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING

from junbi.pipeline.views import MOST, reason, time

if TYPE_CHECKING:
    from junbi.ledger.deliveries import Delivery, RefusedDelivery
    from junbi.ledger.ledger import Ledger
    from junbi.pipeline.views import View


def deliveries(ledger: Ledger, most: int = MOST) -> View:
    """What webhooks delivered last and what it came to; what was refused, how often and why, newest first."""
    return {
        "deliveries": [_delivery(one) for one in ledger.deliveries.newest(most)],
        "refused": [_refused(one) for one in ledger.deliveries.refused()],
        "refused_counts": ledger.deliveries.refused_counts(),
    }


def _delivery(one: Delivery) -> View:
    return {
        "id": one.id,
        "endpoint": one.endpoint,
        "source": one.source,
        "at": time(one.at),
        "times": one.times,
        "outcome": dict(one.outcome),
    }


def _refused(one: RefusedDelivery) -> View:
    return {
        "endpoint": one.endpoint,
        "at": time(one.at),
        "reason": reason(one.reason),
        "fingerprint": one.fingerprint,
    }
