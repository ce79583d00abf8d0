"""Faults that tests and the control API order: which call fails, when, how, and how often."""

from __future__ import annotations

import threading
from dataclasses import dataclass, replace
from typing import Annotated, ClassVar, Literal

from pydantic import ConfigDict, Field

When = Literal["before", "after"]
Effect = Literal["error", "hang", "close", "drop", "duplicate", "delay", "reorder"]


@dataclass(frozen=True, slots=True)
class Fault:
    """One ordered fault. Its constraints are kept by whoever reads one from outside.

    Attributes:
        point: ``service.Operation`` such as ``dlc.CreateJob``, ``oss.PutObject``, ``fc.event``; ``service.*`` for any.
        when: before the effect (it does not happen) or after it (it happened, the answer is lost or wrong).
        effect: answer an error; hang and then close without an answer; close at once; and for events:
            drop, duplicate, delay, reorder.
        times: how often it strikes before it is used up.
        status, code, message: of an ``error``.
        seconds: of a ``hang`` or ``delay``, in real time; of an ``error``, how long the caller is told to wait.
    """

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="forbid", strict=True)

    point: Annotated[str, Field(pattern=r"^(oss|dlc|aiworkspace|paistudio|fc)\.([A-Za-z0-9_.-]+|\*)$")]
    when: When = "before"
    effect: Effect = "error"
    times: Annotated[int, Field(ge=1, le=1_000_000)] = 1
    status: Annotated[int, Field(ge=400, le=599)] = 500
    code: Annotated[str, Field(pattern=r"^[A-Za-z0-9._-]+$")] = "InternalError"
    message: str = "a fault that was ordered"
    seconds: Annotated[float, Field(ge=0, le=86_400)] = 0.0

    def strikes(self, point: str, when: When) -> bool:
        """Whether this fault is meant for that point and moment."""
        service = self.point.removesuffix(".*")
        named = self.point == point or (service != self.point and point.startswith(f"{service}."))
        return named and self.when == when


class Faults:
    """The faults still to strike, in the order they were given."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._faults: list[Fault] = []

    def order(self, fault: Fault) -> None:
        """Add one."""
        with self._lock:
            self._faults.append(fault)

    def clear(self) -> None:
        """Forget all that have not struck."""
        with self._lock:
            self._faults.clear()

    def pending(self) -> list[Fault]:
        """Those that have not struck yet."""
        with self._lock:
            return list(self._faults)

    def take(self, point: str, when: When = "before") -> Fault | None:
        """The first fault for this point and moment, counted as struck; None where there is none."""
        with self._lock:
            for index, fault in enumerate(self._faults):
                if fault.strikes(point, when):
                    left = replace(fault, times=fault.times - 1)
                    self._faults[index : index + 1] = [left] if left.times > 0 else []
                    return fault
        return None
