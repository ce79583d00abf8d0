"""Whatever is done to a valid file, it gives a generation or a ConfigInvalid that names places, and nothing else."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from junbi.config.compile import compile_generation
from junbi.config.explain import validate
from junbi.config.findings import Findings
from junbi.config.load import parse
from junbi.config.tree import Table, bare
from junbi.errors import ConfigInvalid

_LINES = (Path(__file__).parents[3] / "junbi.yaml").read_text(encoding="utf-8").splitlines()
EXAMPLE = "\n".join(line.partition(" #")[0] for line in _LINES if line.strip() and not line.startswith("#"))
#: Pieces that mean something in YAML or in this file.
PIECES = [
    *[
        ":",
        "-",
        "?",
        "[",
        "]",
        "{",
        "}",
        ",",
        "#",
        "&",
        "*",
        "!",
        "|",
        ">",
        "'",
        '"',
        "%",
        "@",
        "`",
        "\n",
        "\t",
        "=",
        "~",
        "<<",
        "/",
        ".",
        "$",
        "\\",
    ],
    *[
        "null",
        "true",
        "1",
        "0",
        "-1",
        "1e9",
        ".inf",
        "0x1",
        "x-a",
        "on",
        "yes",
        "\\0",
        "\\ud800",
        "&a",
        "*a",
        "!!str",
        "{version}",
        "{launch}",
        "{{",
        "}}",
        "é",
        "日本",
        "oss://",
        "---",
        "...",
    ],
    "\n  ",
    "\n---\n",
    ": ",
    "- ",
    "{a: 1}",
    "[]",
    '"\\x00"',
    "(?P<a>",
    "9" * 30,
    "\U0001f600",
    "\ufeff",
    "\x85",
    "\u2028",
]


def judge(text: str) -> None:
    """Compiles a text; anything but a generation, or problems that each have a place, is a failure."""
    try:
        root = parse(text, "f")
        if isinstance(root, Table):
            findings = Findings(root)
            compile_generation(validate(root, findings), findings=findings)
    except ConfigInvalid as invalid:
        problems = invalid.problems
    else:
        return
    assert problems
    assert all(problem.line and problem.column and problem.message for problem in problems)


@settings(max_examples=120, deadline=None)
@given(st.data())
def test_text(data: st.DataObject) -> None:
    """Pieces put in, taken out or put in place of others anywhere."""
    text = EXAMPLE
    for _ in range(data.draw(st.integers(1, 3))):
        start = data.draw(st.integers(0, len(text)))
        end = data.draw(st.integers(start, min(len(text), start + 12)))
        text = text[:start] + data.draw(st.sampled_from(PIECES)) + text[end:]
    judge(text)


CONTENT = bare(parse(EXAMPLE, "f"))  # type: ignore[arg-type]
_NAMES = st.sampled_from(["digits", "trainer", "version", "x-a", "", "on", "1", "local", "model", "Tags", "Settings"])
_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | _NAMES | st.sampled_from(PIECES),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(_NAMES, inner, max_size=2),
    max_leaves=4,
)


def _paths(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(below for key, item in items for below in _paths(item, (*path, key)))]


@settings(max_examples=120, deadline=None)
@given(st.data())
def test_values(data: st.DataObject) -> None:
    """Any value in place of any other: a valid text of YAML, so that the model and the compiler are reached."""
    content = copy.deepcopy(CONTENT)
    content["plans"]["train-digits"]["job"]["request"] = {"Priority": 1, "Settings": {"EnableRDMA": True}}
    path = data.draw(st.sampled_from([path for path in _paths(content) if path]))
    holder = content
    for step in path[:-1]:
        holder = holder[step]
    holder[path[-1]] = data.draw(_VALUES)
    judge(json.dumps(content))
