"""Builds the content of a YAML document from the parser's events: aliases, merges, and every mistake at once."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from junbi.config import scalars
from junbi.config.findings import dotted, problem
from junbi.config.tree import Leaf, Listing, Mark, Table
from junbi.errors import ConfigInvalid

if TYPE_CHECKING:
    from collections.abc import Iterator

    from junbi.config.tree import Node, Path
    from junbi.errors import Problem

#: Levels; junbi.yaml itself has about eight.
DEEPEST = 40
#: Values, with every alias counted as often as it is used: a few nested aliases can stand for billions.
LARGEST = 500_000

#: Steps of a path that a message about its depth shows.
_SHOWN = 6

_TEXT_TAGS = (None, "!", "tag:yaml.org,2002:str")
_COLLECTION_TAGS = (None, "!", "tag:yaml.org,2002:map", "tag:yaml.org,2002:seq")
#: A text that the database's UTF-8, a command or an environment variable cannot carry; YAML's \0 and \ud800 write it.
_UNFIT = re.compile("[\0\ud800-\udfff]")

_Entries = dict[str, tuple[Mark, "Node"]]


class Builder:
    """One document's content. ``problems`` holds what is wrong with it, apart from its syntax.

    Args:
        events: of ruamel's pure parser, which raises MarkedYAMLError at the first mistake in the syntax.
        file: for the places.
    """

    def __init__(self, events: Iterator[Any], file: str) -> None:
        self._events, self._file = events, file
        self._anchors: dict[str, Node | None] = {}
        self.problems: list[Problem] = []
        self.line = 1  #: of the last thing that was read

    def document(self) -> Node | None:
        """The content, None where there is none; ConfigInvalid where it goes too deep or grows too large."""
        content = None
        for event in self._events:
            kind = type(event).__name__
            if kind == "DocumentStartEvent":
                path: Path = ()
                if content is not None:
                    self._found(path, "a second document: one file holds one, so delete the line '---'", event)
                if event.version not in {None, (1, 2)}:
                    self._found(path, "junbi reads YAML 1.2: delete the line '%YAML'", event)
                node = self._node(next(self._events), ())
                content = node if content is None else content
        return content

    def _node(self, event: Any, path: Path) -> Node:
        kind, mark = type(event).__name__, self._mark(event)
        if len(path) > DEEPEST:
            raise self._stop(path, f"nested deeper than {DEEPEST} levels", mark)
        if kind == "AliasEvent":
            return self._alias(event, mark, path)
        if event.anchor:
            self._anchors[event.anchor] = None
        node: Node
        if kind == "ScalarEvent":
            node = self._leaf(event, mark, path)
        elif kind == "SequenceStartEvent":
            node = self._listing(event, mark, path)
        else:
            node = self._table(event, mark, path)
        if node.size > LARGEST:
            raise self._stop(path, f"more than {LARGEST:,} values once its aliases are followed", mark)
        if event.anchor:
            self._anchors[event.anchor] = node
        return node

    def _alias(self, event: Any, mark: Mark, path: Path) -> Node:
        if event.anchor not in self._anchors:
            self._found(path, f"*{event.anchor} names no anchor: &{event.anchor} must stand above it", event)
        elif self._anchors[event.anchor] is None:
            raise self._stop(path, f"*{event.anchor} stands inside what it names", mark)
        return self._anchors.get(event.anchor) or Leaf(None, "", mark)

    def _leaf(self, event: Any, mark: Mark, path: Path) -> Leaf:
        quoted = event.style is not None or event.tag == _TEXT_TAGS[-1]
        if event.tag not in _TEXT_TAGS:
            self._found(path, f"tags are not used here: delete {_shown(event.tag)}", event)
        if _UNFIT.search(event.value):
            self._found(path, "text cannot hold a NUL character or half of a surrogate pair", event)
        try:
            value = event.value if quoted else scalars.plain(event.value)
        except ValueError as refusal:
            self._found(path, str(refusal), event)
            value = event.value
        return Leaf(value, event.value, mark)

    def _listing(self, start: Any, mark: Mark, path: Path) -> Listing:
        self._no_tag(start, path)
        items: list[Node] = []
        while type(event := next(self._events)).__name__ != "SequenceEndEvent":
            items.append(self._node(event, (*path, len(items))))
        return Listing(tuple(items), mark, 1 + sum(item.size for item in items))

    def _table(self, start: Any, mark: Mark, path: Path) -> Table:
        self._no_tag(start, path)
        entries: _Entries = {}
        merged: _Entries = {}
        while type(event := next(self._events)).__name__ != "MappingEndEvent":
            key = self._node(event, (*path, "?"))
            below = (*path, key.text if isinstance(key, Leaf) else "?")
            value = self._node(next(self._events), below)
            if isinstance(key, Leaf) and key.value == "<<" and getattr(event, "style", "") is None:
                self._merge(merged, value, event, path)
            elif self._is_name(key, event, path):
                self._add(entries, below, self._mark(event), value)
        everything = {**entries, **{name: entry for name, entry in merged.items() if name not in entries}}
        return Table(everything, mark, 1 + sum(value.size for _, value in everything.values()))

    def _is_name(self, key: Node, event: Any, path: Path) -> bool:
        if isinstance(key, Leaf) and isinstance(key.value, str):
            return True
        if isinstance(key, Leaf):
            self._found(path, f'a key must be text: write "{key.text}" in quotes', event)
        else:
            self._found(path, "a key must be text, not a list or a mapping (is a '{name}' outside quotes?)", event)
        return False

    def _add(self, entries: _Entries, path: Path, mark: Mark, value: Node) -> None:
        name = str(path[-1])
        if name in entries:
            first = entries[name][0]
            self.problems.append(problem(dotted(path), f"key defined twice, first at line {first.line}", mark))
        else:
            entries[name] = (mark, value)

    def _merge(self, merged: _Entries, value: Node, event: Any, path: Path) -> None:
        sources = value.items if isinstance(value, Listing) else (value,)
        for table in {id(source): source for source in sources}.values():
            if not isinstance(table, Table):
                self._found(path, "'<<' merges a mapping, or a list of them, such as *name", event)
                continue
            for name, entry in table.entries.items():
                merged.setdefault(name, entry)

    def _no_tag(self, event: Any, path: Path) -> None:
        if event.tag not in _COLLECTION_TAGS:
            self._found(path, f"tags are not used here: delete {_shown(event.tag)}", event)

    def _mark(self, event: Any) -> Mark:
        self.line = event.start_mark.line + 1
        return Mark(self._file, self.line, event.start_mark.column + 1)

    def _found(self, path: Path, message: str, event: Any) -> None:
        self.problems.append(problem(dotted(path), message, self._mark(event)))

    def _stop(self, path: Path, message: str, mark: Mark) -> ConfigInvalid:
        return ConfigInvalid([*self.problems, problem(dotted(path[:_SHOWN]), message, mark)])


def _shown(tag: str) -> str:
    return tag.replace("tag:yaml.org,2002:", "!!")
