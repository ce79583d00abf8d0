"""Secrets by their names: junbi.yaml and the ledger hold the names, the environment what they stand for."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection

_PREFIX = "JUNBI_SECRET_"


def secret(name: str) -> str:
    """What ``JUNBI_SECRET_<name>`` holds; empty where it is not set, or no name was given."""
    return os.environ.get(f"{_PREFIX}{name}", "").strip() if name else ""


def others(names: Collection[str]) -> list[str]:
    """What every other such variable holds: secrets that were given up and are still set, or are meant elsewhere."""
    variables = {f"{_PREFIX}{name}" for name in names}
    return [
        value.strip()
        for variable, value in sorted(os.environ.items())
        if variable.startswith(_PREFIX) and variable not in variables
    ]
