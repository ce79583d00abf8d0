"""``junbi schema``: what editors check junbi.yaml with."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from jsonschema import Draft202012Validator

from junbi.cli.init import starter
from junbi.config.load import load, parse
from junbi.config.schema import schema
from junbi.config.tree import bare

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable

EXAMPLE = bare(load(Path(__file__).parents[2] / "junbi.yaml"))


def accepts(content: Any) -> bool:
    """Whether the schema takes it."""
    return bool(Draft202012Validator(schema()).is_valid(content))


def bent(path: str, value: Any) -> Any:
    """The example with a value put at a path written with slashes."""
    content = copy.deepcopy(EXAMPLE)
    *steps, last = path.split("/")
    holder = content
    for step in steps:
        holder = holder[step]
    holder[last] = value
    return content


def test_command(junbi: Callable[..., subprocess.CompletedProcess[str]]) -> None:
    """The command prints a valid schema of the 2020-12 draft."""
    done = junbi("schema")
    assert (done.returncode, done.stderr) == (0, "")
    printed = json.loads(done.stdout)
    assert printed["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    Draft202012Validator.check_schema(printed)
    assert printed == schema()


def test_takes_what_is_valid() -> None:
    """The example and the starter are accepted."""
    assert accepts(EXAMPLE)
    content = parse(starter("vision"), "f")
    assert content is not None
    assert accepts(bare(content))


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("x-mine", {"a": [1]}),
        ("plans/x-template", {"anything": 1}),
        ("environments/x-template", 1),
        ("plans/train-digits/x-note", 1),
        ("plans/train-digits/job/request", {"Settings": {"EnableRDMA": True}}),
        ("plans/train-digits/params", {"a": 1, "b": 1.5, "c": True, "d": "e"}),
        ("datasets/digits/complete", {"quiet": "1h30m"}),
    ],
)
def test_takes(path: str, value: object) -> None:
    """Keys that begin with x- are taken anywhere, and so is every kind of value."""
    assert accepts(bent(path, value))


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("plan", {}),
        ("deployment", 1),
        ("deployment", "Vision"),
        ("environments", {}),
        ("environments/local/workspace", 104231),
        ("plans/train-digits/imge", "x"),
        ("plans/train-digits/on", "digits"),
        ("plans/train-digits/params/C", [1]),
        ("plans/train-digits/job/type", "PytorchJob"),
        ("plans/train-digits/job/env", {"A": 1}),
        ("plans/train-digits/job/env", {"A-B": "1"}),
        ("plans/train-digits/job/workers/count", 0),
        ("plans/Train", {}),
        ("datasets/digits/complete", {"quiet": 10}),
        ("datasets/digits/complete", {"quiet": "10 minutes"}),
        ("datasets/digits/complete/max_wait", None),
        ("datasets/digits/mount", "mnt"),
        ("images/sklearn/uri", "https://r/x"),
    ],
)
def test_refuses(path: str, value: object) -> None:
    """Typos, other kinds and other spellings are marked in the editor already."""
    assert not accepts(bent(path, value))


def test_described() -> None:
    """Every key has a description for the editor to show."""
    document = schema()
    sections = {"": document, **document["$defs"]}
    bare_keys = [
        f"{name}.{key}"
        for name, section in sections.items()
        for key, it in section.get("properties", {}).items()
        if "description" not in it
    ]
    assert bare_keys == []
