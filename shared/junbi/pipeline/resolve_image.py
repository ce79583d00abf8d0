"""Looks which digest a watched image's tag names, and makes a revision of one that is new."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from junbi.core import image, refusals
from junbi.core.facts import CreateState
from junbi.core.model import Reason
from junbi.core.reasons import Code
from junbi.core.tags import highest
from junbi.errors import Refused
from junbi.ledger.rows import to_time
from junbi.pipeline import image_registrar
from junbi.pipeline.line import EVERY, Line, refused, watched

if TYPE_CHECKING:
    from collections.abc import Collection
    from datetime import datetime

    from junbi.core.facts import Revision
    from junbi.core.image import Found
    from junbi.core.plan import ImageSpec
    from junbi.ledger.image_lines import ImageState
    from junbi.pipeline.image_source import ImageSource
    from junbi.pipeline.wiring import Ports


def look(ports: Ports, name: str) -> datetime | None:
    """Read what a line's tag names, and take up what is new; when to look again."""
    line = watched(ports, "image", ports.ledger.image_lines, name)
    if line is None:
        return None
    pushed, read = ports.ledger.image_lines.pushed(name), True
    try:
        found = _find(ports, line.spec, line.before, pushed, line.began)
    except Refused as error:
        found, read = _refused(line.spec, error), error.code in refusals.NO_SUCH_IMAGE
    with ports.ledger.transaction():
        if line.is_outdated():
            return ports.ledger.now()
        if isinstance(found, Reason):
            line.wait(found, read=read)
        elif line.stand(replace(line.before, head=found.digest, seen=found.seen)):
            _moved(line, found)
        elif pushed:
            said = f"It was pushed again and is what it was: {found.tag} names {found.digest}. Nothing is new."
            line.tell(Code.IMAGE_UNCHANGED, said)
    return line.began + EVERY


def _find(ports: Ports, line: ImageSpec, state: ImageState, pushed: Collection[str], now: datetime) -> Found | Reason:
    """What the line names now."""
    source = ports.registry(line)
    if line.tag:
        return image.named(line, line.tag, source.digest(line.tag))
    tags = [tag for tag in source.tags() if image.watches(line, tag)]
    if not tags:
        return image.gone(line, "no tag of that pattern")
    if line.newest == "semver":
        tag = highest(tags)
        return image.named(line, tag, source.digest(tag))
    turn = int(now.timestamp() // EVERY.total_seconds())
    read = {tag: _digest(source, tag) for tag in image.worth_reading(tags, state.seen, pushed, turn)}
    seen = image.dated(tags, state.seen, read, pushed, to_time(now))
    tag = image.latest(seen)
    digest = read.get(tag) or source.digest(tag)
    return image.named(line, tag, digest, {**seen, tag: replace(seen[tag], digest=digest)})


def _digest(source: ImageSource, tag: str) -> str:
    """What a tag names; empty where it is listed and names nothing, which must not keep others from being found."""
    try:
        return source.digest(tag)
    except Refused as error:
        if error.code not in refusals.NO_SUCH_IMAGE:
            raise
        return ""


def _moved(line: Line[ImageSpec, ImageState], found: Found) -> None:
    """A line names another digest than when it was looked at last. Call it inside a transaction."""
    spec, digest = line.spec, found.digest
    revision = line.revision(
        digest,
        f"{spec.host}/{spec.path}",
        label=found.tag if spec.tags else f"{found.tag} {digest.partition(':')[2][:12]}",
        bucket=spec.repository,
        prefix=found.tag,
        captures=found.captures,
    )
    kept = line.take_up(revision, "ImageFound", f"{spec.repository}:{found.tag} is {digest}")
    _register_late(line, kept)


def _register_late(line: Line[ImageSpec, ImageState], revision: Revision) -> None:
    """Register what was known before anybody asked for that."""
    ledger = line.ports.ledger
    registration = ledger.revisions.registration(revision.id)
    ended = registration.state is CreateState.DONE
    if line.spec.registers and ended and not image_registrar.is_registered(registration):
        ledger.revisions.save_registration(replace(registration, state=CreateState.PENDING, dataset_id=""))
        ledger.worklist.ask("revision", revision.id, ledger.now())


def _refused(line: ImageSpec, error: Refused) -> Reason:
    if error.code in refusals.NO_SUCH_IMAGE:
        return image.gone(line, f"no tag {line.tag}" if line.tag else "no tags")
    renew = "Renew the password or the trust that is named in this entry"
    return refused(line, error, credential=Code.IMAGE_CREDENTIAL_REFUSED, gone=Code.IMAGE_TAG_GONE, renew=renew)
