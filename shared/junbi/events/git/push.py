"""What pushes of every provider have in common: refs, commits, changed paths and the event they become."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from junbi.core.model import CommitRef, Event, EventKind
from junbi.events.document import shown
from junbi.events.git.address import known
from junbi.events.parsed import Ignored, IgnoredCode, Parsed, together
from junbi.events.signatures import replay_key

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from datetime import datetime

    from junbi.events.delivery import Delivery
    from junbi.events.document import Node

_COMMIT = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_LONGEST_REF = 1024  #: characters; hosts take fewer
_MOST_FILES = 300  #: of one commit; assumed: beyond it a host may leave some out


@dataclass(frozen=True, slots=True)
class Moved:
    """A ref as a push tells it, in the provider's own words.

    Attributes:
        name: of the event.
        ref: in full.
        after: the commit it is at, a tag peeled where the payload can; empty where it was deleted.
        before: empty where it is new, or not told.
        paths: see ``CommitRef``.
        at: when it was pushed; None where it is not told.
    """

    name: str
    ref: str
    after: str
    before: str = ""
    paths: frozenset[str] | None = None
    at: datetime | None = None


def parsed(
    delivery: Delivery, now: datetime, addresses: Sequence[str], reads: Iterable[Callable[[], Moved]]
) -> Parsed[CommitRef]:
    """The events of a delivery's pushes; one that leaves its ref where it was is none.

    Args:
        delivery: as it came.
        now: when, for those who do not tell.
        addresses: of the repository.
        reads: one for each ref; one that cannot be read costs the others nothing.

    Raises:
        MalformedPayload: not one ref can be read.
    """
    return together(_told(read, delivery, now, addresses) for read in reads)


def _told(
    read: Callable[[], Moved], delivery: Delivery, now: datetime, addresses: Sequence[str]
) -> Callable[[], Event[CommitRef] | Ignored]:
    def told() -> Event[CommitRef] | Ignored:
        move = read()
        if move.after and move.after == move.before:
            said = f"{shown(move.ref)} is where it was: a test of the webhook."
            return Ignored(move.name, IgnoredCode.NO_CHANGE, said)
        return _event(delivery, now, addresses, move)

    return told


def nothing(name: str, code: IgnoredCode, message: str) -> Parsed[CommitRef]:
    """A delivery that is no push."""
    return Parsed(ignored=(Ignored(name, code, message),))


def not_a_push(name: str) -> Parsed[CommitRef]:
    """A delivery of another kind: issues, merge requests, what a host may add."""
    told = f"{shown(name)} moves no branch or tag. Only pushes need be sent here."
    return nothing(name, IgnoredCode.NOT_A_PUSH, told)


def ping(name: str) -> Parsed[CommitRef]:
    """A delivery that only tries whether we are there."""
    return nothing(name, IgnoredCode.PING, "The webhook reaches us.")


def told_twice(name: str) -> Parsed[CommitRef]:
    """A delivery that says what a push says too."""
    return nothing(name, IgnoredCode.TOLD_TWICE, "A push tells the same, and is what counts.")


def repository(*urls: Node) -> tuple[str, ...]:
    """The addresses of a repository, the first of which is the one to show.

    Raises:
        MalformedPayload: not one of these is an address.
    """
    found = known(*(url.text_or_nothing() for url in urls))
    return found or urls[0].refuse("the address of a repository")


def ref(node: Node, folder: str = "") -> str:
    """A full ref; ``folder`` such as ``refs/heads/`` where only the name is told."""
    text = folder + node.text()
    if not text.startswith("refs/") or text.endswith("/") or not text.isprintable() or len(text) > _LONGEST_REF:
        node.refuse("a name of a branch or tag" if folder else "a full ref such as refs/heads/main")
    return text


def commit(node: Node) -> str:
    """A commit's id in lower case; empty for null and for zeros, whatever their number: there is none."""
    text = node.text(optional=True).lower()
    if not text.strip("0"):
        return ""
    return text if _COMMIT.fullmatch(text) else node.refuse("40 or 64 hex digits")


def surely(node: Node) -> str:
    """A commit's id that must be one."""
    return commit(node) or node.refuse("40 or 64 hex digits that are not all zero")


def peeled(name: str, after: str, head: Node) -> str:
    """The commit behind a ref: of an annotated tag, ``after`` is the tag object and ``head`` the commit."""
    return (name.startswith("refs/tags/") and after and commit(head)) or after


def paths(move: str, before: str, after: str, commits: Node, total: int | None) -> frozenset[str] | None:
    """What the listed commits change.

    Args:
        move: the ref.
        before: the commit it was at; of a new one nothing is known.
        after: the commit it is at, which must be among the listed.
        commits: with ``id``, ``added``, ``modified`` and ``removed`` each.
        total: how many there are; None where that is not told, and so nothing is known.
    """
    listed = commits.value if isinstance(commits.value, list) else []
    if not move.startswith("refs/heads/") or not before or not listed or total != len(listed):
        return None
    found: set[str] = set()
    ids: set[str] = set()
    for each in commits.items():
        changed = _changed(each)
        if changed is None:
            return None
        found |= changed
        ids.add(each.maybe("id").text_or_nothing().lower())
    return frozenset(found) if after in ids else None


def _changed(one: Node) -> set[str] | None:
    """The paths of one commit; None where they are not told, or so many that some may be missing."""
    lists = [one.maybe(name).value for name in ("added", "modified", "removed")]
    if not all(isinstance(each, list) for each in lists):
        return None
    texts = [path for each in lists for path in each]
    if len(texts) >= _MOST_FILES or not all(isinstance(path, str) for path in texts):
        return None
    return set(texts)


def _event(delivery: Delivery, now: datetime, addresses: Sequence[str], move: Moved) -> Event[CommitRef]:
    subject = CommitRef(
        addresses[0], move.ref, move.after, before=move.before, others=tuple(addresses[1:]), paths=move.paths
    )
    parts = (replay_key(delivery), addresses[0], move.ref, move.before, move.after)
    return Event(
        id=hashlib.blake2b("\0".join(parts).encode(), digest_size=16).hexdigest(),
        kind=EventKind.REF_MOVED if move.after else EventKind.REF_REMOVED,
        name=move.name,
        subject=subject,
        at=move.at or now,
    )
