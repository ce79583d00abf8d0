"""A small Git host for one machine: repositories over smart HTTP, and webhooks when somebody pushes."""

from __future__ import annotations

from junbi.emulator.git.host import GitHost
from junbi.emulator.git.webhooks import Webhook

__all__ = ["GitHost", "Webhook"]
