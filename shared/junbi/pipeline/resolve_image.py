"""Looks which digest a watched image's tag names, and makes a revision of one that is new."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING

from junbi.core import identity, image, refusals
from junbi.core.facts import CreateState, InputKind, Revision
from junbi.core.model import Reason
from junbi.core.reasons import Code
from junbi.core.tags import highest
from junbi.errors import Refused
from junbi.ledger.rows import to_time
from junbi.pipeline import image_registrar, trigger

if TYPE_CHECKING:
    from collections.abc import Collection
    from datetime import datetime

    from junbi.core.image import Found
    from junbi.core.plan import ImageSpec
    from junbi.ledger.image_lines import ImageState
    from junbi.ledger.ledger import Ledger
    from junbi.pipeline.image_source import ImageSource
    from junbi.pipeline.wiring import Ports

#: How often a registry is looked at when no push tells of it: what a lost push costs.
EVERY = timedelta(minutes=5)


def look(ports: Ports, name: str) -> datetime | None:
    """Read what a line's tag names, and take up what is new; when to look again."""
    ledger, line = ports.ledger, ports.ledger.image_lines.get(name)
    if line is None:
        return None
    began, pushed, before = ledger.now(), ledger.image_lines.pushed(name), ledger.image_lines.state(name)
    read = True
    try:
        found = _find(ports, line, before, pushed, began)
    except Refused as error:
        found, read = _refused(line, error), error.code in refusals.NO_SUCH_IMAGE
    with ledger.transaction():
        if ledger.image_lines.get(name) != line or ledger.image_lines.state(name) != before:
            return ledger.now()  # applied anew or looked at meanwhile: what was read here may be the older
        state = replace(before, looked_at=began) if read else before
        ledger.image_lines.forget(name, began)
        if isinstance(found, Reason):
            _say(ledger, line, state, found, began)
            return began + EVERY
        ledger.image_lines.save_state(name, replace(state, head=found.digest, reason=None, seen=found.seen))
        if found.digest != before.head:
            _moved(ports, line, before, found)
        elif pushed:
            said = f"It was pushed again and is what it was: {found.tag} names {found.digest}. Nothing is new."
            ledger.tell(_subject(line), Code.IMAGE_UNCHANGED, said, ledger.now())
    return began + EVERY


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
    read = {tag: _digest(source, tag) for tag in image.worth_reading(tags, state.seen, pushed)}
    seen = image.dated(tags, state.seen, read, to_time(now))
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


def _moved(ports: Ports, line: ImageSpec, state: ImageState, found: Found) -> None:
    """A line names another digest than when it was looked at last. Call it inside a transaction."""
    ledger, now = ports.ledger, ports.ledger.now()
    revision = _revision(line, found, now)
    known = not ledger.revisions.add(revision)
    if known:
        revision = ledger.revisions.get(revision.id)
        _register_late(ledger, line, revision, now)
    else:
        ledger.worklist.ask("revision", revision.id, now)
    ledger.revisions.put_head(revision)
    again = " again" if known else ""
    ledger.tell(_subject(line), "ImageFound", f"{line.repository}:{found.tag} is {found.digest}{again}.", now)
    if state.looked_at or line.initial == "adopt":
        trigger.evaluate(ports, revision, now)
    else:
        _first(ports, line, state, now)


def _register_late(ledger: Ledger, line: ImageSpec, revision: Revision, now: datetime) -> None:
    """Register what was known before anybody asked for that."""
    registration = ledger.revisions.registration(revision.id)
    if line.registers and registration.state is CreateState.DONE and not image_registrar.is_registered(registration):
        ledger.revisions.save_registration(replace(registration, state=CreateState.PENDING, dataset_id=""))
        ledger.worklist.ask("revision", revision.id, now)


def _first(ports: Ports, line: ImageSpec, state: ImageState, now: datetime) -> None:
    """What was there when a line began to be watched starts nothing. It may be what others waited for."""
    ledger = ports.ledger
    said = "It was there before junbi watched it, and starts nothing by itself ('initial: ignore')."
    ledger.tell(_subject(line), Code.BEFORE_DEPLOYMENT, said, now)
    for name in ledger.generations.inputs_beside(line.name):
        head = ledger.revisions.head(name)
        if head is not None and head.created_at >= state.since:
            trigger.evaluate(ports, head, now)


def _revision(line: ImageSpec, found: Found, now: datetime) -> Revision:
    return Revision(
        id=identity.revision_id(line.name, f"{line.host}/{line.path}", found.digest),
        dataset=line.name,
        label=found.tag if line.tags else f"{found.tag} {found.digest.partition(':')[2][:12]}",
        bucket=line.repository,
        prefix=found.tag,
        captures=dict(found.captures),
        digest=found.digest,
        members=0,
        size=0,
        newest_at=now,
        created_at=now,
        kind=InputKind.IMAGE,
    )


def _say(ledger: Ledger, line: ImageSpec, state: ImageState, reason: Reason, now: datetime) -> None:
    if reason != state.reason:
        ledger.tell(_subject(line), reason.code, reason.message, now)
    ledger.image_lines.save_state(line.name, replace(state, reason=reason))


def _subject(line: ImageSpec) -> str:
    return f"image:{line.name}"


def _refused(line: ImageSpec, error: Refused) -> Reason:
    if error.code in refusals.NO_SUCH_IMAGE:
        return image.gone(line, f"no tag {line.tag}" if line.tag else "no tags")
    if error.code in refusals.CREDENTIAL_REFUSED:
        who = f"the secret {line.credentials}" if line.credentials else "no credential: 'credentials' is not set"
        return Reason(
            Code.IMAGE_CREDENTIAL_REFUSED,
            f"{line.repository} refuses us ({who}): {error.message}",
            fix="Renew the password or the trust that is named in this entry; then run 'junbi apply'.",
            wakes="a look every five minutes",
        )
    return Reason(
        Code.IMAGE_TAG_GONE,
        f"{line.repository} cannot be read: {error.message}",
        fix="Correct 'repository' of this entry and run 'junbi apply'.",
        wakes="a look every five minutes",
    )
