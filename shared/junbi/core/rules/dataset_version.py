"""A pinned dataset is registered: PAI knows it under a dataset id and a version."""

from __future__ import annotations

from typing import TYPE_CHECKING

from junbi.core.reasons import Code
from junbi.core.rules import registered

if TYPE_CHECKING:
    from junbi.core.facts import Pinned
    from junbi.core.model import Check


def check(name: str, pinned: Pinned) -> Check:
    """Retry while the registration is under way, Blocked where PAI refused it."""
    return registered.check(
        f"dataset {name}",
        pinned.registration,
        Code.NO_DATASET_VERSION,
        failed=f"{name} {pinned.revision.label} could not be registered",
        under_way=f"{name} {pinned.revision.label} is being registered as a dataset version.",
    )
