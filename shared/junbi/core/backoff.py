"""How long to wait after failures in a row: longer each time, and apart from others who failed together."""

from __future__ import annotations

import hashlib
from datetime import timedelta


def drawn(key: str) -> float:
    """A number from 0 up to 1, drawn from a key: the same decision made twice is the same twice."""
    return int.from_bytes(hashlib.sha256(key.encode()).digest()[:4]) / 2**32


def pause(key: str, failures: int, first: timedelta, longest: timedelta, least: float = 0.0) -> timedelta:
    """The pause after so many failures in a row: doubling up to ``longest``, plus up to as much again.

    Args:
        key: whose failures they are; the addition is drawn from it.
        failures: their number, from 1.
        first: the pause after the first, without its addition.
        longest: the longest, without its addition.
        least: seconds that the service asked to wait; the addition comes on top of them too.
    """
    grown = min(first * 2.0 ** min(max(failures, 1) - 1, 20), longest)
    return max(grown, timedelta(seconds=least)) * (1 + drawn(f"{key}:{failures}"))
