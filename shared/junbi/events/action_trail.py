"""ActionTrail's records of calls that change quotas, as EventBridge passes them on: a hint to read the quotas now."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from junbi.events.document import load
from junbi.events.eventbridge import envelopes, is_bridged
from junbi.events.parsed import Ignored, IgnoredCode, Parsed

if TYPE_CHECKING:
    from junbi.events.eventbridge import Envelope

#: Assumed: a record of PAI names the call as its API does, in ``eventName``; no page shows one. How to check: let a
#: rule for ActionTrail's events write to a log, and scale a quota. If it is wrong: nothing is read early, and the timer
#: finds the change.
_CALLS = frozenset(
    {"CreateQuota", "UpdateQuota", "ScaleQuota", "DeleteQuota", "CreateWorkspaceResource", "DeleteWorkspaceResource"}
)
_TYPE = re.compile(r"[^:]*:ActionTrail:(?:ApiCall|ConsoleOperation)", re.IGNORECASE)


def parse(raw: bytes) -> Parsed[Any]:
    """What calls ``quota_change``: a timer, or events that EventBridge passed on.

    There are no events in it: a record says who called what, not what came of it, and the quota may change later. Where
    nothing in the payload is a reason to read the quotas, ``ignored`` says what it is.

    Raises:
        MalformedPayload: it is no JSON, or EventBridge passed on what is no event.
    """
    document = load(raw or b"null")
    if not is_bridged(document):
        return Parsed()
    found, malformed = envelopes(document)
    if malformed and not found:
        raise malformed[0]
    hints = any(_changes_quotas(envelope) for envelope in found)
    ignored = () if hints else tuple(_ignored(envelope) for envelope in found)
    return Parsed(malformed=tuple(malformed), ignored=ignored)


def _changes_quotas(envelope: Envelope) -> bool:
    return _TYPE.fullmatch(envelope.type) is not None and envelope.data.maybe("eventName").text_or_nothing() in _CALLS


def _ignored(envelope: Envelope) -> Ignored:
    call = envelope.data.maybe("eventName").text_or_nothing()
    told = f"{envelope.type} {call}".strip()
    return Ignored(told, IgnoredCode.NO_QUOTA, f"{told} changes no quota.")
