"""Creates on an API without idempotency tokens: a try is stored before it is sent, and its answer after."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import TYPE_CHECKING

from junbi.clients.signing import Stamp
from junbi.core import refusals
from junbi.core.backoff import pause
from junbi.core.facts import CreateState
from junbi.core.model import Reason
from junbi.core.reasons import Code
from junbi.errors import NotDone, OutcomeUnknown, Refused

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from junbi.core.facts import Try
    from junbi.errors import CallFailed
    from junbi.ledger.generations import Scope
    from junbi.ledger.ledger import Ledger
    from junbi.pipeline.wiring import Ports
    from junbi.wire.model import WireModel


#: How often a create without a clear answer is looked for while it settles.
LOOK_AGAIN = timedelta(seconds=5)

#: Pauses after creates that surely were not carried out, without what is added to keep several apart.
FIRST_PAUSE, LONGEST_PAUSE = timedelta(seconds=5), timedelta(minutes=5)

#: The same after creates that were refused for lack of a right: somebody has to grant it.
RIGHT_PAUSE, LONGEST_RIGHT_PAUSE = timedelta(minutes=5), timedelta(hours=1)

_REQUEST = re.compile(r" \(request [^)]*\)")


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
        owner=owner,
        operation=operation,
        nonce=stamp.nonce,
        date=stamp.date,
        body=body,
        now=stored_at,
        region=ports.scope.region,
        workspace=ports.scope.workspace,
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


def sent_to(ports: Ports, owner: str) -> Scope:
    """Where an owner's last try was sent: region and workspace may have changed since. In force's before any."""
    return places(ports, owner)[-1]


def places(ports: Ports, owner: str) -> list[Scope]:
    """Everywhere that an owner's tries were sent, the last one's last; in force's before any."""
    found = [_place(ports, one) for one in ports.ledger.tries.of(owner)] or [ports.scope]
    return list(dict.fromkeys(reversed(found)))[::-1]


def _place(ports: Ports, one: Try) -> Scope:
    return replace(ports.scope, region=one.region, workspace=one.workspace) if one.region else ports.scope


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


def until_settled(ports: Ports, owner: str, now: datetime) -> datetime | None:
    """When to look again for what was not found; None once it is certain that it was not created.

    ``now`` must be read before the listing that did not show it: absence is judged by when that was made.
    """
    ends = settles_at(ports, owner)
    return min(now + LOOK_AGAIN, ends) if now < ends else None


def in_doubt(ports: Ports, owner: str, now: datetime) -> bool:
    """Whether a create of an owner may still be carried out although nothing shows it, whatever its owner is by now."""
    unknown = {"", CreateState.UNKNOWN.value}
    sent = (one.stored_at for one in ports.ledger.tries.of(owner) if one.outcome in unknown)
    return any(now < at + ports.settling.time for at in sent)


def next_try(ports: Ports, owner: str, answer: Answer) -> datetime | None:
    """When a create that is not done is tried again by itself: the longer, the more tries failed in a row.

    None for a refusal that only a change of junbi.yaml can help.
    """
    first, longest = FIRST_PAUSE, LONGEST_PAUSE
    if answer.state is CreateState.REFUSED:
        if not _lacks_right(answer):
            return None
        first, longest = RIGHT_PAUSE, LONGEST_RIGHT_PAUSE
    least = answer.failure.retry_after if answer.failure else None
    failures = _in_a_row(ports.ledger.tries.of(owner), answer.state)
    return ports.ledger.now() + pause(owner, failures, first, longest, least or 0.0)


def _in_a_row(tries: list[Try], state: CreateState) -> int:
    """How many of the last tries had the same outcome."""
    count = 0
    for one in reversed(tries):
        if one.outcome != state.value:
            break
        count += 1
    return count


def is_told(ledger: Ledger, subject: str, why: Reason) -> bool:
    """Whether the last thing told of a subject is this already; the number of the request makes no difference."""
    story = ledger.story_of(subject)
    last = story[-1] if story else {"code": "", "message": ""}
    return (last["code"], _REQUEST.sub("", last["message"])) == (why.code, _REQUEST.sub("", why.message))


def _lacks_right(answer: Answer) -> bool:
    return answer.failure is not None and refusals.lacks_right(answer.failure.code)


def reason(answer: Answer, operation: str) -> Reason:
    """Why a create is not done, for people. ``facts`` name the right where one is missing."""
    said = str(answer.failure) if answer.failure else ""
    if answer.state is CreateState.REFUSED and _lacks_right(answer):
        right = refusals.RIGHTS[operation]
        return Reason(
            Code.PLATFORM_REFUSED,
            f"The right {right} is missing: {said}",
            fix=f"Grant {right} to the role of the function 'reconcile'. To try at once then: junbi apply",
            wakes="a try every few minutes, later every hour or two",
            facts={"right": right},
        )
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
