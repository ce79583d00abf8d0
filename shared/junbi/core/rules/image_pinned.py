"""The image that a launch is pinned to is known: registered in the workspace where that is asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from junbi.core.facts import CreateState
from junbi.core.model import Check, Reason, State
from junbi.core.reasons import Code

if TYPE_CHECKING:
    from junbi.core.facts import Pinned


def check(name: str, pinned: Pinned) -> Check:
    """Retry while the image is being registered, Blocked where PAI refused it."""
    registration, label = pinned.registration, f"image {name}"
    if registration.state is CreateState.DONE:
        return Check(label, State.READY)
    if registration.state is CreateState.REFUSED:
        said = registration.reason.message if registration.reason else "PAI refused it."
        fix = registration.reason.fix if registration.reason else ""
        reason = Reason(Code.NO_IMAGE_REVISION, f"The image {name} could not be registered: {said}", fix)
        return Check(label, State.BLOCKED, reason)
    reason = registration.reason or Reason(
        Code.NO_IMAGE_REVISION,
        f"The image {name}, {pinned.revision.label}, is being looked for or registered.",
        wakes="its registration",
    )
    return Check(label, State.RETRY, reason)
