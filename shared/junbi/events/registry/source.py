"""What a registry, or whoever announces its images, is to us: how it is recognised, proves itself and is read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from datetime import datetime

    from junbi.core.model import ImageRef
    from junbi.events.delivery import Delivery
    from junbi.events.document import Node
    from junbi.events.parsed import Parsed
    from junbi.events.proofs import Proof


class Source(Protocol):
    """The functions and constants of a source's module.

    Attributes:
        NAME: such as ``harbor``.
        PROOFS: the kinds of proof it can send, one of which must hold; empty where it sends none.
    """

    @property
    def NAME(self) -> str: ...  # noqa: D102, N802 - a constant of a module
    @property
    def PROOFS(self) -> tuple[Proof, ...]: ...  # noqa: D102, N802 - a constant of a module

    def sends(self, delivery: Delivery, document: Node) -> bool:
        """Whether it sent this."""
        ...

    def parse(self, delivery: Delivery, document: Node, now: datetime) -> Parsed[ImageRef]:
        """Read a verified delivery. No URL that it names is ever followed.

        Raises:
            MalformedPayload: it does not have the shape that the source promises.
        """
        ...
