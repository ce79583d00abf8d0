"""What a payload comes to: the events that could be read, and what was wrong with the rest."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic

from junbi.core.model import Subject

if TYPE_CHECKING:
    from junbi.core.model import Event
    from junbi.errors import MalformedPayload


@dataclass(frozen=True, slots=True)
class Parsed(Generic[Subject]):
    """A payload, read.

    Attributes:
        events: in the payload's order, each id once.
        malformed: one problem for every record that could not be read; such a record costs the others nothing.
    """

    events: tuple[Event[Subject], ...]
    malformed: tuple[MalformedPayload, ...] = ()
