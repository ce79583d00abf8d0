"""What every door of webhooks does: finds out who vouches for a delivery, has it noted once, and answers."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from junbi.core.model import Reason
from junbi.errors import MalformedPayload
from junbi.events.signatures import Refusal
from junbi.ledger.deliveries import RefusedDelivery
from junbi.pipeline import wiring
from junbi.pipeline.refused import tally
from junbi.pipeline.vouch import diagnosed, prove

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from junbi.core.model import Event
    from junbi.events.delivery import Delivery
    from junbi.events.parsed import Parsed
    from junbi.events.proofs import Proof
    from junbi.ledger.deliveries import Delivery as KnownDelivery
    from junbi.ledger.ledger import Ledger
    from junbi.ledger.worklist import Kind
    from junbi.pipeline.invocation import Invocation
    from junbi.pipeline.vouch import Webhook


@dataclass(frozen=True, slots=True)
class Answer:
    """What the sender is told, with the HTTP status."""

    status: int
    body: Mapping[str, object]


@dataclass(slots=True)
class Noted:
    """What a delivery came to: what was noted, by name, and why the rest was ignored, with how often."""

    lines: set[str] = field(default_factory=set)
    ignored: Counter[str] = field(default_factory=Counter)

    def ignore(self, reason: Reason) -> None:
        """Nothing is done about one event."""
        self.ignored[f"{reason.code}: {reason.message}"] += 1


class Door(Protocol):
    """What the doors differ in. A module is one."""

    @property
    def ENDPOINT(self) -> str: ...  # noqa: D102, N802 - a constant of a module: the function's name

    @property
    def KIND(self) -> Kind: ...  # noqa: D102, N802 - a constant too: what the worklist calls the lines it notes

    def proofs(self, delivery: Delivery) -> Sequence[Proof] | Refusal:
        """The kinds of proof that the sender can give, told by headers alone; a refusal of one whom nobody knows."""
        ...

    def webhooks(self, ledger: Ledger) -> list[Webhook]:
        """Everything that pushes may be proved with."""
        ...

    def parse(self, delivery: Delivery, now: datetime) -> Parsed[Any]:
        """The events of a verified delivery, and who sent it. MalformedPayload where it cannot be read."""
        ...

    def note(
        self, ledger: Ledger, signed: Sequence[Webhook] | None, event: Event[Any], noted: Noted, now: datetime
    ) -> None:
        """Note an event for every line whose webhook is among those; for every line where FC itself vouches (None).

        Called inside a transaction.
        """
        ...


def take(door: Door, delivery: Delivery, invocation: Invocation) -> Answer:
    """Note a delivery if somebody vouches for it, and have ``reconcile`` look soon."""
    answer, noted = receive(door, wiring.ledger(), delivery)
    if noted:
        wiring.poke(invocation)
    return answer


def receive(door: Door, ledger: Ledger, delivery: Delivery) -> tuple[Answer, bool]:
    """Note a delivery in the ledger: the answer, and whether ``reconcile`` should be poked."""
    now = ledger.now()
    proved = prove(door, ledger, delivery, now)
    if isinstance(proved, Refusal):
        return _refused(door, ledger, delivery, proved, now), False
    verified, signed = proved
    known = ledger.deliveries.get(verified.replay)
    if known is not None and known.outcome["noted"]:
        return repeated(door, ledger, known, now), False
    try:
        parsed = door.parse(delivery, now)
    except MalformedPayload as problem:
        return _kept(door, ledger, delivery, problem, now), False
    return keep(
        door, ledger, signed, parsed, now, delivery=verified.replay, facts={"signed with": verified.fingerprint}
    )


def keep(
    door: Door,
    ledger: Ledger,
    signed: list[Webhook] | None,
    parsed: Parsed[Any],
    now: datetime,
    *,
    delivery: str,
    facts: Mapping[str, str],
) -> tuple[Answer, bool]:
    """Note what somebody vouches for, and keep what it came to with these facts; the answer, and whether to poke."""
    with ledger.transaction(alone=False):
        noted = _note(door, ledger, signed, parsed, now)
        outcome = {**noted, **facts}
        ledger.deliveries.put(delivery, door.ENDPOINT, parsed.source, outcome, now)
    due = bool(noted["noted"]) and ledger.worklist.may_poke(now)
    return Answer(200, {"delivery": delivery, **outcome}), due


def repeated(door: Door, ledger: Ledger, known: KnownDelivery, now: datetime) -> Answer:
    """What came before says nothing new, and yet may be true again: some senders tell A, B and A with one id.

    What was ignored is no such delivery: by now somebody may watch it.
    """
    with ledger.transaction(alone=False):
        ledger.deliveries.put(known.id, known.endpoint, known.source, known.outcome, now)
        for line in known.outcome["noted"]:
            ledger.worklist.ask_again(door.KIND, line, now)
    told = f"of {known.id}, which came {known.at:%Y-%m-%d %H:%M:%S} UTC"
    return Answer(200, {"duplicate": told, **known.outcome})


def _note(
    door: Door, ledger: Ledger, signed: list[Webhook] | None, parsed: Parsed[Any], now: datetime
) -> dict[str, object]:
    """Note every event of a delivery; what it came to. Call it inside a transaction."""
    noted = Noted()
    noted.ignored.update(f"{one.code}: {one.message}" for one in parsed.ignored)
    for event in parsed.events:
        door.note(ledger, signed, event, noted, now)
    malformed = [str(problem) for problem in parsed.malformed]
    return {"noted": sorted(noted.lines), "ignored": dict(noted.ignored), "malformed": malformed}


def _refused(door: Door, ledger: Ledger, delivery: Delivery, refusal: Refusal, now: datetime) -> Answer:
    """Count it, keep nothing of it, and tell the sender what to put right."""

    def tell() -> RefusedDelivery:
        found = diagnosed(door, ledger, delivery, refusal, now)
        return RefusedDelivery(
            now, door.ENDPOINT, Reason(found.code, found.message, found.fix, facts=found.facts), delivery.digest
        )

    tally().add(ledger, door.ENDPOINT, refusal.code, now, tell)
    return Answer(401, {"code": refusal.code, "message": refusal.message, "fix": refusal.fix})


def _kept(door: Door, ledger: Ledger, delivery: Delivery, problem: MalformedPayload, now: datetime) -> Answer:
    """A verified sender wrote what we cannot read: kept, and handled, for sending it again is no use."""
    ledger.quarantine(door.ENDPOINT, delivery.body, str(problem), now)
    told = {"type": type(problem).__name__, "message": str(problem)}
    return Answer(200, {"refused": told, "kept": "It can be read in the ledger's quarantine."})
