"""The code build that a launch checks its commit out of is there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from junbi.core.facts import CreateState
from junbi.core.model import Check, Reason, State
from junbi.core.reasons import Code

if TYPE_CHECKING:
    from junbi.core.facts import Pinned


def check(name: str, pinned: Pinned) -> Check:
    """Retry while the code build is being made or found, Blocked where PAI refused it."""
    registration, label = pinned.registration, f"code {name}"
    if registration.state is CreateState.DONE:
        return Check(label, State.READY)
    if registration.state is CreateState.REFUSED:
        said = registration.reason.message if registration.reason else "PAI refused it."
        fix = registration.reason.fix if registration.reason else ""
        reason = Reason(Code.NO_CODE_REVISION, f"The code build of {name} could not be made: {said}", fix)
        return Check(label, State.BLOCKED, reason)
    reason = registration.reason or Reason(
        Code.NO_CODE_REVISION,
        f"The code build of {name}, {pinned.revision.label}, is being looked for or made.",
        wakes="its registration",
    )
    return Check(label, State.RETRY, reason)
