"""GitLab's deliveries, of a project's hook, a group's or the system's.

A push does not tell whether it was forced, so that ``paths`` are those of the listed commits (assumed to follow
``before``); more than three refs at once send nothing by default. Source: GitLab's webhook documentation.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from junbi.events.git import push
from junbi.events.proofs import StandardWebhook, Token

if TYPE_CHECKING:
    from datetime import datetime

    from junbi.core.model import CommitRef
    from junbi.events.delivery import Delivery
    from junbi.events.document import Node
    from junbi.events.parsed import Parsed
    from junbi.events.proofs import Proof

NAME = "gitlab"
PROOFS: tuple[Proof, ...] = (StandardWebhook(), Token("X-Gitlab-Token"))


def sends(delivery: Delivery) -> bool:
    """By its header."""
    return bool(delivery.header("X-Gitlab-Event"))


def parse(delivery: Delivery, now: datetime) -> Parsed[CommitRef]:
    """A push of a branch or tag is an event; the system's ``repository_update`` comes beside it."""
    document = delivery.document().required()
    kind = document["object_kind"].text_or_nothing() or document["event_name"].text_or_nothing()
    if kind == "repository_update":
        return push.told_twice(kind)
    if kind not in {"push", "tag_push"}:
        return push.not_a_push(kind or delivery.header("X-Gitlab-Event"))
    home, mirror = document["project"], document["repository"]
    urls = (home.maybe("git_http_url"), home.maybe("git_ssh_url"), mirror.maybe("git_http_url"))
    addresses = push.repository(*urls, mirror.maybe("git_ssh_url"))
    return push.parsed(delivery, now, addresses, [lambda: moved(document, kind)])


def moved(document: Node, kind: str) -> push.Moved:
    """The ref of a push; ``checkout_sha`` is the commit behind an annotated tag."""
    ref, before, after = push.ref(document["ref"]), push.commit(document["before"]), push.commit(document["after"])
    total = document["total_commits_count"].count()
    return push.Moved(
        name=kind,
        ref=ref,
        after=push.peeled(ref, after, document["checkout_sha"]),
        before=before,
        paths=push.paths(ref, before, after, document["commits"], total),
    )
