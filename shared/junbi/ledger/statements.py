"""Reads the named statements of the .sql files beside it, in the words of the engine that runs them.

One set serves both engines, written as SQLite takes it. ``sql/<dialect>/`` holds only what one engine alone has, or
says in its own way: a statement there stands in for the shared one of the same name.
"""

from __future__ import annotations

import re
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

Dialect = Literal["sqlite", "postgres"]

_HEAD = re.compile(r"^-- name: (\w+)\n", re.MULTILINE)

#: What differs for PostgreSQL: lists, parameters, percent signs; comments and texts are told apart from them.
_POSTGRES = re.compile(
    r"(?P<comment>--[^\n]*\n?)|(?P<text>'[^']*')|json_each\(:(?P<list>\w+)\)|(?<!:):(?P<parameter>\w+)|(?P<percent>%)"
)


@cache
def statements(dialect: Dialect) -> dict[str, str]:
    """Every statement by its name. A name that stands twice in one folder is a mistake of ours: ValueError."""
    folder = resources.files("junbi.ledger").joinpath("sql")
    found = _read(folder) | _read(folder.joinpath(dialect))
    return found if dialect == "sqlite" else {name: for_postgres(text) for name, text in found.items()}


def for_postgres(statement: str) -> str:
    """A statement with psycopg's parameters, and with PostgreSQL's way to read a JSON array."""
    return _POSTGRES.sub(_word, statement)


def _word(found: re.Match[str]) -> str:
    if found["comment"]:
        return "\n"
    if found["list"]:
        return f"json_array_elements_text(%({found['list']})s::json) AS listed (value)"
    if found["parameter"]:
        return f"%({found['parameter']})s"
    return found[0].replace("%", "%%")


def _read(folder: Traversable) -> dict[str, str]:
    found: dict[str, str] = {}
    if not folder.is_dir():
        return found
    for file in sorted(folder.iterdir(), key=lambda entry: entry.name):
        if not file.name.endswith(".sql"):
            continue
        _, *parts = _HEAD.split(file.read_text("utf-8"))
        for name, text in zip(parts[::2], parts[1::2], strict=True):
            if name in found:
                raise ValueError(f"the statement {name} stands twice")
            found[name] = text.strip().rstrip(";")
    return found
