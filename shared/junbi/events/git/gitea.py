"""Deliveries of Gitea and Forgejo, of a repository's hook, an organisation's or the system's.

A deleted branch is told by ``delete`` alone, a new one by ``create`` beside its push; a push lists the newest few
commits and tells their number. Source: Gitea's source, services/repository/push.go.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from junbi.events.git import push
from junbi.events.proofs import Authorization, Hmac

if TYPE_CHECKING:
    from datetime import datetime

    from junbi.core.model import CommitRef
    from junbi.events.delivery import Delivery
    from junbi.events.document import Node
    from junbi.events.parsed import Parsed
    from junbi.events.proofs import Proof

NAME = "gitea"
PROOFS: tuple[Proof, ...] = (
    Hmac("X-Gitea-Signature"),
    Hmac("X-Forgejo-Signature"),
    Hmac("X-Hub-Signature-256", "sha256="),
    Authorization(),
)


def sends(delivery: Delivery) -> bool:
    """By its own header: it sends those of Gogs and GitHub as well."""
    return bool(_event(delivery))


def parse(delivery: Delivery, now: datetime) -> Parsed[CommitRef]:
    """A push is an event, and so is a deletion."""
    name, document = _event(delivery), delivery.document().required()
    if name == "create":
        return push.told_twice(name)
    if name not in {"push", "delete"}:
        return push.not_a_push(name)
    home = document["repository"].required()
    addresses = push.repository(home["clone_url"], home["ssh_url"], home["html_url"])
    read = _pushed if name == "push" else deleted
    return push.parsed(delivery, now, addresses, [lambda: read(document)])


def deleted(document: Node) -> push.Moved:
    """The ref of a deletion, which names it in short."""
    return push.Moved("delete", named(document), after="")


def named(document: Node) -> str:
    """The full ref of an event that tells a short one and its kind."""
    kind = document["ref_type"]
    folder = {"branch": "refs/heads/", "tag": "refs/tags/"}.get(kind.text())
    if folder is None:
        kind.refuse("branch or tag")
    return push.ref(document["ref"], folder)


def _pushed(document: Node) -> push.Moved:
    ref, before, after = push.ref(document["ref"]), push.commit(document["before"]), push.commit(document["after"])
    return push.Moved(
        name="push",
        ref=ref,
        after=push.peeled(ref, after, document["head_commit"].maybe("id")),
        before=before,
        paths=push.paths(ref, before, after, document["commits"], document["total_commits"].count()),
    )


def _event(delivery: Delivery) -> str:
    return delivery.header("X-Gitea-Event") or delivery.header("X-Forgejo-Event")
