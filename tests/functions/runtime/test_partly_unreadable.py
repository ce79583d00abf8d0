"""One bad record among good ones costs the good ones nothing, and is kept."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from junbi.events import oss
from junbi.runtime import create_app

if TYPE_CHECKING:
    from junbi.events.parsed import Parsed
    from junbi.pipeline.invocation import Invocation

GOOD = {
    "eventName": "ObjectCreated:PutObject",
    "eventSource": "acs:oss",
    "eventTime": "2026-11-30T10:00:00.000Z",
    "oss": {"bucket": {"name": "vision-data"}, "object": {"key": "digits/v1/a", "size": 1, "eTag": "AB"}},
}


def test_bc_28_a_bad_record_is_kept_with_the_payload_and_the_good_ones_are_handled() -> None:
    """BC-28: the good records are handled, and the payload with the bad one is kept, with what is wrong with it."""
    handled: list[int] = []
    kept: list[tuple[bytes, str]] = []

    def handle(parsed: Parsed, _call: Invocation) -> dict[str, Any]:
        handled.append(len(parsed.events))
        return {}

    app = create_app(
        "f", parse=oss.parse, handle=handle, refuse=lambda raw, problem, _call: kept.append((raw, str(problem)))
    )
    body = json.dumps({"events": [GOOD, {**GOOD, "oss": {}}]}).encode()
    headers = {"x-fc-control-path": "/invoke", "x-fc-request-id": "1"}
    answer = app.test_client().post("/invoke", data=body, headers=headers)
    assert answer.headers["x-fc-status"] == "200"
    assert handled == [1]
    assert kept == [(body, "events[1].oss.bucket: expected an object, got nothing")]


def test_many_bad_records_are_kept_at_once() -> None:
    """The payload is kept a single time: its first problem is named and the others counted, however many they are."""
    kept: list[tuple[int, str]] = []
    app = create_app(
        "f",
        parse=oss.parse,
        handle=lambda parsed, _call: {"handled": len(parsed.events)},
        refuse=lambda raw, problem, _call: kept.append((len(raw), str(problem))),
    )
    body = json.dumps({"events": [{**GOOD, "oss": {}}] * 3 + [GOOD] + [7] * 4000}).encode()
    headers = {"x-fc-control-path": "/invoke", "x-fc-request-id": "1"}
    answer = app.test_client().post("/invoke", data=body, headers=headers)
    assert answer.json == {"handled": 1}
    assert kept == [(len(body), "events[0].oss.bucket: expected an object, got nothing; and 4002 more")]
