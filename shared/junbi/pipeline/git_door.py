"""The door of Git pushes: notes each on every line of code that watches its branch or tag."""

from __future__ import annotations

from typing import TYPE_CHECKING

from junbi.core import code
from junbi.core.model import EventKind, Reason
from junbi.core.reasons import Code
from junbi.events import git
from junbi.events.git.address import alike
from junbi.events.signatures import Refusal, RefusalCode
from junbi.pipeline.vouch import Webhook

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from junbi.core.model import CommitRef, Event
    from junbi.core.plan import CodeSpec
    from junbi.events.delivery import Delivery
    from junbi.events.parsed import Parsed
    from junbi.events.proofs import Proof
    from junbi.ledger.ledger import Ledger
    from junbi.ledger.worklist import Kind
    from junbi.pipeline.receive import Noted

ENDPOINT = "git_push"
KIND: Kind = "code"


def proofs(delivery: Delivery) -> Sequence[Proof] | Refusal:
    """A Git host's headers tell which it is."""
    source = git.source(delivery)
    if source is not None:
        return source.PROOFS
    return Refusal(
        RefusalCode.NO_PROOF,
        "The delivery has no header of a Git host that we know, such as X-GitHub-Event.",
        "Let a webhook of GitHub, GitLab, Gitee, Codeup, Gitea, Forgejo, Gogs or Bitbucket call this address.",
    )


def webhooks(ledger: Ledger) -> list[Webhook]:
    """All Git hosts sign, or show a token: none may put its secret into the address."""
    return [Webhook(names) for names in ledger.code_lines.webhooks()]


def parse(delivery: Delivery, now: datetime) -> Parsed[CommitRef]:
    """Read it."""
    return git.parse(delivery, now)


def note(
    ledger: Ledger, signed: Sequence[Webhook] | None, event: Event[CommitRef], noted: Noted, now: datetime
) -> None:
    """Note a push on every line that watches its ref. Call it inside a transaction."""
    push, lines = event.subject, _lines(ledger, signed or (), event.subject)
    watching = [line for line in lines if code.watches(line, push.ref)]
    if not watching:
        noted.ignore(_unwatched(push, lines))
    for line in watching:
        if event.kind is EventKind.REF_MOVED:
            ledger.code_lines.note(line.name, push, now)
        ledger.worklist.ask(KIND, line.name, now)
        what = f"is at {push.commit[:12]}" if event.kind is EventKind.REF_MOVED else "was deleted"
        ledger.tell(f"code:{line.name}", "PushNoted", f"A push says that {push.ref} {what}.", now)
        noted.lines.add(line.name)


def _lines(ledger: Ledger, signed: Sequence[Webhook], push: CommitRef) -> list[CodeSpec]:
    addresses = [alike(address) for address in (push.repository, *push.others)]
    return [line for webhook in signed for line in ledger.code_lines.at(addresses, webhook.secrets)]


def _unwatched(push: CommitRef, lines: list[CodeSpec]) -> Reason:
    if not lines:
        said = f"No entry under 'code' watches {push.repository} with this webhook's secret."
        return Reason(Code.NOT_WATCHED, said)
    watched = ", ".join(line.branch or "tags of a pattern" for line in lines)
    return Reason(Code.NOT_WATCHED, f"{push.ref} of {push.repository} is not watched; watched there: {watched}.")
