"""The content of junbi.yaml with the place of every key and value."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from junbi.config.scalars import Value

#: Where something stands in the content: keys and list positions from the top.
Path = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Mark:
    """A place in a file, counted from 1."""

    file: str
    line: int = 1
    column: int = 1


@dataclass(frozen=True, slots=True)
class Leaf:
    """A scalar: its value, and its spelling in the file."""

    value: Value
    text: str
    mark: Mark
    size: int = 1


@dataclass(frozen=True, slots=True)
class Listing:
    """A list. ``size`` counts everything in it, aliases as often as they stand there."""

    items: tuple[Node, ...]
    mark: Mark
    size: int


@dataclass(frozen=True, slots=True)
class Table:
    """A mapping: by key, the place of the key and the value."""

    entries: dict[str, tuple[Mark, Node]]
    mark: Mark
    size: int = field(default=1)


Node = Leaf | Listing | Table


def bare(node: Node) -> Any:
    """The content without places, as validation takes it."""
    if isinstance(node, Leaf):
        return node.value
    if isinstance(node, Listing):
        return [bare(item) for item in node.items]
    return {key: bare(value) for key, (_, value) in node.entries.items()}


def find(node: Node, path: Sequence[str | int]) -> tuple[Mark, Node, int]:
    """The place of what a path leads to, what stands there, and how many steps exist.

    Where the path leads beyond what exists, it is the last thing that does. The place of a mapping or a list is
    that of the key that holds it; the place of a scalar is its own.
    """
    place = node.mark
    for steps, step in enumerate(path):
        if isinstance(node, Table) and step in node.entries:
            place, node = node.entries[str(step)]
        elif isinstance(node, Listing) and isinstance(step, int) and step < len(node.items):
            node = node.items[step]
            place = node.mark
        else:
            return place, node, steps
        place = node.mark if isinstance(node, Leaf) else place
    return place, node, len(path)


def place_of_key(node: Node, path: Sequence[str | int]) -> Mark:
    """The place of the key at the end of a path, or of the nearest thing above it that exists."""
    place, holder, steps = find(node, path[:-1])
    if steps == len(path) - 1 and path and isinstance(holder, Table) and path[-1] in holder.entries:
        return holder.entries[str(path[-1])][0]
    return place
