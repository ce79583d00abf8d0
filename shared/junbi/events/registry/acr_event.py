"""Events of Container Registry's enterprise edition, passed on by EventBridge with the source ``acs.cr``."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from junbi.events.document import Node, shown
from junbi.events.eventbridge import envelopes, is_bridged
from junbi.events.parsed import Ignored, Parsed
from junbi.events.registry import push

if TYPE_CHECKING:
    from datetime import datetime

    from junbi.core.model import ImageRef
    from junbi.events.delivery import Delivery
    from junbi.events.eventbridge import Envelope
    from junbi.events.proofs import Proof

NAME = "acr_event"
#: EventBridge reaches a function by its own rights, which FC checks; where it calls an address, it proves nothing.
PROOFS: tuple[Proof, ...] = ()
#: Assumed: ``PushCompleted`` tells its image as ``BuildCompleted`` does, which is the one that a page shows, perhaps
#: with a ``Digest``. How to check: push an image and read the event. If it is wrong: the event is quarantined with the
#: member that is missing, and the image is found when its registry is looked at.
_PUSHED, _BUILT = "cr:Artifact:PushCompleted", "cr:Artifact:BuildCompleted"


def sends(delivery: Delivery, document: Node) -> bool:  # noqa: ARG001 - EventBridge sends the body alone
    """By the source of its envelopes, or of one of them."""
    if not is_bridged(document):
        return False
    return any(envelope.source == "acs.cr" for envelope in envelopes(document)[0])


def parse(delivery: Delivery, document: Node, now: datetime) -> Parsed[ImageRef]:  # noqa: ARG001 - see ``sends``
    """Each image that was pushed, or built by the registry itself."""
    found, malformed = envelopes(document)
    read = push.parsed(now, [partial(_read, envelope) for envelope in found])
    return Parsed(read.events, (*malformed, *read.malformed), read.ignored)


def _read(envelope: Envelope) -> push.Pushed | Ignored:
    data = envelope.data.required()
    if envelope.source != "acs.cr" or envelope.type not in {_PUSHED, _BUILT}:
        return push.ignored(envelope.type)
    if envelope.type == _BUILT and data["BuildStatus"].value != "SUCCESS":
        return push.ignored(envelope.type, f"The build ended with {shown(data['BuildStatus'].value)}: no new image.")
    space, name = data["RepoNamespaceName"], data["RepoName"]
    repository = Node(f"{space.text()}/{name.text()}", name.path)
    image = push.image(_host(data), repository, data["Tag"], data["Digest"])
    return push.Pushed(envelope.type, image, envelope.id, envelope.time)


def _host(data: Node) -> str:
    """The instance's public host. Source: Container Registry's documentation on access over the internet."""
    instance, region = data["InstanceName"].text_or_nothing(), data["RegionId"].text_or_nothing()
    return push.host(f"{instance}-registry.{region}.cr.aliyuncs.com") if instance and region else ""
