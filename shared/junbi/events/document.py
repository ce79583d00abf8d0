"""Members of a JSON document that somebody else wrote, read so that whatever is wrong is told with its place."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, NoReturn

from junbi.errors import MalformedPayload

#: Bytes. More than any source sends (GitHub stops at 25 MB), and as much as Function Compute lets through.
LARGEST_BODY = 32 << 20
#: Levels of lists and objects. Real payloads have about ten.
DEEPEST = 64
_LARGEST_NUMBER = 1 << 63  #: what a database's integer holds; OSS's largest object is far smaller
_SHOWN = 80  #: characters of a wrong value that an error shows


@dataclass(slots=True)
class Node:
    """A value of a document, and where it stands. Never changed; freezing it would triple what making one costs, and
    each event is read through a dozen.

    Attributes:
        path: such as ``push.changes[0].new``; empty for the whole document.
    """

    value: Any
    path: str = ""

    @property
    def there(self) -> bool:
        """Whether there is anything but null."""
        return self.value is not None

    def __getitem__(self, name: str) -> Node:
        """A member, null where it is missing; this must be an object."""
        if not isinstance(self.value, dict):
            self.refuse("an object")
        return self.maybe(name)

    def maybe(self, name: str) -> Node:
        """A member, null where it is missing or this is no object."""
        value = self.value.get(name) if isinstance(self.value, dict) else None
        return Node(value, f"{self.path}.{name}" if self.path else name)

    def required(self) -> Node:
        """This, which must be an object."""
        return self if isinstance(self.value, dict) else self.refuse("an object")

    def items(self) -> list[Node]:
        """The values of this list."""
        if not isinstance(self.value, list):
            self.refuse("a list")
        return [Node(each, f"{self.path}[{index}]") for index, each in enumerate(self.value)]

    def text(self, *, optional: bool = False) -> str:
        """This text, in UTF-8 and without NUL; where it is optional it may be null or empty."""
        value = self.value
        if optional and value is None:
            return ""
        if not isinstance(value, str) or not (value or optional):
            self.refuse("text" if optional else "text that is not empty")
        if "\0" in value or not _is_utf8(value):
            self.refuse("text in UTF-8 without NUL")
        return value

    def text_or_nothing(self) -> str:
        """This text, or nothing where it is none that can be kept: for what we can do without."""
        value = self.value
        return value if isinstance(value, str) and "\0" not in value and _is_utf8(value) else ""

    def count(self, expected: str = "a number") -> int | None:
        """This whole number, not below zero; None for null."""
        value = self.value
        if value is not None and (type(value) is not int or not 0 <= value < _LARGEST_NUMBER):
            self.refuse(expected)
        return value if value is None else int(value)

    def time(self, expected: str = "a time such as 2026-11-30T09:00:00.000Z") -> datetime:
        """This time with a zone, in UTC; a number is none."""
        at = self.time_or_none() if isinstance(self.value, str) else None
        return at if at is not None else self.refuse(expected)

    def time_or_none(self) -> datetime | None:
        """This time in UTC, as text with a zone or in seconds since 1970; None where it is neither."""
        value = self.value
        try:
            if isinstance(value, (int, float)) and not isinstance(value, bool):
                return datetime.fromtimestamp(value, UTC)
            at = datetime.fromisoformat(value) if isinstance(value, str) else None
            return at.astimezone(UTC) if at is not None and at.tzinfo is not None else None
        except (ValueError, OverflowError, OSError):
            return None  # no time, or none that UTC can name

    def refuse(self, expected: str) -> NoReturn:
        """Say what should stand here.

        Raises:
            MalformedPayload: always.
        """
        raise MalformedPayload(self.path, expected, shown(self.value))


def load(raw: bytes | str) -> Node:
    """A JSON document.

    Raises:
        MalformedPayload: it is none in UTF-8, or larger or deeper than any source sends.
    """
    if len(raw) > LARGEST_BODY:
        raise MalformedPayload("", f"at most {LARGEST_BODY} bytes", f"{len(raw)}")
    try:
        document = json.loads(raw)
    except (ValueError, RecursionError) as error:
        unit = "bytes" if isinstance(raw, bytes) else "characters"
        raise MalformedPayload("", "JSON in UTF-8", f"{len(raw)} {unit} that are not: {error}") from error
    if _deeper(document, DEEPEST):
        raise MalformedPayload("", f"at most {DEEPEST} levels", "more")
    return Node(document)


def shown(value: Any) -> str:
    """A wrong value as an error shows it: short, on one line, printable whatever it holds."""
    if value is None:
        return "nothing"
    if isinstance(value, list):
        return f"a list of {len(value)}"
    if isinstance(value, dict):
        value = ", ".join(sorted(value))
        return f"an object with {shown(value)}" if value else "an empty object"
    text = ascii(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


def _is_utf8(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:  # half a surrogate pair, which JSON can spell and no store can keep
        return False
    return True


def _deeper(document: Any, levels: int) -> bool:
    """Whether there are more levels than that; level by level, for one that is too deep ends the walk."""
    level = [document] if isinstance(document, (list, dict)) else []
    for _ in range(levels):
        if not level:
            return False
        level = [
            each
            for holder in level
            for each in (holder.values() if isinstance(holder, dict) else holder)
            if isinstance(each, (list, dict))
        ]
    return bool(level)
