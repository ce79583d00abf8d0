"""Placeholders: what is one, what is not, and how they are filled."""

from __future__ import annotations

import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st

from junbi.core.placeholders import Reference, fill, parse, references


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("{launch}", ["launch"]),
        ("--v={digits.version} {params.lr}", ["digits.version", "params.lr"]),
        ("{3d-scans.version}{launch}", ["3d-scans.version", "launch"]),
        ('{"lr":{params.lr}}', ["params.lr"]),
        ("{{launch}", ["launch"]),
        ("{launch}}}", ["launch"]),
        ("{params.learning-rate} {params.learning_rate}", ["params.learning-rate", "params.learning_rate"]),
    ],
)
def test_references(text: str, names: list[str]) -> None:
    """A word, or two with a dot, in single braces is a placeholder."""
    found = references(text)
    assert [reference.name for reference in found] == names
    assert [text[reference.start : reference.end] for reference in found] == [f"{{{name}}}" for name in names]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "${launch}",
        "${{launch}}",
        "{}",
        "{ launch }",
        "{a,b}",
        "{1..5}",
        "a{3}",
        "{1.5}",
        "{a.b.c}",
        "{a:b}",
        "{a",
        "a}",
        "{'a': 1}",
        "{日本}",
        "{a\n}",
        "{.a}",
        "{a.}",
    ],
)
def test_other_braces_are_text(text: str) -> None:
    """Braces of the shell, of Python and of JSON stay untouched."""
    assert references(text) == []
    assert fill(text, {}) == text


@pytest.mark.parametrize(
    ("text", "filled"),
    [
        ("{{launch}}", "{launch}"),
        ("{{{launch}}}", "{{launch}}"),
        ("{{a.b}} {launch}", "{a.b} L"),
        ("{{launch}", "{L"),
        ("{launch}}", "L}"),
    ],
)
def test_escapes(text: str, filled: str) -> None:
    """Pairs of braces write braces."""
    assert fill(text, {"launch": "L"}) == filled


def test_missing_value() -> None:
    """A placeholder without a value is an error and never an empty text."""
    with pytest.raises(KeyError, match=r"a\.b"):
        fill("{a.b}", {"launch": "x"})


def test_pieces() -> None:
    """A text is cut into literals and references, none of them empty."""
    assert parse("a{b}{{c}}") == ("a", Reference("b", 1, 4), "{c}")


NAMES = ["launch", "params.x", "digits.version"]
WORDS = st.text(alphabet="abcXYZ019-_=/.,:@%+日", max_size=5)
VALUES = st.fixed_dictionaries({name: st.text(st.characters(exclude_characters="\0"), max_size=12) for name in NAMES})


@given(
    words=st.lists(
        st.lists(WORDS | st.sampled_from(NAMES).map(lambda n: f"{{{n}}}"), min_size=1, max_size=4), min_size=1
    ),
    values=VALUES,
)
def test_a_value_keeps_its_place(words: list[list[str]], values: dict[str, str]) -> None:
    """However strange a value, the shell sees the words of the template with the values in their places."""
    words = [["x", *word] for word in words]
    command = " ".join("".join(word) for word in words)
    plain = {f"{{{name}}}": value for name, value in values.items()}
    expected = ["".join(plain.get(piece, piece) for piece in word) for word in words]
    assert shlex.split(fill(command, values, quote=shlex.quote)) == expected


@given(st.text(alphabet="{}ab.$ \\'\"1"), st.text(alphabet="{}ab$", max_size=6))
def test_filled_once(text: str, value: str) -> None:
    """A value's own braces are text: only what stands in the template is filled."""
    pieces = parse(text)
    names = {piece.name for piece in pieces if isinstance(piece, Reference)}
    expected = "".join(piece if isinstance(piece, str) else value for piece in pieces)
    assert fill(text, dict.fromkeys(names, value)) == expected
