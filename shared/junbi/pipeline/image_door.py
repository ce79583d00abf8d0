"""The door of image pushes: notes each on every watched image that its tag may be of."""

from __future__ import annotations

from typing import TYPE_CHECKING

from junbi.core import image
from junbi.core.model import Reason
from junbi.core.reasons import Code
from junbi.events import registry
from junbi.pipeline.vouch import Webhook

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from junbi.core.model import Event, ImageRef
    from junbi.core.plan import ImageSpec
    from junbi.events.delivery import Delivery
    from junbi.events.parsed import Parsed
    from junbi.events.proofs import Proof
    from junbi.ledger.ledger import Ledger
    from junbi.ledger.worklist import Kind
    from junbi.pipeline.receive import Noted

ENDPOINT = "image_push"
KIND: Kind = "image"


def proofs(delivery: Delivery) -> Sequence[Proof]:
    """What its headers can tell: only GitHub signs."""
    return registry.proofs(delivery)


def webhooks(ledger: Ledger) -> list[Webhook]:
    """Those that opted in may show their secret in the address alone."""
    return [Webhook(names, in_url) for names, in_url in ledger.image_lines.webhooks()]


def parse(delivery: Delivery, now: datetime) -> Parsed[ImageRef]:
    """Read it: here the body tells who sent it."""
    return registry.parse(delivery, now)


def note(ledger: Ledger, signed: Sequence[Webhook] | None, event: Event[ImageRef], noted: Noted, now: datetime) -> None:
    """Note a push on every line that may name it: one that tells a digest alone may be a part of any tag.

    Call it inside a transaction.
    """
    push, lines = event.subject, _lines(ledger, signed, event.subject)
    watching = [line for line in lines if not push.tag or image.watches(line, push.tag)]
    if not watching:
        noted.ignore(_unwatched(signed, push, lines))
    for line in watching:
        ledger.image_lines.note(line.name, push.tag, now)
        ledger.worklist.ask(KIND, line.name, now)
        ledger.tell(f"image:{line.name}", "PushNoted", f"A push says that {push} is there.", now)
        noted.lines.add(line.name)


def _lines(ledger: Ledger, signed: Sequence[Webhook] | None, push: ImageRef) -> list[ImageSpec]:
    host = image.registry(push.registry) if push.registry else ""
    if signed is None:
        return ledger.image_lines.of(host, push.repository)
    return [
        line
        for webhook in signed
        for line in ledger.image_lines.at(host, push.repository, webhook.secrets, unsigned=webhook.in_url)
    ]


def _unwatched(signed: Sequence[Webhook] | None, push: ImageRef, lines: list[ImageSpec]) -> Reason:
    if not lines:
        how = "" if signed is None else " with this webhook's secret"
        return Reason(Code.NOT_WATCHED, f"No entry under 'images' watches {push}{how}.")
    watched = ", ".join(line.tag or "tags of a pattern" for line in lines)
    return Reason(Code.NOT_WATCHED, f"{push} is not watched; watched there: {watched}.")
