"""The workspace exists and is usable. It is always named: PAI would silently fall back to a default one."""

from __future__ import annotations

from junbi.core.model import Check, Reason, State
from junbi.core.reasons import Code

#: Source: AIWorkSpace SDK 8.3, GetWorkspace.
USABLE = "ENABLED"


def check(workspace: str, status: str | None) -> Check:
    """Blocked where there is no such workspace or it is not enabled; Unknown where we may not look."""
    if status == USABLE:
        return Check("workspace", State.READY)
    if status is None:
        reason = Reason(
            Code.WORKSPACE_NOT_FOUND,
            f"We may not read workspace {workspace}.",
            fix="Grant paiworkspace:GetWorkspace to the role of the function 'reconcile'.",
        )
        return Check("workspace", State.UNKNOWN, reason)
    said = f"has the status {status}" if status else "does not exist in this region, or is not ours"
    reason = Reason(
        Code.WORKSPACE_NOT_FOUND,
        f"Workspace {workspace} {said}.",
        fix="Correct 'workspace' and 'region' of the environment in junbi.yaml, then run 'junbi apply'.",
        wakes="the next apply, or a look every few minutes",
    )
    return Check("workspace", State.BLOCKED, reason)
