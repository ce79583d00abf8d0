"""Tags of a pattern such as ``v{semver}``, of Git and of image repositories alike."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from junbi.core.identity import by_semver

if TYPE_CHECKING:
    from collections.abc import Iterable


def captures(pattern: str, allow: str, tag: str) -> dict[str, str] | None:
    """What the placeholders of a pattern take of a tag; None where it is none of the watched.

    Args:
        pattern: a regular expression with a named group for each placeholder.
        allow: what the whole tag must be, for its name comes from strangers.
        tag: without ``refs/tags/``.
    """
    match = _compiled(pattern).fullmatch(tag)
    if match is None or not _compiled(allow).fullmatch(tag):
        return None
    return match.groupdict()


def highest(tags: Iterable[str]) -> str:
    """The greatest by semantic versioning; of no tags none may be asked for."""
    return max(tags, key=lambda tag: (by_semver(tag), tag))


@lru_cache(maxsize=256)
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)
