"""Deliveries of Bitbucket Cloud: several refs each, and no paths. Source: Bitbucket Cloud's event payloads."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from junbi.events.git import push
from junbi.events.proofs import Hmac

if TYPE_CHECKING:
    from datetime import datetime

    from junbi.core.model import CommitRef
    from junbi.events.delivery import Delivery
    from junbi.events.document import Node
    from junbi.events.parsed import Parsed

NAME = "bitbucket"
PROOFS = (Hmac("X-Hub-Signature", "sha256="),)
_FOLDERS = {"branch": "refs/heads/", "named_branch": "refs/heads/", "bookmark": "refs/heads/", "tag": "refs/tags/"}


def sends(delivery: Delivery) -> bool:
    """By its header, which the Server edition sends as well: that one is asked before."""
    return bool(delivery.header("X-Event-Key"))


def parse(delivery: Delivery, now: datetime) -> Parsed[CommitRef]:
    """Each change of a push is an event."""
    name, document = delivery.header("X-Event-Key"), delivery.document().required()
    if name != "repo:push":
        return push.not_a_push(name)
    links = document["repository"]["links"].required()
    addresses = push.repository(links["html"].maybe("href"))
    changes = document["push"]["changes"].items()
    return push.parsed(delivery, now, addresses, [partial(_moved, name, each) for each in changes])


def _moved(name: str, change: Node) -> push.Moved:
    new, old = change["new"], change["old"]
    told = new if new.there else old
    kind = told["type"]
    folder = _FOLDERS.get(kind.text())
    if folder is None:
        kind.refuse("branch or tag")
    before = push.commit(old["target"]["hash"]) if old.there else ""
    after = push.surely(new["target"]["hash"]) if new.there else ""
    return push.Moved(name, push.ref(told["name"], folder), after, before)
