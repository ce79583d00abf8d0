"""What the door of webhooks does: finds out who sent a delivery, notes what it points at, and answers."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from junbi.core import code
from junbi.core.model import EventKind, Reason
from junbi.core.reasons import Code
from junbi.errors import MalformedPayload
from junbi.events import git
from junbi.events.git.address import alike
from junbi.events.signatures import Refusal, RefusalCode, verify
from junbi.ledger.deliveries import RefusedDelivery
from junbi.pipeline import wiring
from junbi.pipeline.refused import tally
from junbi.pipeline.secrets import secret

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from junbi.core.model import CommitRef, Event
    from junbi.core.plan import CodeSpec
    from junbi.events.delivery import Delivery
    from junbi.events.parsed import Parsed
    from junbi.ledger.ledger import Ledger
    from junbi.pipeline.invocation import Invocation

#: Webhooks by the names of their secrets, all of which are valid at once.
Webhook = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Answer:
    """What the sender is told, with the HTTP status."""

    status: int
    body: Mapping[str, object]


@dataclass(slots=True)
class _Noted:
    """What a delivery came to."""

    lines: set[str] = field(default_factory=set)
    ignored: Counter[str] = field(default_factory=Counter)


def git_push(delivery: Delivery, invocation: Invocation) -> Answer:
    """Note the pushes of a delivery, if somebody vouches for it."""
    answer, noted = receive(wiring.ledger(), delivery)
    if noted:
        wiring.poke(invocation)
    return answer


def receive(ledger: Ledger, delivery: Delivery) -> tuple[Answer, bool]:
    """Note a delivery in the ledger: the answer, and whether ``reconcile`` should be poked."""
    now, source = ledger.now(), git.source(delivery)
    if source is None:
        return _refused(ledger, delivery, _nobody(), now), False
    webhooks = {webhook: [secret(name) for name in webhook] for webhook in ledger.code_lines.webhooks()}
    secrets = list(dict.fromkeys(one for several in webhooks.values() for one in several))
    verified = verify(delivery, source.PROOFS, secrets, now)
    if isinstance(verified, Refusal):
        return _refused(ledger, delivery, verified, now), False
    known = ledger.deliveries.get(verified.replay)
    if known is not None:
        ledger.deliveries.put(known.id, known.endpoint, known.source, known.outcome, now)
        told = f"of {known.id}, which came {known.at:%Y-%m-%d %H:%M:%S} UTC"
        return Answer(200, {"duplicate": told, **known.outcome}), False
    try:
        parsed = git.parse(delivery, now)
    except MalformedPayload as problem:
        return _kept(ledger, delivery, problem, now), False
    signed = [webhook for webhook, several in webhooks.items() if secrets[verified.secret] in several]
    with ledger.transaction(alone=False):
        noted = _note(ledger, signed, parsed, now)
        outcome = {**noted, "signed with": verified.fingerprint}
        ledger.deliveries.put(verified.replay, "git_push", source.NAME, outcome, now)
    due = bool(noted["noted"]) and ledger.worklist.may_poke(now)
    return Answer(200, {"delivery": verified.replay, **outcome}), due


def _note(ledger: Ledger, webhooks: list[Webhook], parsed: Parsed[CommitRef], now: datetime) -> dict[str, object]:
    """Note every push of a delivery; what it came to. Call it inside a transaction."""
    noted = _Noted()
    noted.ignored.update(f"{one.code}: {one.message}" for one in parsed.ignored)
    for event in parsed.events:
        _note_event(ledger, webhooks, event, noted, now)
    malformed = [str(problem) for problem in parsed.malformed]
    return {"noted": sorted(noted.lines), "ignored": dict(noted.ignored), "malformed": malformed}


def _note_event(ledger: Ledger, webhooks: list[Webhook], event: Event[CommitRef], noted: _Noted, now: datetime) -> None:
    """Note a push on every line that watches its ref. Call it inside a transaction."""
    push, lines = event.subject, _lines(ledger, webhooks, event.subject)
    watching = [line for line in lines if code.watches(line, push.ref)]
    if not watching:
        reason = _unwatched(push, lines)
        noted.ignored[f"{reason.code}: {reason.message}"] += 1
    for line in watching:
        if event.kind is EventKind.REF_MOVED:
            ledger.code_lines.note(line.name, push, now)
        ledger.worklist.ask("code", line.name, now)
        what = f"is at {push.commit[:12]}" if event.kind is EventKind.REF_MOVED else "was deleted"
        ledger.tell(f"code:{line.name}", "PushNoted", f"A push says that {push.ref} {what}.", now)
        noted.lines.add(line.name)


def _lines(ledger: Ledger, webhooks: list[Webhook], push: CommitRef) -> list[CodeSpec]:
    addresses = [alike(address) for address in (push.repository, *push.others)]
    return [line for webhook in webhooks for line in ledger.code_lines.at(addresses, webhook)]


def _unwatched(push: CommitRef, lines: list[CodeSpec]) -> Reason:
    if not lines:
        said = f"No entry under 'code' watches {push.repository} with this webhook's secret."
        return Reason(Code.NOT_WATCHED, said)
    watched = ", ".join(line.branch or "tags of a pattern" for line in lines)
    return Reason(Code.NOT_WATCHED, f"{push.ref} of {push.repository} is not watched; watched there: {watched}.")


def _nobody() -> Refusal:
    return Refusal(
        RefusalCode.NO_PROOF,
        "The delivery has no header of a Git host that we know, such as X-GitHub-Event.",
        "Let a webhook of GitHub, GitLab, Gitee, Codeup, Gitea, Forgejo, Gogs or Bitbucket call this address.",
    )


def _refused(ledger: Ledger, delivery: Delivery, refusal: Refusal, now: datetime) -> Answer:
    """Count it, keep nothing of it, and tell the sender what to put right."""
    reason = Reason(refusal.code, refusal.message, refusal.fix, facts=refusal.facts)
    tally().add(ledger, RefusedDelivery(now, "git_push", reason, delivery.digest), now)
    return Answer(401, {"code": refusal.code, "message": refusal.message, "fix": refusal.fix})


def _kept(ledger: Ledger, delivery: Delivery, problem: MalformedPayload, now: datetime) -> Answer:
    """A verified sender wrote what we cannot read: kept, and handled, for sending it again is no use."""
    ledger.quarantine("git_push", delivery.body, str(problem), now)
    told = {"type": type(problem).__name__, "message": str(problem)}
    return Answer(200, {"refused": told, "kept": "It can be read in the ledger's quarantine."})
