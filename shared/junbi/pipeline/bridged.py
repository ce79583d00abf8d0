"""Events that EventBridge hands to a door through FC itself: FC lets nobody else call, so that they need no proof."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

from junbi.events.delivery import Delivery
from junbi.pipeline import wiring
from junbi.pipeline.receive import keep, repeated

if TYPE_CHECKING:
    from collections.abc import Mapping

    from junbi.events.parsed import Parsed
    from junbi.ledger.ledger import Ledger
    from junbi.pipeline.invocation import Invocation
    from junbi.pipeline.receive import Answer, Door


def parse(door: Door, raw: bytes) -> Parsed[Any]:
    """Read what a call of the function itself brought. MalformedPayload where it cannot be read."""
    return door.parse(Delivery({}, raw, {}), wiring.ledger().now())


def take(door: Door, parsed: Parsed[Any], invocation: Invocation) -> Mapping[str, object]:
    """Note a payload's events on every line that they concern, and have ``reconcile`` look soon."""
    answer, due = receive(door, wiring.ledger(), parsed)
    if due:
        wiring.poke(invocation)
    return answer.body


def receive(door: Door, ledger: Ledger, parsed: Parsed[Any]) -> tuple[Answer, bool]:
    """Note events in the ledger: the answer, and whether ``reconcile`` should be poked."""
    now, delivery = ledger.now(), _id(parsed)
    known = ledger.deliveries.get(delivery)
    if known is not None and known.outcome["noted"]:
        return repeated(door, ledger, known, now), False
    return keep(door, ledger, None, parsed, now, delivery=delivery, facts={})


def _id(parsed: Parsed[Any]) -> str:
    """Equal for copies of a payload: what its events are, and what else it holds."""
    parts = [*(event.id for event in parsed.events), *(f"{one.name}\0{one.message}" for one in parsed.ignored)]
    return hashlib.blake2b("\0".join(parts).encode(errors="replace"), digest_size=16).hexdigest()
