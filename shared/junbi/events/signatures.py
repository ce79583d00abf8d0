"""Who sent this: proofs that a delivery carries, checked on the raw bytes and in constant time."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

from junbi.events.proofs import Answer, QuerySecret

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from junbi.events.delivery import Delivery
    from junbi.events.proofs import Proof


class RefusalCode(StrEnum):
    """Why nobody vouches for a delivery. A code never changes its meaning."""

    NO_SECRET = "NoSecret"  # noqa: S105 - a name: none is configured, or only empty ones
    NO_PROOF = "NoProof"  #: the delivery carries none
    UNSIGNED_SOURCE = "UnsignedSource"  #: the source proves nothing, and nobody opted in
    OTHER_SCHEME = "OtherScheme"  #: it carries another kind of proof than this source's
    WEAK_SCHEME = "WeakScheme"  #: it carries a SHA-1 signature alone
    WRONG_SECRET = "WrongSecret"  # noqa: S105 - a name: its proof was made with none of our secrets, or over another body
    RETIRED_SECRET = "RetiredSecret"  # noqa: S105 - a name: its proof was made with a secret of ours that is not valid here
    BODY_CHANGED = "BodyChanged"  #: its proof is ours and covers the same content in other bytes
    OUTSIDE_WINDOW = "OutsideWindow"  #: its proof is ours and too old, or from the future


@dataclass(frozen=True, slots=True)
class Verified:
    """Somebody who knows a secret sent this.

    Attributes:
        scheme: the proof that held, such as ``hmac-sha256``.
        secret: which of the configured secrets, from 0: tells when a rotation is over.
        fingerprint: of that secret.
        replay: equal for every copy of the delivery, for a look at what came before.
    """

    scheme: str
    secret: int
    fingerprint: str
    replay: str


@dataclass(frozen=True, slots=True)
class Refusal:
    """Nobody vouches for this delivery.

    Attributes:
        message: what is wrong, without anything secret.
        fix: what to do about it.
        facts: fingerprints and names behind it.
    """

    code: RefusalCode
    message: str
    fix: str
    facts: Mapping[str, str] = field(default_factory=dict)


def verify(
    delivery: Delivery,
    proofs: Sequence[Proof],
    secrets: Sequence[str],
    now: datetime,
    *,
    secret_in_url: bool = False,
) -> Verified | Refusal:
    """Check a delivery.

    Args:
        delivery: as it came.
        proofs: those of its source, one of which must hold. The sender chooses which it carries, so that no order
            among them makes it safer.
        secrets: all that are valid, the newest first; two during a rotation. An empty one holds for nothing.
        now: by the ledger's clock.
        secret_in_url: opted in: ``?secret=…`` of the URL counts too, for sources that sign nothing.
    """
    usable = [(index, secret) for index, secret in enumerate(secrets) if secret.strip().removeprefix("whsec_")]
    if not usable:
        return Refusal(RefusalCode.NO_SECRET, "No secret is configured, so that nobody can prove anything.", _CONFIGURE)
    accepted = [*proofs, QuerySecret()] if secret_in_url else list(proofs)
    late: Refusal | None = None
    for proof in accepted:
        for index, secret in usable:
            answer = proof.check(delivery, secret.encode(), now)
            if answer is Answer.HOLDS:
                return Verified(proof.name, index, fingerprint(secret), replay_key(delivery))
            if answer is Answer.STALE:
                late = _late(proof, secret)
    return late or _refusal(delivery, accepted, usable)


def fingerprint(secret: str | bytes) -> str:
    """What may be shown of a secret: tells two apart, and gives none away that cannot be guessed."""
    raw = secret.encode() if isinstance(secret, str) else secret
    return hashlib.blake2b(raw, digest_size=4, person=b"junbi-fp").hexdigest()


def replay_key(delivery: Delivery) -> str:
    """Equal for copies of a delivery.

    The sender's id alone is not enough, for most signatures do not cover it, and the body alone neither, for two
    pushes back and forth can have the same one.
    """
    ids = "\0".join(filter(None, map(delivery.header, DELIVERY_HEADERS)))
    return hashlib.blake2b(f"{ids}\0{delivery.digest}".encode(errors="replace"), digest_size=16).hexdigest()


#: Where senders put the id of a delivery; kept when it is sent again, but by Gitea's replay.
DELIVERY_HEADERS = (
    "webhook-id",
    "X-GitHub-Delivery",
    "Idempotency-Key",
    "X-Gitlab-Event-UUID",
    "X-Gitea-Delivery",
    "X-Forgejo-Delivery",
    "X-Gogs-Delivery",
    "X-Request-UUID",
    "X-Request-Id",
)
#: Headers that carry a proof, and who sends them.
PROOF_HEADERS = {
    "X-Hub-Signature-256": "GitHub, Gitea",
    "X-Hub-Signature": "Bitbucket (SHA-256), GitHub (SHA-1)",
    "X-Gitlab-Token": "GitLab",
    "webhook-signature": "Standard Webhooks",
    "X-Gitee-Token": "Gitee",
    "X-Codeup-Token": "Codeup",
    "X-Gitea-Signature": "Gitea",
    "X-Forgejo-Signature": "Forgejo",
    "X-Gogs-Signature": "Gogs",
    "Authorization": "a registry",
}
_CONFIGURE = "Set a long random secret for this source, here and at the sender."


def _refusal(delivery: Delivery, proofs: Sequence[Proof], usable: Sequence[tuple[int, str]]) -> Refusal:
    """The quick look: nothing is computed here, for anybody can make us come here."""
    facts = {"secrets": ", ".join(fingerprint(secret) for _, secret in usable)}
    carried = [name for name in PROOF_HEADERS if delivery.header(name)]
    if not proofs:
        return Refusal(
            RefusalCode.UNSIGNED_SOURCE,
            "This source proves nothing about what it sends, and no secret in the URL was agreed on.",
            "Opt in to a secret in the URL for this source, and add ?secret=… to the address at the sender.",
            facts,
        )
    present = [proof for proof in proofs if proof.carried(delivery)]
    if present:
        token = next(filter(None, (proof.token(delivery) for proof in present)), "")
        shown = {"presented": fingerprint(token)} if token else {}
        wrong = "is none that we know" if token else "was not made with a secret that we know, over this body"
        return Refusal(
            RefusalCode.WRONG_SECRET,
            f"The {present[0].name} of this delivery {wrong}.",
            "Compare the secret at the sender with the one configured, by its fingerprint.",
            facts | shown,
        )
    if delivery.header("X-Hub-Signature").startswith("sha1="):
        return Refusal(
            RefusalCode.WEAK_SCHEME,
            "The delivery carries a SHA-1 signature alone, which can be forged.",
            "Let nothing between the sender and here drop the header X-Hub-Signature-256.",
            facts,
        )
    wanted = " or ".join(proof.where for proof in proofs)
    if carried:
        told = ", ".join(f"{name} ({PROOF_HEADERS[name]})" for name in carried)
        return Refusal(
            RefusalCode.OTHER_SCHEME,
            f"The delivery carries {told}; this source proves itself in {wanted}.",
            "Point the webhook at the address of its own source, or name the right source in the configuration.",
            facts,
        )
    return Refusal(
        RefusalCode.NO_PROOF,
        f"The delivery proves nothing: there is no {wanted}.",
        "Set the secret at the sender too; if it is set, let nothing in between drop the header.",
        facts,
    )


def _late(proof: Proof, secret: str) -> Refusal:
    return Refusal(
        RefusalCode.OUTSIDE_WINDOW,
        f"The {proof.name} is right, and its time is too far from now: an old delivery, or a wrong clock.",
        "Set the sender's clock; send the delivery anew rather than again.",
        {"secrets": fingerprint(secret)},
    )
