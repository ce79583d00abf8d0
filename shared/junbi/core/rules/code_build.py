"""The code build that a launch checks its commit out of is there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from junbi.core.reasons import Code
from junbi.core.rules import registered

if TYPE_CHECKING:
    from junbi.core.facts import Pinned
    from junbi.core.model import Check


def check(name: str, pinned: Pinned) -> Check:
    """Retry while the code build is being made or found, Blocked where PAI refused it."""
    return registered.check(
        f"code {name}",
        pinned.registration,
        Code.NO_CODE_REVISION,
        failed=f"The code build of {name} could not be made",
        under_way=f"The code build of {name}, {pinned.revision.label}, is being looked for or made.",
    )
