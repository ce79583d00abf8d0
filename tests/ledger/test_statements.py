"""The named statements and the code that uses them."""

from __future__ import annotations

import ast
import sqlite3
from importlib import resources
from typing import TYPE_CHECKING

import pytest

from junbi.ledger.ledger import open_ledger
from junbi.ledger.schema import migrations
from junbi.ledger.statements import statements

if TYPE_CHECKING:
    from pathlib import Path


def sources() -> list[ast.Module]:
    """The modules of the ledger."""
    files = resources.files("junbi.ledger").iterdir()
    return [ast.parse(file.read_text("utf-8")) for file in files if file.name.endswith(".py")]


def words() -> set[str]:
    """Every text that stands in the code of the ledger."""
    nodes = (node for module in sources() for node in ast.walk(module))
    return {node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)}


def asked_for() -> set[str]:
    """The statements that are named where the database is called."""
    nodes = (node for module in sources() for node in ast.walk(module))
    calls = (node for node in nodes if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute))
    firsts = (call.args[0] for call in calls if call.func.attr in {"run", "row", "rows"} and call.args)  # type: ignore[attr-defined]
    return {str(first.value) for first in firsts if isinstance(first, ast.Constant)}


def test_every_statement_that_is_asked_for_exists() -> None:
    """A name in the code without a statement would fail only when it is first used."""
    assert asked_for() - set(statements("postgres")) == set()


@pytest.mark.parametrize("name", statements("postgres"))
def test_every_statement_is_used(name: str) -> None:
    """A statement that nobody runs is dead."""
    assert name in words()


def test_the_look_at_the_code_sees_something() -> None:
    """Most statements are named right where they are run, so the two tests above look at the right code."""
    assert len(asked_for()) > len(statements("postgres")) * 0.9


def test_migrations_are_numbered_without_a_gap() -> None:
    """From 1 upwards, each number once."""
    assert [migration.number for migration in migrations()] == list(range(1, len(migrations()) + 1))


def test_the_first_of_a_line_are_found_without_sorting_the_line(tmp_path: Path) -> None:
    """However many wait for a quota: their index has them in the order in which they are let in."""
    open_ledger(f"sqlite:///{tmp_path / 'ledger.db'}")
    values = {"region": "r", "quota": "q", "most": 1}
    statement = statements("sqlite")["reservations_waiting"]
    with sqlite3.connect(tmp_path / "ledger.db") as connection:
        plan = connection.execute(f"EXPLAIN QUERY PLAN {statement}", values).fetchall()
    connection.close()
    assert "USING INDEX reservation_line" in plan[0][3]
    assert not [step for *_, step in plan if "ORDER BY" in step]
