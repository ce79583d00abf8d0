"""A local image registry: what people push to, and whose tags and digests junbi reads."""

from __future__ import annotations

from junbi.emulator.registry.host import RegistryHost
from junbi.emulator.registry.webhooks import Webhook

__all__ = ["RegistryHost", "Webhook"]
