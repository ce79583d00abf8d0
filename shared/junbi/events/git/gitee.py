"""Gitee's deliveries. Its proof does not cover the body, so that nothing but the name of a ref is to be believed.

The body repeats the secret: it is never to be kept. Source: Gitee's webhook documentation, and samples.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from junbi.events.git import push
from junbi.events.proofs import Gitee

if TYPE_CHECKING:
    from datetime import datetime

    from junbi.core.model import CommitRef
    from junbi.events.delivery import Delivery
    from junbi.events.document import Node
    from junbi.events.parsed import Parsed

NAME = "gitee"
PROOFS = (Gitee(),)
_PUSHES = {"push_hooks", "tag_push_hooks", "push", "tag_push", "Push Hook", "Tag Push Hook"}


def sends(delivery: Delivery) -> bool:
    """By its header, or its token where a gateway dropped the event's name."""
    return bool(delivery.header("X-Gitee-Event") or delivery.header("X-Gitee-Token"))


def parse(delivery: Delivery, now: datetime) -> Parsed[CommitRef]:
    """A push of a branch or tag is an event."""
    document = delivery.document().required()
    kind = delivery.header("X-Gitee-Event") or document["hook_name"].text_or_nothing()
    if document["hook_name"].value == "ping" or kind.lower() == "ping":
        return push.ping(kind)
    if kind not in _PUSHES:
        return push.not_a_push(kind)
    home, mirror = document["repository"], document["project"]
    urls = [each.maybe(name) for each in (home, mirror) for name in ("git_http_url", "git_ssh_url", "clone_url")]
    return push.parsed(delivery, now, push.repository(*urls), [lambda: _moved(document, kind)])


def _moved(document: Node, kind: str) -> push.Moved:
    ref, before, after = push.ref(document["ref"]), push.commit(document["before"]), push.commit(document["after"])
    if document["deleted"].value is True:
        after = ""
    commits = document["commits"]
    return push.Moved(
        name=kind,
        ref=ref,
        after=push.peeled(ref, after, document["head_commit"].maybe("id")),
        before=before,
        paths=push.paths(ref, before, after, commits, _total(document, before)),
    )


def _total(document: Node, before: str) -> int | None:
    """How many commits there are, where the listed ones lead back to ``before`` without a gap."""
    commits = document["commits"]
    if document["commits_more_than_ten"].value is True or not isinstance(commits.value, list):
        return None
    parents = {parent for each in commits.items() for parent in _parents(each)}
    return len(commits.value) if before in parents else None


def _parents(one: Node) -> list[str]:
    value = one.maybe("parent_ids").value
    return [each for each in value if isinstance(each, str)] if isinstance(value, list) else []
