"""How much of a quota a job asks for, and how that compares with what there is. Pure."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

from junbi.core.amounts import amount
from junbi.core.quotas import RESOURCES

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from junbi.core.plan import Workers
    from junbi.core.quotas import Snapshot

#: So much of each resource by its name in ``RESOURCES``: CPUs, bytes of memory, GPUs.
Amounts = dict[str, Decimal]

_GIBI = Decimal(1024**3)


def demand(workers: Workers) -> Amounts:
    """What all pods of a job ask for together."""
    each = {"CPU": Decimal(workers.cpu), "Memory": amount(workers.memory) or Decimal(0), "GPU": Decimal(workers.gpu)}
    return {name: number * workers.count for name, number in each.items()}


def held(quota: Snapshot, member: str) -> Amounts:
    """What the details of a quota tell under a member, such as ``AllocatableQuota``; what they do not is absent."""
    told = quota.details.get(member)
    read = {name: amount(told.get(name)) for name in RESOURCES} if isinstance(told, dict) else {}
    return {name: number for name, number in read.items() if number is not None}


def total(amounts: Iterable[Mapping[str, Decimal]]) -> Amounts:
    """Their sum."""
    sums = dict.fromkeys(RESOURCES, Decimal(0))
    for one in amounts:
        for name, number in one.items():
            sums[name] += number
    return sums


def lacking(need: Mapping[str, Decimal], have: Mapping[str, Decimal]) -> Amounts:
    """By how much more is needed than there is, of what is needed and of which it is known how much there is."""
    return {name: number - have[name] for name, number in need.items() if number and number > have.get(name, number)}


def written(amounts: Mapping[str, Decimal]) -> str:
    """For people: ``16 CPU, 120Gi memory, 2 GPU``."""
    return ", ".join(_written(name, number) for name, number in amounts.items()) or "nothing"


def _written(name: str, number: Decimal) -> str:
    if name == "Memory":
        return f"{_plain(number / _GIBI)}Gi memory"
    return f"{_plain(number)} {name}"


def _plain(number: Decimal) -> str:
    return f"{number.quantize(Decimal('0.01')).normalize():f}"
