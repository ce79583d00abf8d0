"""What the operations of the local OSS work with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from flask import Response

    from junbi.emulator.oss.call import Call
    from junbi.emulator.oss.notices import Notices
    from junbi.emulator.oss.state import Buckets
    from junbi.emulator.oss.uploads import Uploads


@dataclass(frozen=True, slots=True)
class Service:
    """One running OSS: its states, and whom it tells of changes."""

    buckets: Buckets
    uploads: Uploads
    notices: Notices
    region: str
    owner: str


Operation = Callable[["Service", "Call"], "Response"]
