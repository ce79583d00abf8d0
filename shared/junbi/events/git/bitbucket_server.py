"""Deliveries of Bitbucket Server and Data Center: several refs each, and no paths.

Source: Bitbucket Data Center's event payloads. An annotated tag's ``toHash`` is the tag object's (assumed).
"""

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

NAME = "bitbucket_server"
PROOFS = (Hmac("X-Hub-Signature", "sha256="),)
_PUSH, _PING = "repo:refs_changed", "diagnostics:ping"


def sends(delivery: Delivery) -> bool:
    """By the events that Bitbucket Cloud does not have; of the others nothing is needed."""
    return delivery.header("X-Event-Key") in {_PUSH, _PING}


def parse(delivery: Delivery, now: datetime) -> Parsed[CommitRef]:
    """Each change of a push is an event."""
    name = delivery.header("X-Event-Key")
    if name == _PING:
        return push.ping(name)
    document = delivery.document().required()
    clones = document["repository"]["links"]["clone"]
    addresses = push.repository(*(each.maybe("href") for each in clones.items() or [clones]))
    at = document["date"].time_or_none()
    changes = document["changes"].items()
    return push.parsed(delivery, now, addresses, [partial(_moved, name, each, at) for each in changes])


def _moved(name: str, change: Node, at: datetime | None) -> push.Moved:
    before, after = push.commit(change["fromHash"]), push.commit(change["toHash"])
    ref = push.ref(change["ref"]["id"])
    return push.Moved(name, ref, "" if change["type"].value == "DELETE" else after, before, at=at)
