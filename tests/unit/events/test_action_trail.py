"""What calls quota_change, and what of it is a reason to read the quotas."""

from __future__ import annotations

import json
from typing import Any

import pytest

from junbi.errors import MalformedPayload
from junbi.events.action_trail import parse
from junbi.events.parsed import IgnoredCode


def record(call: str = "ScaleQuota", kind: str = "pai:ActionTrail:ApiCall", **data: Any) -> dict[str, Any]:
    """A record of ActionTrail in EventBridge's envelope."""
    said = {"eventId": "e1", "eventName": call, "eventRW": "Write", "serviceName": "PaiStudio", **data}
    return {"id": "1", "source": "acs.pai", "type": kind, "time": "2026-11-30T12:00:00Z", "data": said}


def raw(document: Any) -> bytes:
    """As it is sent."""
    return json.dumps(document).encode()


@pytest.mark.parametrize(
    "body",
    [
        b"",
        raw({"triggerTime": "2026-11-30T12:00:00Z", "triggerName": "tick", "payload": ""}),
        raw({}),
        raw(record()),
        raw([record("DescribeSomething"), record("CreateQuota")]),
        raw([json.dumps(record("CreateWorkspaceResource", "acs:ActionTrail:ConsoleOperation"))]),
    ],
)
def test_a_timer_and_calls_that_change_quotas_are_reasons(body: bytes) -> None:
    """In every envelope; one of several is enough."""
    parsed = parse(body)
    assert (parsed.ignored, parsed.events, parsed.malformed) == ((), (), ())


@pytest.mark.parametrize(
    "document",
    [
        record("CreateJob"),
        record("ListQuotas"),
        record("ScaleQuota", "oss:ObjectCreated:PutObject"),
        record("ScaleQuota", "pai:ActionTrail:ApiCall:more"),
        record() | {"data": "ScaleQuota"},
        record() | {"data": {"eventName": ["ScaleQuota"]}},
    ],
)
def test_other_events_are_none_and_say_so(document: Any) -> None:
    """A rule that lets everything through costs no reading for each event."""
    (ignored,) = parse(raw(document)).ignored
    assert ignored.code is IgnoredCode.NO_QUOTA
    assert document["type"] in ignored.message


def test_what_is_no_event_is_refused_or_told_beside_the_others() -> None:
    """As a whole it is refused; beside a hint it is kept and costs nothing."""
    for body in (b"{", raw([1, 2]), raw([{"id": "1"}])):
        with pytest.raises(MalformedPayload):
            parse(body)
    parsed = parse(raw([record(), 7]))
    assert (len(parsed.malformed), parsed.ignored) == (1, ())
