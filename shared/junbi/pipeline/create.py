"""Creates on an API without idempotency tokens: a try is stored before it is sent, and its answer after."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from junbi.clients.signing import Stamp
from junbi.core.facts import CreateState
from junbi.core.model import Reason
from junbi.core.reasons import Code
from junbi.errors import NotDone, OutcomeUnknown, Refused

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from junbi.core.facts import Try
    from junbi.errors import CallFailed
    from junbi.pipeline.wiring import Ports
    from junbi.wire.model import WireModel


@dataclass(frozen=True, slots=True)
class StoredTry:
    """A try that is in the ledger and may now be sent, once, signed with exactly this stamp."""

    number: int
    stamp: Stamp


@dataclass(frozen=True, slots=True)
class Answer:
    """What became of a sent try: DONE with what was created, or another state with the failure."""

    state: CreateState
    created: str = ""
    failure: CallFailed | None = None


def store(ports: Ports, owner: str, operation: str, request: WireModel) -> StoredTry:
    """Write a try down. Call it in the transaction that says the owner is submitting, before anything is sent."""
    # The signature's date is the one thing that this instance's own clock decides.
    stamp = Stamp.fresh(ports.own_clock())
    body = json.dumps(request.to_wire(), ensure_ascii=False, sort_keys=True)
    # Asked for after the stamp was made: a try that looks older than its signature would settle too soon.
    stored_at = ports.ledger.now()
    number = ports.ledger.tries.add(
        owner=owner, operation=operation, nonce=stamp.nonce, date=stamp.date, body=body, now=stored_at
    )
    return StoredTry(number, stamp)


def send(ports: Ports, stored: StoredTry, call: Callable[[Stamp], str]) -> Answer:
    """Send a stored try and write its answer down at once, before anything is decided from it."""
    answer = _send(call, stored.stamp)
    detail = answer.created or str(answer.failure)
    ports.ledger.tries.answer(stored.number, answer.state.value, detail)
    return answer


def _send(call: Callable[[Stamp], str], stamp: Stamp) -> Answer:
    try:
        return Answer(CreateState.DONE, created=call(stamp))
    except Refused as error:
        return Answer(CreateState.REFUSED, failure=error)
    except NotDone as error:
        return Answer(CreateState.PENDING, failure=error)
    except OutcomeUnknown as error:
        return Answer(CreateState.UNKNOWN, failure=error)


def evidence(ports: Ports, owner: str) -> Try | None:
    """The try of an owner that was answered with a clear yes, if there is one.

    A worker may die, or lose its lease, after it wrote the answer down and before it acted on it.
    """
    done = (one for one in ports.ledger.tries.of(owner) if one.outcome == CreateState.DONE.value)
    return next(done, None)


def settles_at(ports: Ports, owner: str) -> datetime:
    """When not finding what an owner's tries may have created means that they did not create it.

    Compare it with a time that was read before the listing was made: a worker may be paused behind its listing.
    """
    tries = ports.ledger.tries.of(owner)
    newest = max(one.stored_at for one in tries)
    return newest + ports.settling.time


def reason(answer: Answer, operation: str) -> Reason:
    """Why a create is not done, for people."""
    said = str(answer.failure) if answer.failure else ""
    if answer.state is CreateState.REFUSED:
        return Reason(
            Code.PLATFORM_REFUSED, f"PAI refused it: {said}", fix="Correct what PAI names; then run 'junbi apply'."
        )
    if answer.state is CreateState.UNKNOWN:
        return Reason(
            Code.SUBMIT_UNKNOWN,
            f"{operation} was sent and its answer was lost ({said}). It is looked for in PAI's listing; it is not "
            "sent again before it is certain that it did not happen.",
            wakes="PAI's listing, or the end of the settling time",
        )
    return Reason(Code.CALL_FAILED, f"{operation} was not carried out: {said}", wakes="the next try in a moment")
