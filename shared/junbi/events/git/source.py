"""What a provider of Git hosting is to us: how it is recognised, how it proves itself, how it is read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from datetime import datetime

    from junbi.core.model import CommitRef
    from junbi.events.delivery import Delivery
    from junbi.events.parsed import Parsed
    from junbi.events.proofs import Proof


class Source(Protocol):
    """The functions and constants of a provider's module.

    Attributes:
        NAME: such as ``github``.
        PROOFS: the kinds of proof it can send, one of which must hold; empty where it sends none.
    """

    @property
    def NAME(self) -> str: ...  # noqa: D102, N802 - a constant of a module
    @property
    def PROOFS(self) -> tuple[Proof, ...]: ...  # noqa: D102, N802 - a constant of a module

    def sends(self, delivery: Delivery) -> bool:
        """Whether it sent this, by its headers alone: nothing is verified yet, so nothing is parsed."""
        ...

    def parse(self, delivery: Delivery, now: datetime) -> Parsed[CommitRef]:
        """Read a verified delivery.

        Raises:
            MalformedPayload: it does not have the shape that the provider promises.
        """
        ...
