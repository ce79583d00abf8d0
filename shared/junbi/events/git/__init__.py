"""Pushes to Git repositories, whoever hosts them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from junbi.errors import MalformedPayload
from junbi.events.git import bitbucket, bitbucket_server, codeup, gitea, gitee, github, gitlab, gogs

if TYPE_CHECKING:
    from datetime import datetime

    from junbi.core.model import CommitRef
    from junbi.events.delivery import Delivery
    from junbi.events.git.source import Source
    from junbi.events.parsed import Parsed

#: In the order in which they are asked: Gitea sends the headers of Gogs and GitHub too, and Bitbucket's editions share
#: theirs.
SOURCES: tuple[Source, ...] = (gitea, gogs, gitee, codeup, gitlab, bitbucket_server, bitbucket, github)


def source(delivery: Delivery) -> Source | None:
    """Who sent a delivery, by its headers alone; None for nobody we know."""
    return next((each for each in SOURCES if each.sends(delivery)), None)


def parse(delivery: Delivery, now: datetime) -> Parsed[CommitRef]:
    """Read a verified delivery; ``now`` dates the events of those who do not tell when.

    Raises:
        MalformedPayload: nobody we know sends such headers, or not such a body with them.
    """
    sender = source(delivery)
    if sender is None:
        raise MalformedPayload("", "a header of a Git host, such as X-GitHub-Event", "none of those known")
    return replace(sender.parse(delivery, now), source=sender.NAME)
