"""What pushes of images have in common: tags, digests and the event they become."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from junbi.core.model import Event, EventKind, ImageRef
from junbi.events.document import shown
from junbi.events.parsed import Ignored, IgnoredCode, Parsed, together

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from datetime import datetime

    from junbi.events.document import Node

#: Source: OCI distribution specification, and of digests the image specification.
_TAG = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]{0,127}")
_DIGEST = re.compile(r"sha256:[0-9a-f]{64}|sha512:[0-9a-f]{128}")
_REPOSITORY = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*(?:/[A-Za-z0-9][A-Za-z0-9._-]*)*")
_HOST = re.compile(r"[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?(?::[0-9]{1,5})?")
_LONGEST = 512  #: characters of a repository's name with its host


@dataclass(frozen=True, slots=True)
class Pushed:
    """An image as a source tells it.

    Attributes:
        name: of the event.
        stamp: what the source gives to tell two pushes of one image apart, in its own words: an id or a time.
        at: when; None where the source does not say it, or without a zone.
    """

    name: str
    image: ImageRef
    stamp: str
    at: datetime | None = None


def parsed(now: datetime, reads: Iterable[Callable[[], Pushed | Ignored]]) -> Parsed[ImageRef]:
    """The events of a delivery; a part that cannot be read costs the others nothing.

    Raises:
        MalformedPayload: not one part can be read.
    """
    return together(_told(read, now) for read in reads)


def _told(read: Callable[[], Pushed | Ignored], now: datetime) -> Callable[[], Event[ImageRef] | Ignored]:
    def told() -> Event[ImageRef] | Ignored:
        found = read()
        return found if isinstance(found, Ignored) else _event(found, now)

    return told


def ignored(name: str, told: str = "") -> Ignored:
    """What is no push of an image: a pull, a deletion, a scan, a layer, a quota of storage."""
    return Ignored(name, IgnoredCode.NOT_A_PUSH, told or f"{shown(name)} pushes no image: nothing to do.")


def nothing(name: str, told: str = "") -> Parsed[ImageRef]:
    """A delivery that is no push."""
    return Parsed(ignored=(ignored(name, told),))


def image(registry: str, repository: Node, tag: Node, digest: Node) -> ImageRef:
    """What was pushed.

    A tag that is a digest is none (Harbor), and a digest that is none is left out where there is a tag to read it by.

    Raises:
        MalformedPayload: there is neither a tag nor a digest, or one has a form that no registry takes.
    """
    name, label, hashed = repository.text(), tag.text(optional=True), digest.text_or_nothing().lower()
    if not _REPOSITORY.fullmatch(name) or len(name) > _LONGEST:
        repository.refuse("the name of a repository")
    if _DIGEST.fullmatch(label):
        label, hashed = "", hashed or label
    if label and not _TAG.fullmatch(label):
        tag.refuse("a tag, or a digest")
    if not _DIGEST.fullmatch(hashed):
        hashed = ""
    if not label and not hashed:
        (digest if digest.there else tag).refuse("a tag, or a digest such as sha256:…")
    return ImageRef(registry, name, label, hashed)


def host(text: str) -> str:
    """The host of ``host[:port]/…`` in lower case; empty where there is none."""
    head = text.removeprefix("https://").removeprefix("http://").partition("/")[0].lower()
    return head if _HOST.fullmatch(head) and len(head) <= _LONGEST else ""


def _event(told: Pushed, now: datetime) -> Event[ImageRef]:
    where = told.image
    parts = (told.stamp, where.registry, where.repository, where.tag, where.digest)
    return Event(
        id=hashlib.blake2b("\0".join(parts).encode(errors="replace"), digest_size=16).hexdigest(),
        kind=EventKind.IMAGE_PUSHED,
        name=told.name,
        subject=where,
        at=told.at or now,
    )
