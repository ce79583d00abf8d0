"""What a call that says "everything is there" does to the arrival of its prefix."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from junbi.core.arrival import opened, refused_captures, reopened
from junbi.core.facts import ArrivalState

if TYPE_CHECKING:
    from datetime import datetime

    from junbi.core.arrival import Place
    from junbi.core.facts import Arrival
    from junbi.core.plan import DatasetSpec


def refusal(dataset: DatasetSpec, spot: Place) -> str | None:
    """Why a call cannot close what lies there, None where it can."""
    if not dataset.complete.call:
        given = dataset.complete.model_dump(exclude_defaults=True, exclude={"max_wait", "verify"})
        way = " and ".join(f"{name}: {value}" for name, value in given.items())
        return f"{dataset.name} is closed by {way}, not by a call. Nothing was changed."
    if bad := refused_captures(dataset.watch, spot.captures):
        said = ", ".join(bad.values())
        return f"The folder's name is not acceptable ({said!r}): see CaptureRefused. Nothing was changed."
    return None


def call(known: Arrival | None, dataset: DatasetSpec, spot: Place, now: datetime) -> Arrival:
    """The arrival to save, its prefix to be looked at now.

    A call opens what no event told of, and what was given up: it is the word of somebody who knows. One that comes
    while an earlier one is acted upon is no repetition: it speaks for what has come since, of which no event may tell.
    """
    if known is None:
        return replace(opened(dataset, spot, now), called_at=now)
    if known.state is ArrivalState.CLOSED:
        # What the call speaks for may have come since, and its events be late or lost: it is compared once more.
        return replace(known, called_at=now, dirty=True)
    if known.state is ArrivalState.CLOSING:
        return replace(known, called_at=now)
    if known.state is ArrivalState.OPEN:
        return replace(known, called_at=now, found=False)
    return replace(reopened(known, now), called_at=now)
