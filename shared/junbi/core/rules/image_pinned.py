"""The image that a launch is pinned to is known: registered in the workspace where that is asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from junbi.core.reasons import Code
from junbi.core.rules import registered

if TYPE_CHECKING:
    from junbi.core.facts import Pinned
    from junbi.core.model import Check


def check(name: str, pinned: Pinned) -> Check:
    """Retry while the image is being registered, Blocked where PAI refused it."""
    return registered.check(
        f"image {name}",
        pinned.registration,
        Code.NO_IMAGE_REVISION,
        failed=f"The image {name} could not be registered",
        under_way=f"The image {name}, {pinned.revision.label}, is being looked for or registered.",
    )
