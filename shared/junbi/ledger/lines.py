"""What the ledger keeps of every watched line, be it code or an image: where it stands, and what signs its pushes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from junbi.ledger.rows import from_reason, from_time, to_reason, to_time

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from junbi.core.model import Reason
    from junbi.ledger.rows import Row

_SEPARATOR = ","


@dataclass(frozen=True, slots=True)
class LineState:
    """Where a watched line stands.

    Attributes:
        since: since when something of this name is watched.
        head: the commit or digest that was looked at last; empty before the first look, and where what is watched
            changed.
        looked_at: when its repository was read last; None before that, and where what is watched changed.
        reason: why there is nothing to train with, if there is nothing.
    """

    since: datetime
    head: str = ""
    looked_at: datetime | None = None
    reason: Reason | None = None


def standing(row: Row) -> dict[str, Any]:
    """The members of a ``LineState`` from its row."""
    looked_at = from_time(row["looked_at"]) if row["looked_at"] else None
    reason = from_reason(row["reason"])
    return {"since": from_time(row["since"]), "head": row["head"], "looked_at": looked_at, "reason": reason}


def columns(state: LineState) -> Row:
    """What a look may change of a line's row."""
    looked_at = to_time(state.looked_at) if state.looked_at else ""
    return {"head": state.head, "looked_at": looked_at, "reason": to_reason(state.reason)}


def to_webhook(secrets: Iterable[str]) -> str:
    """The names of the secrets of one webhook as a column."""
    return _SEPARATOR.join(secrets)


def from_webhook(text: str) -> tuple[str, ...]:
    """The names back."""
    return tuple(text.split(_SEPARATOR))
