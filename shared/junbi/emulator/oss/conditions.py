"""Conditional requests and ranges. Source: OSS API reference, GetObject and CopyObject."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING

from junbi.emulator.oss.errors import OssError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from junbi.emulator.oss.model import StoredObject

_RANGE = re.compile(r"bytes=([0-9]{0,15})-([0-9]{0,15})")


def check_conditions(found: StoredObject, headers: Mapping[str, str], prefix: str = "") -> None:
    """``PreconditionFailed`` (412) or ``NotModified`` (304) where an ``If-*`` header does not hold.

    Args:
        found: the object asked for.
        headers: lower-case names.
        prefix: ``x-oss-copy-source-`` for the source of a copy.
    """
    match, none_match = headers.get(f"{prefix}if-match"), headers.get(f"{prefix}if-none-match")
    since, not_since = _date(headers, f"{prefix}if-modified-since"), _date(headers, f"{prefix}if-unmodified-since")
    if (match and not _same(match, found)) or (not_since and found.last_modified > not_since):
        raise OssError("PreconditionFailed")
    if (none_match and _same(none_match, found)) or (since and found.last_modified <= since):
        raise OssError("NotModified", headers={"ETag": f'"{found.etag}"'})


def _same(given: str, found: StoredObject) -> bool:
    return given.strip().strip('"').upper() == found.etag


def _date(headers: Mapping[str, str], name: str) -> datetime | None:
    try:
        return parsedate_to_datetime(headers[name]).replace(tzinfo=UTC) if headers.get(name) else None
    except ValueError:  # OSS goes on as if the condition had not been given
        return None


def wanted_range(text: str, size: int, *, standard: bool = False) -> tuple[int, int] | None:
    """Start and length of what a Range header asks for; None for the whole object.

    OSS answers with the whole object where a range is not within it, unless ``x-oss-range-behavior: standard`` asks
    for the usual HTTP rules (then ``InvalidRange`` for a start behind the end).
    """
    match = _RANGE.fullmatch(text.replace(" ", ""))
    if not match or match.groups() == ("", ""):
        return None
    first, last = match.groups()
    start = int(first) if first else max(0, size - int(last))
    end = int(last) if first and last else size - 1
    if standard:
        if start >= size:
            raise OssError("InvalidRange", headers={"Content-Range": f"bytes */{size}"})
        end = min(end, size - 1)
    within = start <= end < size and (standard or bool(first) or 0 < int(last) <= size)
    return (start, end - start + 1) if within else None
