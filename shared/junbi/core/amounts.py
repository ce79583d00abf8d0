"""Amounts of resources as PAI writes them: ``"16"``, ``"500m"``, ``"60Gi"``."""

from __future__ import annotations

import re
from decimal import Decimal

_AMOUNT = re.compile(r"(\d{1,18}(?:\.\d{1,9})?)(m|[kKMGTP]i?|)", re.ASCII)
_POWERS = {"K": 1, "M": 2, "G": 3, "T": 4, "P": 5}


def amount(text: object) -> Decimal | None:
    """The number that a text says, in whole CPUs, GPUs or bytes; None where it says none."""
    found = _AMOUNT.fullmatch(text.strip()) if isinstance(text, str) else None
    if found is None:
        return None
    number, unit = Decimal(found[1]), found[2]
    if unit == "m":
        return number / 1000
    if not unit:
        return number
    step = Decimal(1024 if unit.endswith("i") else 1000)
    return number * step ** _POWERS[unit[0].upper()]
