"""Looks which commit a watched line of code is at, and makes a revision of one that is new and concerns it."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING

from junbi.core import code, identity, refusals
from junbi.core.facts import InputKind, Revision
from junbi.core.model import Reason
from junbi.core.reasons import Code
from junbi.errors import Refused
from junbi.pipeline import trigger

if TYPE_CHECKING:
    from datetime import datetime

    from junbi.core.code import Found
    from junbi.core.plan import CodeSpec
    from junbi.ledger.ledger import Ledger
    from junbi.ledger.lines import LineState
    from junbi.pipeline.wiring import Ports

#: How often a repository is looked at when no push tells of it: what a lost push costs.
EVERY = timedelta(minutes=5)


def look(ports: Ports, name: str) -> datetime | None:
    """Read the refs of a line's repository, and take up where it is; when to look again."""
    ledger, line = ports.ledger, ports.ledger.code_lines.get(name)
    if line is None:
        return None
    began, pushes, before = ledger.now(), ledger.code_lines.pushes(line), ledger.code_lines.state(name)
    read = True
    try:
        found = code.found(line, ports.refs(line))
    except Refused as error:
        found, read = _refused(line, error), False
    with ledger.transaction():
        if ledger.code_lines.get(name) != line or ledger.code_lines.state(name) != before:
            return ledger.now()  # applied anew or looked at meanwhile: what was read here may be the older
        state = replace(before, looked_at=began) if read else before
        ledger.code_lines.forget(name, began)
        if isinstance(found, Reason):
            _say(ledger, line, state, found, began)
            return began + EVERY
        ledger.code_lines.save_state(name, replace(state, head=found.commit, reason=None))
        if found.commit != before.head:
            _moved(ports, line, before, found, code.changed(before.head, pushes, found.commit) if before.head else None)
    return began + EVERY


def _moved(ports: Ports, line: CodeSpec, state: LineState, found: Found, paths: frozenset[str] | None) -> None:
    """A line is at another commit than when it was looked at last. Call it inside a transaction."""
    ledger, now = ports.ledger, ports.ledger.now()
    if state.head and not code.concerns(line, paths):
        said = f"{found.label} of {line.repository} changes nothing under {', '.join(line.paths)}: passed over."
        ledger.tell(_subject(line), Code.PATHS_UNTOUCHED, said, now)
        return
    revision = _revision(line, found, now)
    known = not ledger.revisions.add(revision)
    if known:
        revision = ledger.revisions.get(revision.id)
    else:
        ledger.worklist.ask("revision", revision.id, now)
    ledger.revisions.put_head(revision)
    again = " again" if known else ""
    ledger.tell(_subject(line), "CommitFound", f"{line.repository} {found.ref} is at {found.commit[:12]}{again}.", now)
    if state.looked_at or line.initial == "adopt":
        trigger.evaluate(ports, revision, now)
    else:
        _first(ports, line, state, now)


def _first(ports: Ports, line: CodeSpec, state: LineState, now: datetime) -> None:
    """The commit that was there when a line began to be watched starts nothing. It may be what others waited for."""
    ledger = ports.ledger
    said = "It was there before junbi watched it, and starts nothing by itself ('initial: ignore')."
    ledger.tell(_subject(line), Code.BEFORE_DEPLOYMENT, said, now)
    for name in ledger.generations.inputs_beside(line.name):
        head = ledger.revisions.head(name)
        if head is not None and head.created_at >= state.since:
            trigger.evaluate(ports, head, now)


def _revision(line: CodeSpec, found: Found, now: datetime) -> Revision:
    return Revision(
        id=identity.revision_id(line.name, line.address, found.commit),
        dataset=line.name,
        label=found.label,
        bucket=line.address,
        prefix=found.ref,
        captures=dict(found.captures),
        digest=found.commit,
        members=0,
        size=0,
        newest_at=now,
        created_at=now,
        kind=InputKind.CODE,
    )


def _say(ledger: Ledger, line: CodeSpec, state: LineState, reason: Reason, now: datetime) -> None:
    if reason != state.reason:
        ledger.tell(_subject(line), reason.code, reason.message, now)
    ledger.code_lines.save_state(line.name, replace(state, reason=reason))


def _subject(line: CodeSpec) -> str:
    return f"code:{line.name}"


def _refused(line: CodeSpec, error: Refused) -> Reason:
    if error.code in refusals.CREDENTIAL_REFUSED:
        who = f"the secret {line.credentials}" if line.credentials else "no credential: 'credentials' is not set"
        return Reason(
            Code.CODE_CREDENTIAL_REFUSED,
            f"{line.repository} refuses us ({who}): {error.message}",
            fix="Renew the token, or name another secret as 'credentials' of this entry; then run 'junbi apply'.",
            wakes="a look every five minutes",
        )
    return Reason(
        Code.CODE_REF_GONE,
        f"{line.repository} cannot be read: {error.message}",
        fix="Correct 'repository' of this entry and run 'junbi apply'.",
        wakes="a look every five minutes",
    )
