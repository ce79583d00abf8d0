"""Codeup's deliveries, which have the shape of an early GitLab's. Source: Alibaba Cloud's Codeup documentation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from junbi.events.git import gitlab, push
from junbi.events.proofs import Token

if TYPE_CHECKING:
    from datetime import datetime

    from junbi.core.model import CommitRef
    from junbi.events.delivery import Delivery
    from junbi.events.parsed import Parsed
    from junbi.events.proofs import Proof

NAME = "codeup"
PROOFS: tuple[Proof, ...] = (Token("X-Codeup-Token"),)


def sends(delivery: Delivery) -> bool:
    """By its header, of which the documentation and receivers in the field know two spellings."""
    return bool(delivery.header("Codeup-Event") or delivery.header("X-Codeup-Event"))


def parse(delivery: Delivery, now: datetime) -> Parsed[CommitRef]:
    """A push of a branch or tag is an event."""
    document = delivery.document().required()
    kind = document["object_kind"].text_or_nothing()
    if kind not in {"push", "tag_push"}:
        return push.not_a_push(kind or delivery.header("Codeup-Event") or delivery.header("X-Codeup-Event"))
    home = document["repository"].required()
    addresses = push.repository(home["git_http_url"], home["git_ssh_url"], home["homepage"])
    return push.parsed(delivery, now, addresses, [lambda: gitlab.moved(document, kind)])
