"""Images in GitHub's packages. ``package`` and ``registry_package`` may both be sent for one push.

Source: GitHub's webhook documentation, and samples.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from junbi.events.document import Node
from junbi.events.parsed import Ignored, IgnoredCode, Parsed
from junbi.events.proofs import Hmac
from junbi.events.registry import push

if TYPE_CHECKING:
    from datetime import datetime

    from junbi.core.model import ImageRef
    from junbi.events.delivery import Delivery
    from junbi.events.proofs import Proof

NAME = "github_packages"
PROOFS: tuple[Proof, ...] = (Hmac("X-Hub-Signature-256", "sha256="),)
_ACTIONS = {"published", "updated", "create"}
_NO_TIME = "0001-01-01"  #: what GitHub writes where it knows none


def sends(delivery: Delivery, document: Node) -> bool:  # noqa: ARG001 - its header tells
    """By its header."""
    return bool(delivery.header("X-GitHub-Event"))


def parse(delivery: Delivery, document: Node, now: datetime) -> Parsed[ImageRef]:
    """A published container is a push; other packages and actions are none."""
    name = delivery.header("X-GitHub-Event")
    if name == "ping":
        return Parsed(ignored=(Ignored(name, IgnoredCode.PING, "The webhook reaches us."),))
    if name not in {"package", "registry_package"}:
        return push.nothing(name)
    package = document[name].required()
    if document["action"].text_or_nothing() not in _ACTIONS:
        return push.nothing(name, "No image was published.")
    if not package["package_version"].maybe("container_metadata").maybe("tag").there:
        return push.nothing(name, "The package is no image of a container.")
    return push.parsed(now, [lambda: _pushed(name, package)])


def _pushed(name: str, package: Node) -> push.Pushed:
    version = package["package_version"].required()
    tag = version["container_metadata"]["tag"].required()
    image = push.image("ghcr.io", _repository(package, version), tag["name"], tag["digest"])
    stamp, at = version["updated_at"].text_or_nothing(), version["updated_at"].time_or_none()
    return push.Pushed(name, image, stamp, None if stamp.startswith(_NO_TIME) else at)


def _repository(package: Node, version: Node) -> Node:
    """As ``package_url`` tells it, or put together of namespace and name; in small letters, as the registry wants."""
    url = version["package_url"].text_or_nothing()
    if url.startswith("ghcr.io/"):
        name = url.removeprefix("ghcr.io/").partition("@")[0].partition(":")[0]
        return Node(name.lower(), version["package_url"].path)
    space, name = package["namespace"].text(), package["name"].text()
    return Node(f"{space}/{name}".lower(), package["name"].path)
