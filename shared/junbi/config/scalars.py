"""What an unquoted YAML scalar means: the core schema of YAML 1.2.2 (§10.3.2), and nothing more.

So ``on``, ``no``, ``yes``, ``22:00``, ``1_000`` and ``2026-01-01`` are text, ``0123`` is the number 123 and
``1e-4`` a fraction.
"""

from __future__ import annotations

import math
import re

Value = str | int | float | bool | None

_WORDS: dict[str, Value] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_INTEGERS = ((re.compile(r"[-+]?[0-9]+"), 10), (re.compile(r"0o[0-7]+"), 8), (re.compile(r"0x[0-9a-fA-F]+"), 16))
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_NOT_FINITE = re.compile(r"[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)")
#: Characters; longer than any number that fits.
_LONGEST_NUMBER = 400


def plain(text: str) -> Value:
    """The value of an unquoted scalar; ValueError for a number that JSON and the database cannot hold."""
    if text in _WORDS:
        return _WORDS[text]
    for pattern, radix in _INTEGERS:
        if pattern.fullmatch(text):
            return _integer(text, radix)
    if _NOT_FINITE.fullmatch(text) or (_FLOAT.fullmatch(text) and not math.isfinite(float(text))):
        raise ValueError("no finite number: write it in quotes if text is meant")
    return float(text) if _FLOAT.fullmatch(text) else text


def _integer(text: str, radix: int) -> int:
    digits = text if radix == 10 else text[2:]  # noqa: PLR2004 - ten is ten
    number = int(digits, radix) if len(digits) <= _LONGEST_NUMBER else 1 << 63
    if not -(1 << 63) <= number < 1 << 63:
        raise ValueError("a number beyond 64 bits: write it in quotes if text is meant")
    return number
