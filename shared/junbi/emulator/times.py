"""Times as DLC and PaiStudio write and read them."""

from __future__ import annotations

from datetime import UTC, datetime

from junbi.emulator.api_error import invalid


def timestamp(at: datetime) -> str:
    """Whole seconds, UTC: ``2021-01-12T14:35:01Z``."""
    return f"{at.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"


def moment(text: str) -> datetime:
    """A time of a query, ``2021-01-12T14:35:01Z``; ApiError where it is none."""
    try:
        parsed = datetime.fromisoformat(text)
    except ValueError as error:
        raise invalid(f"{text!r} is not a time like 2021-01-12T14:35:01Z.") from error
    return parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)
