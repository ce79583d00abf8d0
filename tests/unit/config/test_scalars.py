"""What unquoted scalars mean."""

from __future__ import annotations

import pytest

from junbi.config.load import parse
from junbi.config.scalars import plain
from junbi.config.tree import Leaf, Table


@pytest.mark.parametrize(
    "text",
    [
        "on",
        "off",
        "yes",
        "no",
        "y",
        "n",
        "On",
        "NO",
        "22:00",
        "1:30:00",
        "2026-01-01",
        "1_000",
        "0b1",
        "1e",
        "e4",
        "-",
        ".",
        "+.",
        "0x",
        "0o8",
        "1.2.3",
        "tRue",
        "nULL",
        "Infinity",
        "nan",
        "v1",
        "=",
        "\u0661",
    ],
)
def test_text_stays_text(text: str) -> None:
    """What YAML 1.2's core schema calls a string is one, whatever YAML 1.1 made of it."""
    assert plain(text) == text


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("", None),
        ("~", None),
        ("null", None),
        ("NULL", None),
        ("true", True),
        ("True", True),
        ("FALSE", False),
        ("0", 0),
        ("0123", 123),
        ("-17", -17),
        ("+8", 8),
        ("0o17", 15),
        ("0xFf", 255),
        ("9223372036854775807", 2**63 - 1),
        ("1e-4", 0.0001),
        ("1.0", 1.0),
        (".5", 0.5),
        ("-5.", -5.0),
        ("6E+2", 600.0),
    ],
)
def test_core_schema(text: str, value: object) -> None:
    """Null, truth values and numbers are those of the core schema, of the right type."""
    found = plain(text)
    assert (found, type(found)) == (value, type(value))


@pytest.mark.parametrize("text", ["9223372036854775808", "-9223372036854775809", "9" * 5000, "0x" + "f" * 500])
def test_number_too_large(text: str) -> None:
    """A number that the database or JSON readers cannot hold is refused and not rounded."""
    with pytest.raises(ValueError, match="beyond 64 bits"):
        plain(text)


@pytest.mark.parametrize("text", [".inf", "-.INF", ".nan", "1e999"])
def test_number_not_finite(text: str) -> None:
    """Infinity and NaN have no JSON, so they are refused."""
    with pytest.raises(ValueError, match="no finite number"):
        plain(text)


@pytest.mark.parametrize(
    ("yaml", "value"),
    [
        ("'1'", "1"),
        ('"true"', "true"),
        ("!!str 1", "1"),
        ("! 1", 1),
        ("|\n  12\n", "12\n"),
        (">-\n  no\n", "no"),
        ("no", "no"),
        ("22:00", "22:00"),
    ],
)
def test_quotes_make_text(yaml: str, value: object) -> None:
    """Whatever stands in quotes, in a block or after !!str is text; what stands bare follows the core schema."""
    content = parse(f"key: {yaml}", "f")
    assert isinstance(content, Table)
    leaf = content.entries["key"][1]
    assert isinstance(leaf, Leaf)
    assert leaf.value == value
