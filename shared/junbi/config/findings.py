"""Collects every problem and warning about a configuration, each with its place in the file."""

from __future__ import annotations

import difflib
import re
from typing import TYPE_CHECKING

from junbi.config.tree import Leaf, find, place_of_key
from junbi.errors import ConfigInvalid, Problem

if TYPE_CHECKING:
    from collections.abc import Iterable

    from junbi.config.tree import Mark, Node, Path

_SIMPLE = re.compile(r"[A-Za-z0-9_-]+")


class Findings:
    """What was found so far.

    Args:
        root: the content the paths lead into; without it problems have no line.
    """

    def __init__(self, root: Node | None = None) -> None:
        self._root = root
        self.problems: list[Problem] = []
        self.warnings: list[Problem] = []

    def error(self, path: Path, message: str, *, key: bool = False) -> None:
        """Something that must be put right; ``key`` where the key and not its value is meant."""
        self.problems.append(self._problem(path, message, key=key))

    def warn(self, path: Path, message: str) -> None:
        """Something that works and is probably not meant."""
        self.warnings.append(self._problem(path, message, key=False))

    def declared(self, name: str, things: Iterable[str], what: str, path: Path) -> bool:
        """Whether something of this name is declared; an error where it is not."""
        there = list(things)
        if name not in there:
            self.error(path, f"no {what} {name!r}{suggestion(name, there)}; there are: {listed(there)}")
        return name in there

    def spelling(self, path: Path) -> str | None:
        """How the scalar at this path is written in the file."""
        node = find(self._root, path)[1] if self._root else None
        return node.text if isinstance(node, Leaf) else None

    def known(self, path: Path) -> int:
        """How many steps of a path exist in the file."""
        return find(self._root, path)[2] if self._root else len(path)

    def raise_if_any(self) -> None:
        """ConfigInvalid with every problem, in the order of the file."""
        if self.problems:
            raise ConfigInvalid(in_order(self.problems))

    def _problem(self, path: Path, message: str, *, key: bool) -> Problem:
        mark = self._mark(path, key=key)
        return problem(dotted(path), message, mark) if mark else Problem(dotted(path), message)

    def _mark(self, path: Path, *, key: bool) -> Mark | None:
        if self._root is None:
            return None
        return place_of_key(self._root, path) if key else find(self._root, path)[0]


def problem(path: str, message: str, mark: Mark) -> Problem:
    """A problem at a place."""
    return Problem(path, message, line=mark.line, column=mark.column, file=mark.file)


def in_order(problems: Iterable[Problem]) -> list[Problem]:
    """Problems in the order in which a person reads the file."""
    return sorted(problems, key=lambda one: (one.file or "", one.line or 0, one.column or 0, one.path))


def dotted(path: Path) -> str:
    """``plans.train.datasets[1]``; a key that holds other characters is quoted."""
    text = ""
    for step in path:
        if isinstance(step, int):
            text += f"[{step}]"
        else:
            text += ("." if text else "") + (step if _SIMPLE.fullmatch(step) else repr(step))
    return text


def suggestion(word: str, known: Iterable[str]) -> str:
    """`` (did you mean 'image'?)`` where something known is near, else nothing."""
    near = difflib.get_close_matches(word, list(known), n=1, cutoff=0.6)
    return f" (did you mean {near[0]!r}?)" if near else ""


def listed(names: Iterable[str]) -> str:
    """Names for a message: ``a, b, c``, or ``none``."""
    return ", ".join(sorted(names)) or "none"
