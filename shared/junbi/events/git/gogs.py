"""Deliveries of Gogs.

A deleted ref is told by ``delete`` alone and a new tag by ``create`` alone; a new branch by both ``create`` and a push,
whose list of commits may be cut short without a word. Source: Gogs' source, internal/database/actions.go.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from junbi.events.git import gitea, push
from junbi.events.proofs import Hmac

if TYPE_CHECKING:
    from datetime import datetime

    from junbi.core.model import CommitRef
    from junbi.events.delivery import Delivery
    from junbi.events.document import Node
    from junbi.events.parsed import Parsed

NAME = "gogs"
PROOFS = (Hmac("X-Gogs-Signature"),)


def sends(delivery: Delivery) -> bool:
    """By its header, which Gitea sends as well: Gitea is asked before."""
    return bool(delivery.header("X-Gogs-Event"))


def parse(delivery: Delivery, now: datetime) -> Parsed[CommitRef]:
    """A push, a deletion and a new tag are events."""
    name, document = delivery.header("X-Gogs-Event"), delivery.document().required()
    if name == "create" and document["ref_type"].value == "branch":
        return push.told_twice(name)
    if name not in {"push", "delete", "create"}:
        return push.not_a_push(name)
    home = document["repository"].required()
    addresses = push.repository(home["clone_url"], home["ssh_url"], home["html_url"])
    return push.parsed(delivery, now, addresses, [lambda: _moved(document, name)])


def _moved(document: Node, name: str) -> push.Moved:
    if name == "delete":
        return gitea.deleted(document)
    if name == "create":
        return push.Moved(name, gitea.named(document), push.surely(document["sha"]))
    before, after = push.commit(document["before"]), push.commit(document["after"])
    return push.Moved(name, push.ref(document["ref"]), after, before)
