"""The trigger of a repository of Alibaba Cloud's Container Registry, personal and enterprise.

It proves nothing and names neither the registry's host nor its instance: both stand in the configuration. Its
``pushed_at`` has no zone, so that the time of arrival counts. Source: Container Registry's documentation.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from junbi.events.registry import push

if TYPE_CHECKING:
    from datetime import datetime

    from junbi.core.model import ImageRef
    from junbi.events.delivery import Delivery
    from junbi.events.document import Node
    from junbi.events.parsed import Parsed
    from junbi.events.proofs import Proof

NAME = "acr"
PROOFS: tuple[Proof, ...] = ()


def sends(delivery: Delivery, document: Node) -> bool:  # noqa: ARG001 - its headers tell nothing
    """By the full name and region of its repository, which Docker Hub does not tell."""
    home = document.maybe("repository")
    return document.maybe("push_data").there and home.maybe("repo_full_name").there


def parse(delivery: Delivery, document: Node, now: datetime) -> Parsed[ImageRef]:  # noqa: ARG001 - see ``sends``
    """One push."""
    return push.parsed(now, [lambda: _pushed(document)])


def _pushed(document: Node) -> push.Pushed:
    pushed = document["push_data"].required()
    image = push.image("", document["repository"]["repo_full_name"], pushed["tag"], pushed["digest"])
    return push.Pushed("push", image, pushed["pushed_at"].text_or_nothing())
