"""Refuses regular expressions on which a name made for it could keep ``re`` busy for minutes."""

from __future__ import annotations

import math
import re

from junbi.core.arrival import LONGEST_CAPTURE

#: Ways to cut a name at an expression's repetitions; so many are tried in a few milliseconds.
_MOST_WAYS = 100_000

_TOKEN = re.compile(
    r"""
      (?P<open>\((?:\?:)?)
    | (?P<bar>\|)
    | (?P<close>\))(?P<maybe>\?)?
    | (?P<edge>[\^$])
    | (?: \\[dDsSwW] | \\[^A-Za-z0-9] | \[\^?\]?(?:\\.|[^\]\\])*\] | [^][\\(){}?*+|^$] )  # one character
      (?P<repeat> [?*+] | \{[0-9]+(?:,[0-9]*)?\} )?
    """,
    re.VERBOSE | re.DOTALL,
)


def slow_to_match(expression: str) -> str:
    """Why a valid expression must not judge what strangers wrote; empty if it may.

    What may: characters and classes, each repeated or not, and groups of them that are not repeated, so that the
    number of ways to match is the product of the repetitions' widths.
    """
    ways, at = [(0, 1)], 0  # of each open group: of its finished alternatives, and of the one being read
    while at < len(expression):
        found = _TOKEN.match(expression, at)
        if found is None:
            return (
                f"holds {expression[at : at + 8]!r}, which is not supported: write characters and classes such as "
                r"[a-z] or \d, each with *, +, ? or {1,9}, and groups (a|b) that are not repeated"
            )
        at = found.end()
        _count(ways, found)
    if math.prod(map(sum, ways)) > _MOST_WAYS:
        return r"would take long on a name made for it: limit what repeats, for example \d{1,4} in place of \d+"
    return ""


def only_empty(expression: str) -> bool:
    """Whether an expression that ``slow_to_match`` lets pass has no character to match."""
    tokens = _TOKEN.finditer(expression)
    return all(any(token[kind] for kind in ("open", "bar", "close", "edge")) for token in tokens)


def _count(ways: list[tuple[int, int]], token: re.Match[str]) -> None:
    finished, reading = ways.pop()
    if token["open"]:
        ways += [(finished, reading), (0, 1)]
    elif token["bar"]:
        ways.append((finished + reading, 1))
    elif token["close"]:
        outer, beside = ways.pop()
        ways.append((outer, beside * (finished + reading + bool(token["maybe"]))))
    else:
        ways.append((finished, reading * _width(token["repeat"])))


def _width(repeat: str | None) -> int:
    """How many lengths a repetition can have in a name."""
    if repeat is None:
        return 1
    if repeat == "?":
        return 2
    least, comma, most = repeat.strip("{}*+").partition(",")
    if least and not comma:
        return 1
    return max(1, min(int(most or LONGEST_CAPTURE), LONGEST_CAPTURE) - int(least or 0) + 1)
