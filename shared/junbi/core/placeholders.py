"""The ``{word}`` and ``{word.word}`` placeholders of junbi.yaml: found, and filled.

Braces that look otherwise (``${HOME}``, ``${{ x }}``, ``{a,b}``, ``a{3}``, JSON) are text and stay as they are.
Braces in pairs write literal ones: ``{{launch}}`` stands for the text ``{launch}``; where more braces stand on one
side than on the other, the surplus is text: ``{"lr":{params.lr}}`` holds the placeholder ``{params.lr}``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_NAME = r"[A-Za-z_][A-Za-z0-9_-]*"
_GROUP = re.compile(rf"(?<![${{])(\{{+)({_NAME}|[A-Za-z0-9_][A-Za-z0-9_-]*\.{_NAME})(\}}+)")


@dataclass(frozen=True, slots=True)
class Reference:
    """A placeholder in a text: its name without braces, and where it stands, braces included."""

    name: str
    start: int
    end: int


def parse(text: str) -> tuple[str | Reference, ...]:
    """The text as literal pieces (escapes resolved, none empty) and references, in their order."""
    pieces: list[str | Reference] = []
    literal, at = "", 0
    for match in _GROUP.finditer(text):
        literal += text[at : match.start()]
        at = match.end()
        opened, name, closed = match.groups()
        pairs = min(len(opened), len(closed))
        before, after = opened[pairs:], closed[pairs:]
        if pairs > 1:
            literal += f"{before}{'{' * (pairs - 1)}{name}{'}' * (pairs - 1)}{after}"
            continue
        pieces += [literal + before] if literal + before else []
        pieces.append(Reference(name, match.start() + len(before), match.end() - len(after)))
        literal = after
    literal += text[at:]
    return (*pieces, literal) if literal else tuple(pieces)


def references(text: str) -> list[Reference]:
    """Every placeholder of the text, in order."""
    return [piece for piece in parse(text) if isinstance(piece, Reference)]


def fill(text: str, values: Mapping[str, str], *, quote: Callable[[str], str] = str) -> str:
    """The text with every placeholder replaced by its quoted value.

    Args:
        text: what junbi.yaml says.
        values: by the placeholder's name, such as ``digits.version``; a missing one is a KeyError, as compiling
            has proved that there is none.
        quote: ``shlex.quote`` for a shell command. It protects only where ``core.shell.unprotected`` names nothing.
    """
    return "".join(piece if isinstance(piece, str) else quote(values[piece.name]) for piece in parse(text))
