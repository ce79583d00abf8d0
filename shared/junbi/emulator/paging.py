"""Pages of a list as the PAI APIs cut them: ``PageNumber`` from 1, ``PageSize``, both with limits."""

from __future__ import annotations

from typing import TypeVar

from junbi.emulator.api_error import invalid

Item = TypeVar("Item")


def page(items: list[Item], number: int | None, size: int | None, *, default: int, most: int = 100) -> list[Item]:
    """One page; ApiError where the number or the size is out of bounds.

    Args:
        items: all of them, in order.
        number: 1 where absent.
        size: ``default`` where absent, at most ``most``.
        default: the operation's own page size.
        most: the largest page size. Source: metadata for ListJobs, assumed for the others.
    """
    number, size = (1 if number is None else number), (default if size is None else size)
    if number < 1:
        raise invalid("PageNumber must be at least 1.")
    if not 1 <= size <= most:
        raise invalid(f"PageSize must be from 1 to {most}.")
    return items[(number - 1) * size : number * size]


def comma_list(text: str | None) -> frozenset[str]:
    """The members of a comma list; empty where the parameter is absent."""
    return frozenset(part.strip() for part in (text or "").split(",") if part.strip())
