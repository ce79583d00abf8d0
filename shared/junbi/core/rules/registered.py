"""What a launch is pinned to is known to PAI: what the rules of datasets, code and images have in common."""

from __future__ import annotations

from typing import TYPE_CHECKING

from junbi.core.facts import CreateState
from junbi.core.model import Check, Reason, State

if TYPE_CHECKING:
    from junbi.core.facts import Registration
    from junbi.core.reasons import Code


def check(label: str, registration: Registration, code: Code, *, failed: str, under_way: str) -> Check:
    """Retry while the registration is under way, Blocked where PAI refused it.

    Args:
        label: what the check is called.
        registration: where it stands.
        code: of the reason, where the registration gives none of its own.
        failed: the beginning of the sentence that PAI's own words end.
        under_way: the sentence for one that neither ended nor failed.
    """
    if registration.state is CreateState.DONE:
        return Check(label, State.READY)
    why = registration.reason
    if registration.state is CreateState.REFUSED:
        said, fix = (why.message, why.fix) if why else ("PAI refused it.", "")
        return Check(label, State.BLOCKED, Reason(code, f"{failed}: {said}", fix))
    return Check(label, State.RETRY, why or Reason(code, under_way, wakes="its registration"))
