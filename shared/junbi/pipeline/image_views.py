"""What people and programs are shown of watched images, ready for JSON."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from junbi.ledger.rows import to_time

if TYPE_CHECKING:
    from junbi.core.plan import ImageSpec
    from junbi.ledger.ledger import Ledger

View = dict[str, Any]


def images(ledger: Ledger) -> list[View]:
    """Each watched image: where it is, which digest it was when it was looked at, and why there is none."""
    lines = ledger.image_lines.all()
    looks = ledger.overview.looks("image", (line.name for line in lines))
    return [_line(ledger, line, looks.get(line.name)) for line in lines]


def _line(ledger: Ledger, line: ImageSpec, look: View | None) -> View:
    state, head = ledger.image_lines.state(line.name), ledger.revisions.head(line.name)
    return {
        "image": line.name,
        "repository": line.repository,
        "tag": line.tag or None,
        "tags": line.tags or None,
        "newest": line.newest if line.tags else None,
        "told_by": "pushes" if line.webhook else "looks alone",
        "registered": line.registers,
        "digest": state.head or None,
        "trains_with": {"label": head.label, "digest": head.digest} if head else None,
        "reason": asdict(state.reason) if state.reason else None,
        "looked_at": to_time(state.looked_at) if state.looked_at else None,
        "next_look": look,
    }
