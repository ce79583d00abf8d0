"""Docker Hub's deliveries. They prove nothing and tell no digest; ``callback_url`` is never called.

One push of several architectures can send several of them. Source: Docker Hub's documentation, and samples.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from junbi.events.document import Node
from junbi.events.registry import push

if TYPE_CHECKING:
    from datetime import datetime

    from junbi.core.model import ImageRef
    from junbi.events.delivery import Delivery
    from junbi.events.parsed import Parsed
    from junbi.events.proofs import Proof

NAME = "dockerhub"
PROOFS: tuple[Proof, ...] = ()


def sends(delivery: Delivery, document: Node) -> bool:  # noqa: ARG001 - its headers tell nothing
    """By a push of a repository that has no region."""
    return document.maybe("push_data").there and document.maybe("repository").maybe("repo_name").there


def parse(delivery: Delivery, document: Node, now: datetime) -> Parsed[ImageRef]:  # noqa: ARG001 - see ``sends``
    """One push."""
    return push.parsed(now, [lambda: _pushed(document)])


def _pushed(document: Node) -> push.Pushed:
    pushed, name = document["push_data"].required(), document["repository"]["repo_name"]
    full = name.text() if "/" in name.text() else f"library/{name.text()}"
    image = push.image("docker.io", Node(full, name.path), pushed["tag"], pushed["digest"])
    return push.Pushed("push", image, str(pushed["pushed_at"].value), pushed["pushed_at"].time_or_none())
