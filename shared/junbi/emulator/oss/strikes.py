"""Ordered faults, carried out: an error answer, a pause, a connection cut without an answer."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from waitress.channel import ClientDisconnected

from junbi.emulator.oss.errors import OssError

if TYPE_CHECKING:
    from junbi.emulator.faults import Faults, When


def strike(faults: Faults, operation: str, when: When) -> None:
    """Let a fault for ``oss.<operation>`` happen, if one was ordered.

    ``error`` raises the ``OssError`` that answers it; ``delay`` goes on after a pause; ``hang`` (after a pause) and
    ``close`` raise the exception at which waitress closes a connection without writing anything.
    """
    fault = faults.take(f"oss.{operation}", when)
    if fault is None:
        return
    if fault.effect in {"hang", "delay"}:
        time.sleep(fault.seconds)
    if fault.effect in {"hang", "close"}:
        raise ClientDisconnected
    if fault.effect == "error":
        raise OssError(fault.code, fault.message, status=fault.status)
