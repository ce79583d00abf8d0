"""The keys that one call is signed with."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Credentials:
    """An access key; ``token`` is set on short-lived (STS) keys only. Its repr shows the key id and nothing secret."""

    key_id: str
    secret: str = field(repr=False)
    token: str = field(default="", repr=False)
