"""Reads the named statements of the .sql files beside it."""

from __future__ import annotations

import re
from functools import cache
from importlib import resources

_HEAD = re.compile(r"^-- name: (\w+)\n", re.MULTILINE)


@cache
def statements() -> dict[str, str]:
    """Every statement by its name. A name that stands twice is a mistake of ours: ValueError."""
    found: dict[str, str] = {}
    for file in sorted(resources.files("junbi.ledger").joinpath("sql").iterdir(), key=lambda entry: entry.name):
        if not file.name.endswith(".sql"):
            continue
        _, *parts = _HEAD.split(file.read_text("utf-8"))
        for name, text in zip(parts[::2], parts[1::2], strict=True):
            if name in found:
                raise ValueError(f"the statement {name} stands twice")
            found[name] = text.strip().rstrip(";")
    return found


def migrations() -> list[tuple[int, str]]:
    """The numbered migrations in order: ``001_start.sql`` is number 1."""
    folder = resources.files("junbi.ledger").joinpath("sql/migrations")
    files = sorted((entry for entry in folder.iterdir() if entry.name.endswith(".sql")), key=lambda entry: entry.name)
    return [(int(file.name.split("_", 1)[0]), file.read_text("utf-8")) for file in files]
