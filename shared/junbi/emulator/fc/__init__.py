"""The local Function Compute: real processes, a durable asynchronous queue, timers, HTTP triggers."""

from __future__ import annotations

from junbi.emulator.fc.service import FunctionCompute
from junbi.emulator.fc.spec import FunctionSpec, HttpTrigger, OssTrigger, TimerTrigger

__all__ = ["FunctionCompute", "FunctionSpec", "HttpTrigger", "OssTrigger", "TimerTrigger"]
