"""Checks a file's content against the model, and says in words for people what does not fit."""

from __future__ import annotations

import re
import types
from typing import TYPE_CHECKING, Annotated, Any, Union, get_args, get_origin

from pydantic import BaseModel, ValidationError

from junbi.config.findings import listed, suggestion
from junbi.config.images import FIXED, FOLLOWED, WatchedImage
from junbi.config.model import EXISTING, WATCHED, Config, ExistingDataset
from junbi.config.policies import MAPPING, PLAIN
from junbi.config.resources import PUBLIC, QUOTA, QuotaResource
from junbi.config.tree import Leaf, Listing, bare

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pydantic_core import ErrorDetails

    from junbi.config.findings import Findings
    from junbi.config.tree import Node, Path, Table

#: What stands in an error's place and is no key of the file.
_NO_STEPS = frozenset({"[key]", MAPPING, PLAIN, WATCHED, EXISTING, FIXED, FOLLOWED, PUBLIC, QUOTA})
#: The second kind of what a place may hold; the first is what its type says first.
_SECOND = {EXISTING: ExistingDataset, FOLLOWED: WatchedImage, QUOTA: QuotaResource}

_EXPECTED = {
    "string_type": "text",
    "string_sub_type": "text",
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "bool_type": "true or false",
    "dict_type": "a mapping of keys and values",
    "model_type": "a mapping of keys and values",
    "model_attributes_type": "a mapping of keys and values",
    "list_type": "a list, such as [a, b]",
}
_BOUNDS = frozenset({"greater_than_equal", "less_than_equal"})


def validate(root: Table, findings: Findings) -> Config:
    """The content as a Config; ConfigInvalid with every mistake in it."""
    _no_gaps(root, (), findings)
    try:
        config = Config.model_validate(bare(root))
    except ValidationError as invalid:
        explain(invalid.errors(include_url=False), Config, (), findings)
        findings.raise_if_any()
        raise
    findings.raise_if_any()
    return config


def explain(errors: Iterable[ErrorDetails], model: type[BaseModel], prefix: Path, findings: Findings) -> None:
    """Notes the errors of a validation of ``model``, whose content stands at ``prefix``."""
    for error in errors:
        path = prefix + tuple(step for step in error["loc"] if step not in _NO_STEPS)
        if error["type"] == "extra_forbidden":
            _unknown(path, _keys(model, error["loc"][:-1]), findings)
        elif error["type"] == "missing":
            findings.error(path, "is missing")
        elif error["input"] is not None:
            # A union's members stand in loc as well: what the file does not have is none of its path.
            path = path[: max(findings.known(path), len(prefix))]
            is_key = "[key]" in error["loc"]
            findings.error(path, _message(error, findings.spelling(path)), key=is_key)


def unknown_key(word: str, known: set[str]) -> str:
    """The message for a key that the model does not have."""
    return f"unknown key {word!r}{suggestion(word, known)}; known here: {listed(known)}"


def _no_gaps(node: Node, path: Path, findings: Findings) -> None:
    if isinstance(node, Leaf):
        if node.value is None:
            findings.error(path, "has no value: write one, or delete the key", key=isinstance(path[-1], str))
    elif isinstance(node, Listing):
        for index, item in enumerate(node.items):
            _no_gaps(item, (*path, index), findings)
    else:
        for key, (_, value) in node.entries.items():
            if not key.startswith("x-"):
                _no_gaps(value, (*path, key), findings)


def _unknown(path: Path, known: set[str], findings: Findings) -> None:
    findings.error(path, unknown_key(str(path[-1]), known), key=True)


def _message(error: ErrorDetails, spelling: str | None) -> str:
    kind, said, given = error["type"], error["msg"], error["input"]
    expected = _EXPECTED.get(kind)
    if expected == "text" and isinstance(given, int | float):
        word = "the truth value" if isinstance(given, bool) else "the number"
        return f'expected text, got {word} {spelling}: write it in quotes, "{spelling}"'
    if expected:
        return f"expected {expected}, got {_kind(given, spelling)}"
    if kind == "literal_error":
        known = re.findall("'([^']*)'", error["ctx"]["expected"])
        return f"{given!r} is not known{suggestion(str(given), known)}; known here: {listed(known)}"
    if kind == "junbi":
        return said
    return f"{said.replace('Input should', 'should')}, got {spelling}" if kind in _BOUNDS else said


def _kind(given: Any, spelling: str | None) -> str:
    if isinstance(given, dict):
        return "a mapping of keys and values"
    if isinstance(given, list):
        return "a list"
    return f"the text {given!r}" if isinstance(given, str) else f"{spelling or given}"


def _keys(model: type[BaseModel], loc: Path) -> set[str]:
    """The keys, as the file spells them, of the model that stands at ``loc`` below ``model``."""
    here: Any = model
    for step in loc:
        if step in _SECOND:
            here = _SECOND[step]
        elif step not in _NO_STEPS:
            here = _below(here, step)
    return {field.alias or name for name, field in here.model_fields.items()} if _is_model(here) else set()


def _below(here: Any, step: str | int) -> Any:
    if _is_model(here):
        fields = {field.alias or name: field for name, field in here.model_fields.items()}
        return _plain(fields[str(step)].annotation)
    arguments = get_args(here)
    return _plain(arguments[-1]) if arguments else None


def _plain(annotation: Any) -> Any:
    """A type without Annotated and without None."""
    if get_origin(annotation) is Annotated:
        return _plain(get_args(annotation)[0])
    if get_origin(annotation) in {Union, types.UnionType}:
        return _plain(next(kind for kind in get_args(annotation) if kind is not type(None)))
    return annotation


def _is_model(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, BaseModel)
