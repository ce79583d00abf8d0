"""Reads junbi.yaml, or every file of junbi.d/, as YAML 1.2 with the place of every key and value kept."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from junbi.config.build import Builder
from junbi.config.findings import in_order, problem
from junbi.config.syntax import explain
from junbi.config.tree import Leaf, Mark, Table
from junbi.errors import ConfigInvalid, Problem

if TYPE_CHECKING:
    from pathlib import Path

    from junbi.config.tree import Node

#: Bytes; a configuration is written by people, and more than this is some other file.
LARGEST = 4 << 20
#: What YAML allows in a text. Source: YAML 1.2.2 §5.1.
_FORBIDDEN = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def load(path: Path) -> Table:
    """The content of a file, or of a folder's ``*.yaml`` and ``*.yml``; ConfigInvalid names all that is wrong."""
    if path.is_dir():
        return _folder(path)
    content = read(path)
    if content is None:
        raise _invalid("is empty: 'junbi init' writes one to start from", str(path))
    return content


def read(path: Path) -> Table | None:
    """The content of one file, None where it holds nothing but comments."""
    file = str(path)
    try:
        with path.open("rb") as stream:
            data = stream.read(LARGEST + 1)
    except FileNotFoundError:
        raise _invalid("no such file: 'junbi init' writes one to start from, --config names another", file) from None
    except OSError as failure:
        raise _invalid(f"cannot be read: {failure.strerror}", file) from None
    if len(data) > LARGEST:
        raise _invalid(f"has more than {LARGEST >> 20} MiB; junbi.yaml is never that large", file)
    return _top(parse(_text(data, file), file))


def parse(text: str, file: str) -> Node | None:
    """The content of a YAML text, None where it is empty."""
    from ruamel.yaml import YAML  # only where YAML is read; functions never do
    from ruamel.yaml.error import MarkedYAMLError

    builder = Builder(YAML(typ="safe", pure=True).parse(text), file)
    try:
        content = builder.document()
    except MarkedYAMLError as failure:
        raise ConfigInvalid([*builder.problems, explain(failure, file)]) from None
    except (ValueError, OverflowError):  # an escape such as "\UFFFFFFFF", which the parser itself does not check
        message = f"no valid YAML below line {builder.line}: an escape in double quotes names no character"
        raise ConfigInvalid([*builder.problems, problem("", message, Mark(file, builder.line))]) from None
    if builder.problems:
        raise ConfigInvalid(in_order(builder.problems))
    return content


def _text(data: bytes, file: str) -> str:
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise _invalid("is UTF-16: save it as UTF-8", file)
    if b"\0" in data:
        raise _invalid("is a binary file, no YAML", file)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as failure:
        before = data[: failure.start].decode("utf-8-sig", errors="replace")
        raise ConfigInvalid([problem("", "is not UTF-8 here: save the file as UTF-8", _end(before, file))]) from None
    if strange := _FORBIDDEN.search(text):
        message = f"holds the control character U+{ord(strange.group()):04X}: delete it"
        raise ConfigInvalid([problem("", message, _end(text[: strange.start()], file))])
    return text


def _end(text: str, file: str) -> Mark:
    return Mark(file, text.count("\n") + 1, len(text) - text.rfind("\n"))


def _invalid(message: str, file: str) -> ConfigInvalid:
    return ConfigInvalid([Problem("", message, file=file)])


def _top(content: Node | None) -> Table | None:
    if content is None or (isinstance(content, Leaf) and content.value is None):
        return None
    if not isinstance(content, Table):
        raise ConfigInvalid([problem("", "expected keys such as 'deployment:' at the top", content.mark)])
    return content


def _folder(path: Path) -> Table:
    files = sorted(file for file in path.iterdir() if file.suffix in {".yaml", ".yml"} and file.name[0] != ".")
    tables, problems = [], []
    for file in files:
        try:
            if not file.is_file():
                raise _invalid("is no file", str(file))
            tables.append(read(file))
        except ConfigInvalid as invalid:
            problems += invalid.problems
    found = [table for table in tables if table is not None]
    if not found and not problems:
        raise _invalid("holds no .yaml file with content: 'junbi init' writes one to start from", str(path))
    merged: dict[str, tuple[Mark, Node]] = {}
    for table in found:
        problems += _merge(merged, table)
    if problems:
        raise ConfigInvalid(in_order(problems))
    return Table(merged, Mark(str(path)), sum(table.size for table in found))


def _merge(merged: dict[str, tuple[Mark, Node]], table: Table) -> list[Problem]:
    """Adds a file's content. Sections come together name by name; nothing may be said twice but ``x-*``."""
    problems = []
    for key, (mark, node) in table.entries.items():
        there = merged.get(key)
        if there is None or key.startswith("x-"):
            merged[key] = (mark, node)
        elif isinstance(there[1], Table) and isinstance(node, Table):
            twice = [name for name in node.entries if name in there[1].entries and not name.startswith("x-")]
            problems += [_twice(f"{key}.{name}", node.entries[name][0], there[1].entries[name][0]) for name in twice]
            both = {**node.entries, **there[1].entries}
            merged[key] = (there[0], Table(both, there[1].mark, there[1].size + node.size))
        else:
            problems.append(_twice(key, mark, there[0]))
    return problems


def _twice(path: str, mark: Mark, first: Mark) -> Problem:
    return problem(path, f"is already defined at {first.file}:{first.line}:{first.column}", mark)
