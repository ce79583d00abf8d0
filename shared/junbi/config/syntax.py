"""Says in words for people what the YAML parser found wrong with a file's syntax."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from junbi.config.findings import problem
from junbi.config.tree import Mark

if TYPE_CHECKING:
    from ruamel.yaml.error import MarkedYAMLError

    from junbi.errors import Problem

_IN_QUOTES = "inside { } or [ ], text that holds any of { } [ ] , must stand in quotes"
#: The parser's words (context and problem) and ours; the first that matches counts.
_WORDS = (
    (r"character '\\t'", "a tab cannot indent in YAML: use spaces"),
    (r"character '([@`%|>&*!])'", "a value cannot begin with {0}: write it in quotes"),
    (r"mapping values are not allowed", "a ':' where none can be: is the line above unfinished, or a quote missing?"),
    (r"quoted scalar.*unexpected end of stream", "this quote is never closed"),
    (r"quoted scalar.*document separator", "this quote is never closed"),
    (r"unknown escape character '(.)'", "no such escape as \\{0}: write \\\\{0}, or use single quotes"),
    (r"flow (?:sequence|mapping).*got '<stream end>'", "this bracket is never closed"),
    (r"flow (?:sequence|mapping).*got '(.+)'", f"did not expect '{{0}}' here: {_IN_QUOTES}"),
    (r"block (?:collection|mapping|sequence).*but found", "does not line up with what is above it: check the indent"),
    (r"could not find expected ':'", "a key without its ':'"),
    (r"block node.*but found '(.+)'", f"did not expect '{{0}}' here: {_IN_QUOTES}"),
    (r"did not find expected comment|expected a comment", "after | or > only a comment can stand on the line"),
)
#: Where the mistake began is a better place than where the parser noticed it.
_BEGAN = re.compile(r"quoted scalar.*end of stream|quoted scalar.*document separator|flow .*'<stream end>'")


def explain(failure: MarkedYAMLError, file: str) -> Problem:
    """The mistake as a problem with its place."""
    said = f"{failure.context or ''}: {failure.problem or ''}"
    began = failure.context_mark if _BEGAN.search(said) else None
    mark = began or failure.problem_mark or failure.context_mark
    place = Mark(file, mark.line + 1, mark.column + 1) if mark else Mark(file)
    return problem("", _in_words(said), place)


def _in_words(said: str) -> str:
    for pattern, words in _WORDS:
        if match := re.search(pattern, said):
            return words.replace("{0}", match.group(match.lastindex or 0))
    return f"no valid YAML: {said.removeprefix(': ')}"
