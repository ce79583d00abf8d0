"""Where in a shell command a quoted value stays one word that the shell itself does not run, whatever it holds.

``shlex.quote`` makes a value safe as a word of its own or as a part of one. Inside the command's own quotes,
backticks, arithmetic, a comment, a here-document or behind a backslash it does not: there the value could end its
place and be run. Nor does it in a subscript, or after a word that makes the shell run or evaluate its arguments:
``eval``, ``trap``, ``let``, ``declare``, ``sh -c`` and their like, wherever it stands. Erring is on the safe side: from
the first thing this scanner does not follow, or that shells read differently, nothing counts as protected.

What happens to the word later is the command's own affair and is not judged: a variable that is set to it and used in
arithmetic, or a program that takes it for code (``python -c``, ``ssh``). There ``allow`` is what protects.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from junbi.core.placeholders import Reference

_TOKEN = re.compile(
    r"""
      (?P<neutral><<<)
    | (?P<single>'[^']*')
    | (?P<double>"(?: [^"\\$`] | \\. | \$\{[A-Za-z0-9_]+\} | \$(?![({]) )*")
    | (?P<escape>\\.?)
    | (?P<parameter>\$\{[^{}'"\\`$]*\})
    | (?P<comment>(?:(?<=[\s;&|()<>])|\A)\#[^\n]*)
    | (?P<subscript>(?<=[\w}])\[[^]]*)
    | (?P<rest>(?: ['"`] | \$' | \$\{ | \$\[ | << | \(\( | \[\[ ).*)
    """,
    re.VERBOSE | re.DOTALL,
)


#: Words after which the shell runs or evaluates what it is given: nothing behind one of them counts as protected.
_EVALUATES = re.compile(
    r"""
      (?<![\w./]) (?<!--) (?<!\s-) (?:
          (?: eval | let | trap | declare | typeset | local | readonly | unset | read | mapfile | readarray | getopts
            | alias | printf \s+ -v ) (?![\w./=-])
        | (?: test | \[ ) \s [^;&|]*? -v \b
      )
    | (?<![\w-]) (?: (?:ba|da|a|k|z)?sh | su ) \s (?: [^;&|]*? \s )?? -\w*c \b
    """,
    re.VERBOSE,
)
_QUOTES = re.compile(r"""\\\n | '([^']*)' | "([^"]*)" | ['"\\]""", re.VERBOSE)


def unprotected(command: str, references: list[Reference]) -> list[Reference]:
    """The references that stand where quoting cannot hold their value together."""
    spans = [match.span() for match in _TOKEN.finditer(command) if match.lastgroup != "neutral"]
    return [
        ref
        for ref in references
        if any(start < ref.end and ref.start < end for start, end in spans)
        or _EVALUATES.search(_unquoted(command[: ref.start]))
    ]


def _unquoted(text: str) -> str:
    """The text without its quotes, for ``"eval"`` is eval to a shell; what they hold parts no commands."""
    return _QUOTES.sub(lambda quoted: re.sub("[;&|]", "", (quoted[1] or quoted[2] or "")), text)
