"""Harbor's deliveries, in its default form and as CloudEvents. Its quotas are of a project's storage, not of PAI.

Source: Harbor's documentation on webhooks, and samples.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from junbi.events.proofs import Authorization
from junbi.events.registry import push

if TYPE_CHECKING:
    from datetime import datetime

    from junbi.core.model import ImageRef
    from junbi.events.delivery import Delivery
    from junbi.events.document import Node
    from junbi.events.parsed import Parsed
    from junbi.events.proofs import Proof

NAME = "harbor"
PROOFS: tuple[Proof, ...] = (Authorization(),)
_PUSHES = {"PUSH_ARTIFACT", "pushImage", "harbor.artifact.pushed"}


def sends(delivery: Delivery, document: Node) -> bool:  # noqa: ARG001 - its headers tell nothing
    """By its type with the data of an event."""
    return document.maybe("event_data").there or document.maybe("type").text_or_nothing().startswith("harbor.")


def parse(delivery: Delivery, document: Node, now: datetime) -> Parsed[ImageRef]:  # noqa: ARG001 - see ``sends``
    """Each resource of a push; every other event is ignored by its name."""
    name = document["type"].text()
    if name not in _PUSHES:
        return push.nothing(name)
    data = document["event_data"] if document["event_data"].there else document["data"]
    stamp = document["id"].text_or_nothing() or str(document["occur_at"].value)
    at = (document["time"] if document["time"].there else document["occur_at"]).time_or_none()
    resources = data["resources"].items()
    return push.parsed(now, [partial(_pushed, name, data, each, stamp, at) for each in resources])


def _pushed(name: str, data: Node, resource: Node, stamp: str, at: datetime | None) -> push.Pushed:
    registry = push.host(resource["resource_url"].text_or_nothing())
    image = push.image(registry, data["repository"]["repo_full_name"], resource["tag"], resource["digest"])
    return push.Pushed(name, image, stamp, at)
