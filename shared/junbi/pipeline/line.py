"""A look at a watched line, be it of code or an image: what it found is kept, made the newest, and starts launches."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import timedelta
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

from junbi.core import identity, refusals
from junbi.core.facts import InputKind, Revision
from junbi.core.model import Reason
from junbi.core.reasons import Code
from junbi.ledger.lines import LineState
from junbi.pipeline import trigger

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from junbi.core.plan import CodeSpec, ImageSpec
    from junbi.errors import Refused
    from junbi.ledger.worklist import Kind
    from junbi.pipeline.wiring import Ports

#: How often a repository is looked at when no push tells of it: what a lost push costs.
EVERY = timedelta(minutes=5)

Spec = TypeVar("Spec", bound="CodeSpec | ImageSpec")
Spec_co = TypeVar("Spec_co", bound="CodeSpec | ImageSpec", covariant=True)
State = TypeVar("State", bound=LineState)


class Lines(Protocol[Spec_co, State]):
    """Where the ledger keeps the lines of one kind."""

    def get(self, name: str) -> Spec_co | None: ...  # noqa: D102 - as CodeLines and ImageLines have them

    def state(self, name: str) -> State: ...  # noqa: D102

    def save_state(self, name: str, state: State) -> None: ...  # noqa: D102

    def forget(self, line: str, until: datetime) -> None: ...  # noqa: D102


@dataclass(frozen=True, slots=True)
class Line(Generic[Spec, State]):
    """A watched line as it was when a look at it began. All but that is called inside the transaction that ends it."""

    ports: Ports
    kind: Kind
    lines: Lines[Spec, State]
    spec: Spec
    before: State
    began: datetime

    def is_outdated(self) -> bool:
        """Whether it was applied anew or looked at meanwhile: what was read here may be the older."""
        name = self.spec.name
        return self.lines.get(name) != self.spec or self.lines.state(name) != self.before

    def wait(self, reason: Reason, *, read: bool) -> None:
        """Save why there is nothing to train with, and whether its repository was read at all."""
        if reason != self.before.reason:
            self.tell(reason.code, reason.message)
        self._save(replace(self.before, looked_at=self.began if read else self.before.looked_at, reason=reason))

    def stand(self, state: State) -> bool:
        """Save where it stands now that its repository was read; whether that is elsewhere than before."""
        self._save(replace(state, looked_at=self.began, reason=None))
        return state.head != self.before.head

    def revision(
        self, head: str, address: str, *, label: str, bucket: str, prefix: str, captures: Mapping[str, str]
    ) -> Revision:
        """What the commit or digest at the head of an address is to the ledger."""
        name, now = self.spec.name, self.ports.ledger.now()
        return Revision(
            id=identity.revision_id(name, address, head),
            dataset=name,
            label=label,
            bucket=bucket,
            prefix=prefix,
            captures=dict(captures),
            digest=head,
            members=0,
            size=0,
            newest_at=now,
            created_at=now,
            kind=InputKind(self.kind),
        )

    def take_up(self, revision: Revision, code: str, said: str) -> Revision:
        """Make a revision the newest, and start what it starts. The one that is kept, which may be known already."""
        ledger, now = self.ports.ledger, self.ports.ledger.now()
        known = not ledger.revisions.add(revision)
        if known:
            revision = ledger.revisions.get(revision.id)
        else:
            ledger.worklist.ask("revision", revision.id, now)
        ledger.revisions.put_head(revision)
        self.tell(code, f"{said} again." if known else f"{said}.")
        if self.before.looked_at or self.spec.initial == "adopt":
            trigger.evaluate(self.ports, revision, now)
        else:
            self._first(now)
        return revision

    def tell(self, code: str, message: str) -> None:
        """Tell what happened to it in its story."""
        self.ports.ledger.tell(f"{self.kind}:{self.spec.name}", code, message, self.ports.ledger.now())

    def _first(self, now: datetime) -> None:
        """What was there when it began to be watched starts nothing. It may be what others waited for."""
        said = "It was there before junbi watched it, and starts nothing by itself ('initial: ignore')."
        self.tell(Code.BEFORE_DEPLOYMENT, said)
        for name in self.ports.ledger.generations.inputs_beside(self.spec.name):
            head = self.ports.ledger.revisions.head(name)
            if head is not None and head.created_at >= self.before.since:
                trigger.evaluate(self.ports, head, now)

    def _save(self, state: State) -> None:
        self.lines.forget(self.spec.name, self.began)
        self.lines.save_state(self.spec.name, state)


def watched(ports: Ports, kind: Kind, lines: Lines[Spec, State], name: str) -> Line[Spec, State] | None:
    """Begin a look at a line; None where nothing of that name is watched."""
    spec = lines.get(name)
    return Line(ports, kind, lines, spec, lines.state(name), ports.ledger.now()) if spec else None


def refused(spec: CodeSpec | ImageSpec, error: Refused, *, credential: Code, gone: Code, renew: str) -> Reason:
    """Why a repository does not let itself be read: by its code for a credential that is refused, or for the rest."""
    wakes = "a look every five minutes"
    if error.code in refusals.CREDENTIAL_REFUSED:
        who = f"the secret {spec.credentials}" if spec.credentials else "no credential: 'credentials' is not set"
        said, fix = f"{spec.repository} refuses us ({who}): {error.message}", f"{renew}; then run 'junbi apply'."
        return Reason(credential, said, fix=fix, wakes=wakes)
    said = f"{spec.repository} cannot be read: {error.message}"
    return Reason(gone, said, fix="Correct 'repository' of this entry and run 'junbi apply'.", wakes=wakes)
