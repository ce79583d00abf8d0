"""Pushes of container images, whoever announces them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from junbi.errors import MalformedPayload
from junbi.events.document import shown
from junbi.events.registry import acr, acr_event, distribution, dockerhub, github_packages, harbor

if TYPE_CHECKING:
    from datetime import datetime

    from junbi.core.model import ImageRef
    from junbi.events.delivery import Delivery
    from junbi.events.document import Node
    from junbi.events.parsed import Parsed
    from junbi.events.proofs import Proof
    from junbi.events.registry.source import Source

#: In the order in which they are asked. Only GitHub's headers tell who sent a delivery; the others' bodies do.
SOURCES: tuple[Source, ...] = (github_packages, acr_event, harbor, distribution, acr, dockerhub)


def proofs(delivery: Delivery) -> tuple[Proof, ...]:
    """The kinds of proof that a delivery can carry: what its headers alone can tell, for it is not parsed before.

    Registries send a fixed ``Authorization`` or nothing at all; for those a secret in the URL must be agreed on.
    """
    return github_packages.PROOFS if delivery.header("X-GitHub-Event") else harbor.PROOFS


def source(delivery: Delivery, document: Node) -> Source | None:
    """Who sent a verified delivery; None for nobody we know."""
    return next((each for each in SOURCES if each.sends(delivery, document)), None)


def parse(delivery: Delivery, now: datetime) -> Parsed[ImageRef]:
    """Read a verified delivery; ``now`` dates the events of those who do not tell when.

    Raises:
        MalformedPayload: nobody we know sends such a body.
    """
    document = delivery.document()
    sender = source(delivery, document)
    if sender is None:
        raise MalformedPayload("", "an announcement of an image by a registry that we know", shown(document.value))
    return replace(sender.parse(delivery, document, now), source=sender.NAME)
