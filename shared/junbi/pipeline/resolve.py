"""Looks which commit a watched line of code is at, and makes a revision of one that is new and concerns it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from junbi.core import code
from junbi.core.model import Reason
from junbi.core.reasons import Code
from junbi.errors import Refused
from junbi.pipeline.line import EVERY, Line, refused, watched

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from junbi.core.code import Found
    from junbi.core.model import CommitRef
    from junbi.core.plan import CodeSpec
    from junbi.ledger.lines import LineState
    from junbi.pipeline.wiring import Ports


def look(ports: Ports, name: str) -> datetime | None:
    """Read the refs of a line's repository, and take up where it is; when to look again."""
    line = watched(ports, "code", ports.ledger.code_lines, name)
    if line is None:
        return None
    pushes, read = ports.ledger.code_lines.pushes(line.spec), True
    try:
        found = code.found(line.spec, ports.refs(line.spec))
    except Refused as error:
        found, read = _refused(line.spec, error), False
    with ports.ledger.transaction():
        if line.is_outdated():
            return ports.ledger.now()
        if isinstance(found, Reason):
            line.wait(found, read=read)
        elif line.stand(replace(line.before, head=found.commit)):
            _moved(line, found, pushes)
    return line.began + EVERY


def _moved(line: Line[CodeSpec, LineState], found: Found, pushes: Iterable[CommitRef]) -> None:
    """A line is at another commit than when it was looked at last. Call it inside a transaction."""
    spec, before = line.spec, line.before.head
    if before and not code.concerns(spec, code.changed(before, pushes, found.commit)):
        said = f"{found.label} of {spec.repository} changes nothing under {', '.join(spec.paths)}: passed over."
        line.tell(Code.PATHS_UNTOUCHED, said)
        return
    revision = line.revision(
        found.commit, spec.address, label=found.label, bucket=spec.address, prefix=found.ref, captures=found.captures
    )
    line.take_up(revision, "CommitFound", f"{spec.repository} {found.ref} is at {found.commit[:12]}")


def _refused(line: CodeSpec, error: Refused) -> Reason:
    renew = "Renew the token, or name another secret as 'credentials' of this entry"
    return refused(line, error, credential=Code.CODE_CREDENTIAL_REFUSED, gone=Code.CODE_REF_GONE, renew=renew)
