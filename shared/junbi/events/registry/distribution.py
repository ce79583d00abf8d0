"""Notifications of the open source registry (CNCF Distribution), in envelopes of version 1 and 2.

Each pushed layer is announced too; only manifests and indexes are images. An index comes with its tag after the
manifests it lists, which come by digest alone. Source: Distribution's documentation on notifications.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from junbi.events.document import shown
from junbi.events.proofs import Authorization
from junbi.events.registry import push

if TYPE_CHECKING:
    from datetime import datetime

    from junbi.core.model import ImageRef
    from junbi.events.delivery import Delivery
    from junbi.events.document import Node
    from junbi.events.parsed import Ignored, Parsed
    from junbi.events.proofs import Proof

NAME = "distribution"
PROOFS: tuple[Proof, ...] = (Authorization(),)
_ENVELOPES = tuple(f"application/vnd.docker.distribution.events.{version}+json" for version in ("v1", "v2"))
_IMAGES = {
    "application/vnd.oci.image.index.v1+json",
    "application/vnd.oci.image.manifest.v1+json",
    "application/vnd.docker.distribution.manifest.list.v2+json",
    "application/vnd.docker.distribution.manifest.v2+json",
    "application/vnd.docker.distribution.manifest.v1+json",
    "application/vnd.docker.distribution.manifest.v1+prettyjws",
}


def sends(delivery: Delivery, document: Node) -> bool:
    """By the type of its envelope, or by events that have a target."""
    if delivery.header("Content-Type").partition(";")[0].strip().lower() in _ENVELOPES:
        return True
    events = document.maybe("events").value
    return isinstance(events, list) and any(isinstance(each, dict) and "target" in each for each in events)


def parse(delivery: Delivery, document: Node, now: datetime) -> Parsed[ImageRef]:  # noqa: ARG001 - all is in the body
    """Each manifest or index that was pushed."""
    return push.parsed(now, [partial(_read, each) for each in document["events"].items()])


def _read(event: Node) -> push.Pushed | Ignored:
    action, target = event["action"].text(), event["target"].required()
    if action != "push":
        return push.ignored(action)
    kind = target["mediaType"].text(optional=True)
    if kind not in _IMAGES:
        return push.ignored(action, f"A {shown(kind)} is a part of an image, or none at all.")
    registry = push.host(event["request"].maybe("host").text_or_nothing())
    image = push.image(registry, target["repository"], target["tag"], target["digest"])
    return push.Pushed(action, image, event["id"].text_or_nothing(), event["timestamp"].time_or_none())
