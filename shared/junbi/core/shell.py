"""Where in a shell command a quoted value stays one word, whatever it holds.

``shlex.quote`` makes a value safe as a word of its own or as a part of one. Inside the command's own quotes,
backticks, arithmetic, a comment, a here-document or behind a backslash it does not: there the value could end its
place and be run. Erring is on the safe side: from the first thing this scanner does not follow, or that shells read
differently, nothing counts as protected.
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
    | (?P<rest>(?: ['"`] | \$' | \$\{ | \$\[ | << | \(\( | \[\[ ).*)
    """,
    re.VERBOSE | re.DOTALL,
)


def unprotected(command: str, references: list[Reference]) -> list[Reference]:
    """The references that stand where quoting cannot hold their value together."""
    spans = [match.span() for match in _TOKEN.finditer(command) if match.lastgroup != "neutral"]
    return [ref for ref in references if any(start < ref.end and ref.start < end for start, end in spans)]
