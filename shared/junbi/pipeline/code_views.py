"""What people and programs are shown of watched code and of the deliveries that tell of it, ready for JSON."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from junbi.ledger.rows import to_time

if TYPE_CHECKING:
    from junbi.core.plan import CodeSpec
    from junbi.ledger.deliveries import Delivery, RefusedDelivery
    from junbi.ledger.ledger import Ledger

View = dict[str, Any]

MOST = 100


def code(ledger: Ledger) -> list[View]:
    """Each watched line of code: where it is, which commit it was at when it was looked at, and why there is none."""
    lines = ledger.code_lines.all()
    looks = ledger.overview.looks("code", (line.name for line in lines))
    return [_line(ledger, line, looks.get(line.name)) for line in lines]


def deliveries(ledger: Ledger, most: int = MOST) -> View:
    """What webhooks delivered last and what it came to; what was refused, how often and why, newest first."""
    return {
        "deliveries": [_delivery(one) for one in ledger.deliveries.newest(most)],
        "refused": [_refused(one) for one in ledger.deliveries.refused()],
        "refused_counts": ledger.deliveries.refused_counts(),
    }


def _line(ledger: Ledger, line: CodeSpec, look: View | None) -> View:
    state, head = ledger.code_lines.state(line.name), ledger.revisions.head(line.name)
    return {
        "code": line.name,
        "repository": line.repository,
        "branch": line.branch or None,
        "tags": line.tags or None,
        "paths": list(line.paths),
        "told_by": "pushes" if line.webhook else "looks alone",
        "commit": state.head or None,
        "trains_with": {"label": head.label, "commit": head.digest} if head else None,
        "reason": asdict(state.reason) if state.reason else None,
        "looked_at": to_time(state.looked_at) if state.looked_at else None,
        "next_look": look,
    }


def _delivery(one: Delivery) -> View:
    return {
        "id": one.id,
        "endpoint": one.endpoint,
        "source": one.source,
        "at": to_time(one.at),
        "times": one.times,
        "outcome": dict(one.outcome),
    }


def _refused(one: RefusedDelivery) -> View:
    return {
        "endpoint": one.endpoint,
        "at": to_time(one.at),
        "reason": asdict(one.reason),
        "fingerprint": one.fingerprint,
    }
