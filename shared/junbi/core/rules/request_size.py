"""CreateJob's body is within what DLC takes."""

from __future__ import annotations

from junbi.core.model import Check, Reason, State
from junbi.core.reasons import Code

#: Bytes. Source: DLC documentation, as cited by third parties.
LIMIT = 65_536


def check(size: int) -> Check:
    """Blocked where the body is too large; pending while it cannot be built (size 0)."""
    if size == 0:
        reason = Reason(Code.REQUEST_TOO_LARGE, "The request is built once every dataset has its version.")
        return Check("request", State.PENDING, reason)
    if size <= LIMIT:
        return Check("request", State.READY)
    reason = Reason(
        Code.REQUEST_TOO_LARGE,
        f"The request has {size:,} bytes; DLC takes {LIMIT:,}.",
        fix="Move long commands into a file that is mounted, and shorten env.",
        wakes="the next apply",
        facts={"need": str(size), "limit": str(LIMIT), "gap": str(size - LIMIT)},
    )
    return Check("request", State.BLOCKED, reason)
