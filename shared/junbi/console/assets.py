"""The console's style and script, served under a name that changes with their content."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path

from flask import Response

_FOLDER = Path(__file__).parent / "assets"
_TYPES = {"console.css": "text/css", "console.js": "text/javascript", "mark.svg": "image/svg+xml"}


def address(name: str) -> str:
    """Where a file is found; another content has another address, so that browsers may keep it for good."""
    return f"/assets/{name}?v={hashlib.sha256(_content(name)).hexdigest()[:12]}"


def answer(name: str) -> Response | None:
    """A file; None where the console has none of that name."""
    if name not in _TYPES:
        return None
    return Response(
        _content(name), mimetype=_TYPES[name], headers={"Cache-Control": "public, max-age=31536000, immutable"}
    )


@cache
def _content(name: str) -> bytes:
    return (_FOLDER / name).read_bytes()
