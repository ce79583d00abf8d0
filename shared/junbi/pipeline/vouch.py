"""Who vouches for a delivery of a webhook: which secrets prove it, and what is wrong where none does."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from junbi.events.proofs import QuerySecret
from junbi.events.signatures import Refusal, verify
from junbi.pipeline.secrets import others, secret

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from junbi.events.delivery import Delivery
    from junbi.events.proofs import Proof
    from junbi.events.signatures import Verified
    from junbi.ledger.ledger import Ledger
    from junbi.pipeline.receive import Door


@dataclass(frozen=True, slots=True)
class Webhook:
    """What some pushes are proved with.

    Attributes:
        secrets: by name, all of them valid at once.
        in_url: whether the address that is called may hold the secret, as the sender can prove nothing else.
    """

    secrets: tuple[str, ...]
    in_url: bool = False


def prove(door: Door, ledger: Ledger, delivery: Delivery, now: datetime) -> tuple[Verified, list[Webhook]] | Refusal:
    """Who vouches for a delivery, and the webhooks that the proof is of; ``in_url`` where it stood in the address."""
    proofs = door.proofs(delivery)
    if isinstance(proofs, Refusal):
        return proofs
    webhooks = door.webhooks(ledger)
    found = _check(delivery, proofs, webhooks, now)
    open_ones = _by_address(delivery, proofs, webhooks)
    if not isinstance(found, Refusal) or not open_ones:
        return found
    return _check(delivery, proofs, open_ones, now, secret_in_url=True)


def _by_address(delivery: Delivery, proofs: Sequence[Proof], webhooks: list[Webhook]) -> list[Webhook]:
    """The webhooks that the address of a delivery may prove; none where it carries another proof, and none of these."""
    if not QuerySecret().carried(delivery) and any(proof.carried(delivery) for proof in proofs):
        return []
    return [webhook for webhook in webhooks if webhook.in_url]


def _check(
    delivery: Delivery, proofs: Sequence[Proof], webhooks: list[Webhook], now: datetime, *, secret_in_url: bool = False
) -> tuple[Verified, list[Webhook]] | Refusal:
    texts = {webhook: [secret(name) for name in webhook.secrets] for webhook in webhooks}
    secrets = list(dict.fromkeys(one for several in texts.values() for one in several))
    verified = verify(delivery, proofs, secrets, now, secret_in_url=secret_in_url)
    if isinstance(verified, Refusal):
        return verified
    proved = [webhook for webhook, several in texts.items() if secrets[verified.secret] in several]
    return verified, [Webhook(webhook.secrets, secret_in_url) for webhook in proved]


def diagnosed(door: Door, ledger: Ledger, delivery: Delivery, refusal: Refusal, now: datetime) -> Refusal:
    """A closer look, for our own people: a changed body or a form tells itself apart from a wrong secret."""
    from junbi.events.doctor import diagnose  # only a refused delivery needs it

    proofs = door.proofs(delivery)
    if isinstance(proofs, Refusal):
        return proofs
    webhooks = door.webhooks(ledger)
    open_ones = _by_address(delivery, proofs, webhooks)
    names = dict.fromkeys(name for webhook in open_ones or webhooks for name in webhook.secrets)
    unset = [f"JUNBI_SECRET_{name}" for name in names if not secret(name)]
    secrets = [secret(name) for name in names]
    found = diagnose(delivery, proofs, secrets, now, retired=others(names), secret_in_url=bool(open_ones))
    found = found if isinstance(found, Refusal) else refusal
    return replace(found, facts={**found.facts, "not set": ", ".join(unset)}) if unset else found
