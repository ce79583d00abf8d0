"""GitHub's deliveries, of a repository's hook, an organisation's or an app's.

Source: GitHub's webhook documentation. A push lists at most 2,048 commits; more than three tags at once send nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from junbi.events.git import push
from junbi.events.parsed import IgnoredCode
from junbi.events.proofs import Hmac

if TYPE_CHECKING:
    from datetime import datetime

    from junbi.core.model import CommitRef
    from junbi.events.delivery import Delivery
    from junbi.events.document import Node
    from junbi.events.parsed import Parsed

NAME = "github"
PROOFS = (Hmac("X-Hub-Signature-256", "sha256="),)
_MOST_COMMITS = 2048  #: listed in one delivery; as many may be more


def sends(delivery: Delivery) -> bool:
    """By its header, which others send too: it is asked last."""
    return bool(delivery.header("X-GitHub-Event"))


def parse(delivery: Delivery, now: datetime) -> Parsed[CommitRef]:
    """A push is an event; ``create`` and ``delete`` come beside a push."""
    name, document = delivery.header("X-GitHub-Event"), delivery.document().required()
    if name == "ping":
        return push.ping(name)
    if name in {"create", "delete"}:
        return push.told_twice(name)
    if name == "repository" and document["action"].text_or_nothing() in {"renamed", "transferred"}:
        return _renamed(name, document)
    return _pushed(delivery, now, document) if name == "push" else push.not_a_push(name)


def _pushed(delivery: Delivery, now: datetime, document: Node) -> Parsed[CommitRef]:
    home = document["repository"].required()
    addresses = push.repository(home["clone_url"], home["ssh_url"], home["git_url"], home["html_url"], home["url"])
    return push.parsed(delivery, now, addresses, [lambda: _moved(document, _pushed_at(home, now))])


def _moved(document: Node, at: datetime | None) -> push.Moved:
    ref = push.ref(document["ref"])
    before, after = push.commit(document["before"]), push.commit(document["after"])
    if document["deleted"].value is True:
        after = ""
    return push.Moved(
        name="push",
        ref=ref,
        after=push.peeled(ref, after, document["head_commit"].maybe("id")),
        before=before,
        paths=_paths(document, ref, before, after),
        at=at,
    )


def _paths(document: Node, ref: str, before: str, after: str) -> frozenset[str] | None:
    commits = document["commits"]
    count = len(commits.value) if isinstance(commits.value, list) else 0
    if document["forced"].value is not False or count >= _MOST_COMMITS:
        return None
    return push.paths(ref, before, after, commits, count)


def _pushed_at(home: Node, now: datetime) -> datetime | None:
    """When the push came in: the only time here that is not a commit author's claim."""
    at = home["pushed_at"].time_or_none()
    return at if at is not None and at <= now else None


def _renamed(name: str, document: Node) -> Parsed[CommitRef]:
    addresses = push.repository(document["repository"]["clone_url"], document["repository"]["html_url"])
    told = f"A repository is {addresses[0]} now. Where junbi.yaml names its old address, write this one."
    return push.nothing(name, IgnoredCode.RENAMED, told)
