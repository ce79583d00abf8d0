"""What registering asks of each kind of input: what PAI knows of a revision, and which create makes it known."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Protocol, cast

if TYPE_CHECKING:
    from collections.abc import Callable

    from junbi.clients.signing import Stamp
    from junbi.core.facts import InputKind, Registration, Revision
    from junbi.core.model import Reason
    from junbi.ledger.generations import Scope
    from junbi.pipeline.wiring import Ports
    from junbi.wire.model import WireModel


@dataclass(frozen=True, slots=True)
class Found:
    """What PAI knows: the id of what an input is registered as, and the name of the revision there; empty for none."""

    id: str = ""
    name: str = ""


@dataclass(frozen=True, slots=True)
class Create:
    """A create that would register a revision. ``send`` sends it once, and gives the id or name that was made."""

    operation: str
    request: WireModel
    send: Callable[[Stamp], str]


class Registrar(Protocol):
    """How the revisions of one kind of input are registered. A module is one."""

    def find(self, ports: Ports, scope: Scope, revision: Revision, known_id: str) -> Found | Reason:
        """What PAI knows of a revision; a reason where what lies in its place is not ours.

        ``known_id`` is what the ledger knows of its input in that scope, empty for nothing.
        """
        ...

    def create(self, ports: Ports, revision: Revision, known_id: str) -> Create:
        """The create that is needed next."""
        ...

    def created(self, operation: str, made: str, revision: Revision, known_id: str) -> Found:
        """What a create has made known."""
        ...

    def is_gone(self, operation: str, code: str) -> bool:
        """Whether a refusal says that what the input was registered as is not there any more."""
        ...

    def told(self, revision: Revision, registration: Registration) -> tuple[str, str]:
        """Code and sentence for the story of a revision that is registered."""
        ...


def registrar(kind: InputKind) -> Registrar:
    """Who registers this kind. Loaded when needed, as the models of its API are."""
    return cast("Registrar", import_module(f"junbi.pipeline.{kind.value}_registrar"))
