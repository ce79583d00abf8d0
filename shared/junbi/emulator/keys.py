"""The access keys that the local cloud knows: one long-lived pair, and short-lived ones issued to roles."""

from __future__ import annotations

import hashlib
import hmac
import re
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from junbi.emulator.clock import Clock

#: How long an issued credential stays valid. Source: Function Compute 3.0 documentation.
STS_VALIDITY = timedelta(hours=36)

_ISSUED = re.compile(r"STS\..+\.([0-9]{1,12})", re.DOTALL)


@dataclass(frozen=True, slots=True)
class AccessKey:
    """What a caller signs with; ``token`` is set on short-lived (STS) keys only."""

    key_id: str
    secret: str
    token: str = ""


class Keys:
    """Issues and recognises keys without keeping any state, so that they outlive a restart.

    Args:
        root: the long-lived pair (``JUNBI_EMULATOR_KEY_ID`` and ``JUNBI_EMULATOR_KEY_SECRET``).
        clock: judges the expiry of issued keys, by the wall.
        signature_validity: how far from now the date of a signed PAI or FC request may be. Source: documentation.
    """

    def __init__(self, root: AccessKey, clock: Clock, signature_validity: timedelta = timedelta(minutes=15)) -> None:
        self.root, self.signature_validity = root, signature_validity
        self._clock = clock

    def issue(self, role: str) -> AccessKey:
        """A short-lived key for a function's role, as FC hands it to every request."""
        expires = int((self._clock.wall() + STS_VALIDITY).timestamp())
        key_id = f"STS.{role}.{expires}"
        return AccessKey(key_id, self._derive("secret", key_id), self._derive("token", key_id))

    def find(self, key_id: str, token: str = "") -> AccessKey | None:
        """The key that a request names, or None where it is unknown, expired or its token is wrong."""
        if key_id == self.root.key_id:
            return self.root
        end = _end(key_id)
        if end is None or end < self._clock.wall().timestamp():
            return None
        key = AccessKey(key_id, self._derive("secret", key_id), self._derive("token", key_id))
        return key if hmac.compare_digest(key.token.encode(), token.encode()) else None

    def expired(self, key_id: str) -> bool:
        """Whether a key id is one of those issued here, past its time. Its secret proves nothing any more."""
        end = _end(key_id)
        return end is not None and end < self._clock.wall().timestamp()

    def _derive(self, purpose: str, key_id: str) -> str:
        message = f"{purpose}:{key_id}".encode()
        return hmac.new(self.root.secret.encode(), message, hashlib.sha256).hexdigest()


def _end(key_id: str) -> int | None:
    """When a key issued here runs out, in seconds since 1970; None for an id that is none of ours."""
    issued = _ISSUED.fullmatch(key_id)
    return int(issued[1]) if issued else None
