"""A pinned dataset is registered: PAI knows it under a dataset id and a version."""

from __future__ import annotations

from typing import TYPE_CHECKING

from junbi.core.facts import CreateState
from junbi.core.model import Check, Reason, State
from junbi.core.reasons import Code

if TYPE_CHECKING:
    from junbi.core.facts import Pinned


def check(name: str, pinned: Pinned) -> Check:
    """Retry while the registration is under way, Blocked where PAI refused it."""
    registration = pinned.registration
    label = f"dataset {name}"
    if registration.state is CreateState.DONE:
        return Check(label, State.READY)
    if registration.state is CreateState.REFUSED:
        said = registration.reason.message if registration.reason else "PAI refused it."
        fix = registration.reason.fix if registration.reason else ""
        reason = Reason(Code.NO_DATASET_VERSION, f"{name} {pinned.revision.label} could not be registered: {said}", fix)
        return Check(label, State.BLOCKED, reason)
    reason = registration.reason or Reason(
        Code.NO_DATASET_VERSION,
        f"{name} {pinned.revision.label} is being registered as a dataset version.",
        wakes="its registration",
    )
    return Check(label, State.RETRY, reason)
