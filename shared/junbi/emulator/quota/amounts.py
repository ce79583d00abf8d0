"""How much of a quota: numbers to reckon with, and the texts that PAI writes them as."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING

from junbi.wire.quotas import ResourceAmount

if TYPE_CHECKING:
    from junbi.wire.dlc import ResourceConfig

#: Bytes of each unit of memory. Source: Kubernetes, whose notation PAI uses.
_UNITS = {"": 1, "Ki": 2**10, "Mi": 2**20, "Gi": 2**30, "Ti": 2**40}
_TEXT = re.compile(r"(\d{1,15}(?:\.\d{1,9})?)(Ki|Mi|Gi|Ti)?")


@dataclass(frozen=True, slots=True)
class Amount:
    """So many CPUs, bytes of memory and GPUs; of whatever type the GPUs are."""

    cpu: Decimal = Decimal(0)
    memory: Decimal = Decimal(0)
    gpu: Decimal = Decimal(0)

    def __add__(self, other: Amount) -> Amount:
        return Amount(self.cpu + other.cpu, self.memory + other.memory, self.gpu + other.gpu)

    def __sub__(self, other: Amount) -> Amount:
        return Amount(self.cpu - other.cpu, self.memory - other.memory, self.gpu - other.gpu)

    def __mul__(self, count: int) -> Amount:
        return Amount(self.cpu * count, self.memory * count, self.gpu * count)

    def at_least(self, other: Amount) -> Amount:
        """The larger of each."""
        return Amount(max(self.cpu, other.cpu), max(self.memory, other.memory), max(self.gpu, other.gpu))

    def lacks(self, need: Amount) -> str:
        """What of a need this does not hold, such as ``0 of 1 GPU``; empty where all of it fits."""
        free = self.at_least(Amount())  # where more is held than there is, who asks for nothing of it lacks nothing
        short = {
            f"{number(free.gpu)} of {number(need.gpu)} GPU": need.gpu > free.gpu,
            f"{number(free.cpu)} of {number(need.cpu)} CPU": need.cpu > free.cpu,
            f"{gibibytes(free.memory)} of {gibibytes(need.memory)} memory": need.memory > free.memory,
        }
        return ", ".join(text for text, lacking in short.items() if lacking)

    def written(self, like: ResourceAmount | None = None) -> ResourceAmount:
        """As PAI writes it; what is nothing is left out unless ``like`` tells of it."""
        shown = like.to_wire() if like else {}
        return ResourceAmount(
            cpu=number(self.cpu) if self.cpu or "CPU" in shown else None,
            memory=gibibytes(self.memory) if self.memory or "Memory" in shown else None,
            gpu=number(self.gpu) if self.gpu or "GPU" in shown else None,
            gpu_type=like.gpu_type if like else None,
        )


def read(told: ResourceAmount | ResourceConfig | None) -> Amount:
    """What the texts say; what is absent is nothing. ValueError with the member where one is no amount."""
    if told is None:
        return Amount()
    return Amount(_read("CPU", told.cpu), _read("Memory", told.memory, units=True), _read("GPU", told.gpu))


def number(value: Decimal) -> str:
    """``16``, ``0.5``."""
    return f"{value.quantize(Decimal('0.001')).normalize():f}"


def gibibytes(value: Decimal) -> str:
    """``60Gi``."""
    return f"{number(value / _UNITS['Gi'])}Gi"


def _read(member: str, text: str | None, *, units: bool = False) -> Decimal:
    if not text:
        return Decimal(0)
    found = _TEXT.fullmatch(text)
    if found is None or (found[2] and not units):
        raise ValueError(f"{member} {text!r} is no amount: write {'28Gi' if units else '8'}, for example.")
    return Decimal(found[1]) * _UNITS[found[2] or ""]
