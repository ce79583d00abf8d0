"""A pinned dataset still holds exactly the members it was closed with."""

from __future__ import annotations

from typing import TYPE_CHECKING

from junbi.core.model import Check, Reason, State
from junbi.core.reasons import Code

if TYPE_CHECKING:
    from junbi.core.facts import Revision


def check(name: str, revision: Revision, listed: str | None) -> Check:
    """Blocked where the members changed; pending until the prefix was listed once more."""
    label = f"dataset {name} unchanged"
    if listed == revision.digest:
        return Check(label, State.READY)
    if listed is None:
        reason = Reason(Code.DATASET_CHANGED, f"{name} is listed once more just before the submission.")
        return Check(label, State.PENDING, reason)
    reason = Reason(
        Code.DATASET_CHANGED,
        f"oss://{revision.bucket}/{revision.prefix} no longer holds what {name} {revision.label} was closed with.",
        fix="Upload the marker again (or the last object): what is there now becomes the newest revision, with a "
        "launch of its own unless it was launched before ('junbi rerun' repeats that one). "
        "Or put the former objects back.",
        wakes="a look every few minutes",
        facts={"pinned": revision.digest, "now": listed},
    )
    return Check(label, State.BLOCKED, reason)
