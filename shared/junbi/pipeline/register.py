"""Registers a revision in AIWorkSpace exactly once: a dataset's version, the code build of a commit, or an image."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from junbi.core.facts import CreateState, Registration, Revision
from junbi.core.model import Reason
from junbi.core.reasons import Code
from junbi.errors import CallFailed, Refused, Stale
from junbi.pipeline import create
from junbi.pipeline.registrar import Found, registrar

if TYPE_CHECKING:
    from collections.abc import Iterable

    from junbi.ledger.generations import Scope
    from junbi.pipeline.create import Answer
    from junbi.pipeline.wiring import Ports

#: How long a registration waits for an earlier one of its dataset, which also wakes it when it ends.
WAIT_FOR_EARLIER = timedelta(seconds=30)


def look(ports: Ports, revision_id: str) -> datetime | None:
    """Bring a registration one step on; when to look again."""
    revisions = ports.ledger.revisions
    registration = revisions.registration(revision_id)
    if registration.state in {CreateState.DONE, CreateState.REFUSED}:
        return _again(ports, registration)
    revision = revisions.get(revision_id)
    if revisions.registering(revision.dataset) != revision_id:
        return ports.ledger.now() + WAIT_FOR_EARLIER
    if registration.state is CreateState.SUBMITTING:
        # Whoever stored this try is gone: it may have been sent.
        revisions.save_registration(replace(registration, state=CreateState.UNKNOWN))
        return ports.ledger.now()
    return _step(ports, revision, registration)


def _step(ports: Ports, revision: Revision, registration: Registration) -> datetime | None:
    """Look whether the version is there, and act on it."""
    now = ports.ledger.now()  # before the listings: absence is judged by when they were made
    try:
        known = _known(ports, revision, registration)
    except CallFailed as error:
        if _is_gone(revision, error.operation, error) and _forget(ports, revision, now):
            return now + create.LOOK_AGAIN
        _say(ports, registration, error)
        raise
    if known.state is not registration.state:
        _save(ports, revision, known)
        return None
    if registration.state is CreateState.UNKNOWN:
        return _settle(ports, known, now)
    if create.in_doubt(ports, _owner(revision.id), now):
        # It was unknown, and then not wanted for a while: what was sent before that may yet arrive.
        ports.ledger.revisions.save_registration(replace(known, state=CreateState.UNKNOWN))
        return now
    return _submit(ports, revision, known)


def _again(ports: Ports, registration: Registration) -> datetime | None:
    """Try again what was refused for lack of a right, which may be there by now; nothing else that has ended."""
    if registration.reason is None or "right" not in registration.reason.facts:
        return None
    ports.ledger.revisions.save_registration(replace(registration, state=CreateState.PENDING))
    return ports.ledger.now()


def bring_here(ports: Ports, revision_ids: Iterable[str]) -> None:
    """Have revisions registered again whose dataset is gone, or is in another workspace than the one in force."""
    ledger, scope = ports.ledger, ports.scope
    for one in map(ledger.revisions.registration, revision_ids):
        here = one.region in {"", scope.region} and one.workspace in {"", scope.workspace}
        if one.state is not CreateState.DONE or (here and one.dataset_id):
            continue
        with ledger.transaction():
            pending = replace(one, state=CreateState.PENDING, dataset_id="", version_name="", reason=None)
            ledger.revisions.save_registration(pending)
            ledger.tries.gone(_owner(one.revision))
            ledger.worklist.ask("revision", one.revision, ledger.now())


def _is_gone(revision: Revision, operation: str, failure: CallFailed | None) -> bool:
    return isinstance(failure, Refused) and registrar(revision.kind).is_gone(operation, failure.code)


def _forget(ports: Ports, revision: Revision, now: datetime) -> bool:
    """Forget what a revision was to be registered under, which is gone; whether there was one.

    Not while it may be so new that listings do not show it: a second one would be made.
    """
    ledger, own = ports.ledger, ports.ledger.revisions.registration(revision.id)
    scope = _scope(ports, own)
    made = _made(ports, revision, own)  # its answer is written down before anything else is, and may be all there is
    dataset_id = own.dataset_id or ledger.revisions.dataset_id(revision.dataset, scope.region, scope.workspace)
    dataset_id = dataset_id or (made.dataset_id if made else "")
    if not dataset_id or now < _made_at(ports, revision.dataset, dataset_id) + ports.settling.time:
        return False
    said = (
        f"{dataset_id}, which the earlier versions of {revision.dataset} were registered under, is not there any "
        "more. It is looked for by its name, or made again."
    )
    reason = Reason(Code.CALL_FAILED, said, wakes="the next look in a moment")
    state = CreateState.PENDING if own.state is CreateState.SUBMITTING else own.state
    with ledger.transaction():
        ledger.revisions.save_registration(replace(own, state=state, reason=reason))
        ledger.revisions.forget_dataset(dataset_id)
        ledger.tries.gone(_owner(revision.id))
        ledger.tell(_owner(revision.id), reason.code, reason.message, now)
    return True


def _scope(ports: Ports, registration: Registration) -> Scope:
    """Where a version is looked for: where its last create went while that is not settled, else in force."""
    if registration.state is CreateState.UNKNOWN:
        return create.sent_to(ports, _owner(registration.revision))
    return ports.scope


def _made_at(ports: Ports, dataset: str, dataset_id: str) -> datetime:
    owners = [_owner(one.id) for one in ports.ledger.revisions.of(dataset)]
    made = [one.stored_at for owner in owners for one in ports.ledger.tries.of(owner) if one.detail == dataset_id]
    return max(made, default=datetime(2020, 1, 1, tzinfo=UTC))


def _say(ports: Ports, registration: Registration, error: CallFailed) -> None:
    """Show why a look at PAI failed where people look for it; it is repeated."""
    reason = Reason(Code.CALL_FAILED, f"{error.operation}: {error.code}: {error.message}", wakes="the next look")
    if registration.reason != reason:
        ports.ledger.revisions.save_registration(replace(registration, reason=reason))


def _owner(revision_id: str) -> str:
    return f"revision:{revision_id}"


def _known(ports: Ports, revision: Revision, registration: Registration) -> Registration:
    """The registration with what the ledger and PAI know of it: DONE where the version is there already."""
    made = _made(ports, revision, registration)
    if made is not None and made.state is CreateState.DONE:
        return made
    return _found(ports, revision, registration, made.dataset_id if made else "")


def _made(ports: Ports, revision: Revision, registration: Registration) -> Registration | None:
    """The registration with what a create made of it that was answered with a clear yes; None where none was."""
    told = create.evidence(ports, _owner(revision.id))
    return _created(revision, registration, told.operation, told.detail) if told else None


def _found(ports: Ports, revision: Revision, registration: Registration, made_id: str) -> Registration:
    """The registration with what PAI shows; ``made_id`` is what a create made for it, which may not be listed yet."""
    scope = _scope(ports, registration)
    here = replace(registration, region=scope.region, workspace=scope.workspace)
    known_id = ports.ledger.revisions.dataset_id(revision.dataset, scope.region, scope.workspace) or made_id
    found = registrar(revision.kind).find(ports, scope, revision, known_id)
    if not isinstance(found, Found):
        return replace(here, state=CreateState.REFUSED, reason=found)
    return _done(here, found) if found.name else replace(here, dataset_id=found.id)


def _created(revision: Revision, registration: Registration, operation: str, made: str) -> Registration:
    """What a create made of a registration; PENDING where what it made is not ready for a job yet."""
    found = registrar(revision.kind).created(operation, made, revision, registration.dataset_id)
    if not found.name:
        return replace(registration, state=CreateState.PENDING, dataset_id=found.id, reason=None)
    return _done(registration, found)


def _done(registration: Registration, found: Found) -> Registration:
    return replace(registration, state=CreateState.DONE, dataset_id=found.id, version_name=found.name, reason=None)


def _settle(ports: Ports, registration: Registration, now: datetime) -> datetime:
    """Not found at ``now``: while it may still show up, wait; after that it was never created."""
    look_again = create.until_settled(ports, _owner(registration.revision), now)
    if look_again is not None:
        return look_again
    ports.ledger.revisions.save_registration(replace(registration, state=CreateState.PENDING))
    return now


def _submit(ports: Ports, revision: Revision, registration: Registration) -> datetime | None:
    wanted = registrar(revision.kind).create(ports, revision, registration.dataset_id)
    submitting = replace(registration, state=CreateState.SUBMITTING)
    with ports.ledger.transaction():
        _begin(ports, revision, submitting)
        stored = create.store(ports, _owner(revision.id), wanted.operation, wanted.request)
    answer = create.send(ports, stored, wanted.send)
    return _answered(ports, revision, submitting, wanted.operation, answer)


def _begin(ports: Ports, revision: Revision, submitting: Registration) -> None:
    """Say that a create is about to be sent. Call it inside a transaction.

    Another revision of the dataset may have come first, or even have made the dataset, since this one's turn was
    looked up. Stale then.
    """
    revisions = ports.ledger.revisions
    dataset_id = revisions.dataset_id(revision.dataset, submitting.region, submitting.workspace)
    if revisions.registering(revision.dataset) != revision.id or dataset_id not in {"", submitting.dataset_id}:
        raise Stale(f"another revision of {revision.dataset} was registered meanwhile")
    revisions.save_registration(submitting)


def _answered(
    ports: Ports, revision: Revision, submitting: Registration, operation: str, answer: Answer
) -> datetime | None:
    saved = replace(submitting, row=submitting.row + 1)
    if answer.state is CreateState.DONE:
        made = _created(revision, saved, operation, answer.created)
        _save(ports, revision, made)
        return None if made.state is CreateState.DONE else ports.ledger.now()
    if _is_gone(revision, operation, answer.failure) and _forget(ports, revision, ports.ledger.now()):
        return ports.ledger.now() + create.LOOK_AGAIN
    failed = replace(saved, state=answer.state, reason=create.reason(answer, operation))
    _save(ports, revision, failed)
    if answer.state is CreateState.UNKNOWN:
        return ports.ledger.now() + create.LOOK_AGAIN
    return create.next_try(ports, _owner(revision.id), answer)


def _save(ports: Ports, revision: Revision, registration: Registration) -> None:
    """Save a registration, and wake what waits for it once it has ended."""
    ledger, now = ports.ledger, ports.ledger.now()
    with ledger.transaction():
        ledger.revisions.save_registration(registration)
        if registration.state is CreateState.DONE:
            ledger.tell(_owner(revision.id), *registrar(revision.kind).told(revision, registration), now)
        elif registration.reason is not None and not create.is_told(ledger, _owner(revision.id), registration.reason):
            ledger.tell(_owner(revision.id), registration.reason.code, registration.reason.message, now)
        for launch in ledger.launches.pinning(revision.id):
            ledger.worklist.ask("launch", launch.id, now)
        following = ledger.revisions.registering(revision.dataset)
        if following and following != revision.id:
            ledger.worklist.ask("revision", following, now)
