"""EventBridge: whatever envelope an event comes in, it is the same event."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from junbi.core.model import EventKind
from junbi.errors import MalformedPayload
from junbi.events import oss
from junbi.events.document import Node, load
from junbi.events.eventbridge import envelopes, is_bridged, job_hints
from junbi.events.parsed import IgnoredCode

SAMPLES = Path(__file__).parents[2] / "fixtures" / "events" / "eventbridge"
NATIVE = Path(__file__).parents[2] / "fixtures" / "events" / "oss"


def sample(name: str) -> Any:
    """A payload of ours, in the real shape."""
    return json.loads((SAMPLES / f"{name}.json").read_text(encoding="utf-8"))["body"]


def raw(document: Any) -> bytes:
    """As it is sent."""
    return json.dumps(document).encode()


@pytest.mark.parametrize("name", ["oss-one", "oss-array", "oss-texts", "oss-without-specversion"])
def test_one_event_in_every_envelope(name: str) -> None:
    """One object, an array, an array of texts and an envelope without ``specversion`` are one event."""
    (event,) = oss.parse(raw(sample(name))).events
    assert event == oss.parse(raw(sample("oss-one"))).events[0]
    assert (event.kind, event.name) == (EventKind.OBJECT_CREATED, "ObjectCreated:PutObject")
    (envelope,) = envelopes(Node(sample(name)))[0]
    assert (envelope.source, envelope.type) == ("acs.oss", "oss:ObjectCreated:PutObject")
    assert envelope.time == datetime(2026, 11, 30, 3, 7, 18, 250_000, tzinfo=UTC)


def test_the_trigger_and_event_bridge_tell_one_event() -> None:
    """An upload that is told by both is one upload."""
    record = sample("oss-one")["data"]
    assert oss.parse(raw({"events": [record]})).events == oss.parse(raw(sample("oss-one"))).events


def test_native_payloads_are_not_taken_for_envelopes() -> None:
    """The trigger's payload stays what it is."""
    for path in NATIVE.glob("*.json"):
        assert not is_bridged(load(path.read_bytes()))


@pytest.mark.parametrize("name", ["InitiateMultipartUpload", "UploadPart", "UploadPartCopy"])
def test_no_object_yet(name: str) -> None:
    """Parts are announced as created and leave no object; with the prefix in the record, too."""
    body = sample("oss-one") | {"type": f"oss:ObjectCreated:{name}"}
    body["data"]["eventName"] = f"oss:ObjectCreated:{name}"
    (event,) = oss.parse(raw(body)).events
    assert (event.kind, event.name) == (EventKind.NOTHING, f"ObjectCreated:{name}")


@pytest.mark.parametrize("name", ["oss:BucketCreated:PutBucket", "oss:ActionTrail:AliyunApiCall"])
def test_what_is_about_no_object(name: str) -> None:
    """Buckets and records of calls are ignored, with the reason."""
    parsed = oss.parse(raw([sample("oss-one") | {"type": name, "data": {"a": 1}}, sample("oss-one")]))
    assert len(parsed.events) == 1
    assert [(each.name, each.code) for each in parsed.ignored] == [(name, IgnoredCode.NOT_A_PUSH)]


def test_one_odd_envelope_costs_the_others_nothing() -> None:
    """Whatever stands beside them, good ones are events; each odd one is told with its place."""
    odd: list[Any] = [
        None,
        7,
        "{",
        "[]",
        {},
        {"source": "acs.oss"},
        sample("pai-job"),
        sample("oss-one") | {"data": []},
    ]
    parsed = oss.parse(raw([sample("oss-one"), *odd]))
    assert len(parsed.events) == 1
    assert len(parsed.malformed) == len(odd)
    assert "[3]: expected an event as JSON in UTF-8" in str(parsed.malformed[2])


@pytest.mark.parametrize(
    "body", [[], [7], ["x"], {"source": "acs.oss", "type": "x", "data": {}, "id": 7}, {"data": {}}]
)
def test_what_is_no_envelope(body: Any) -> None:
    """What holds no event at all is refused."""
    with pytest.raises(MalformedPayload):
        oss.parse(raw(body))


def test_odd_times_do_not_matter() -> None:
    """A time that is none is none; the record's own counts."""
    for odd in (None, 7, "2020-11-19T21:04:42.179PRC", []):
        body = sample("oss-one") | {"time": odd}
        assert oss.parse(raw(body)).events == oss.parse(raw(sample("oss-one"))).events


class TestJobHints:
    """Which jobs of PAI an event is about."""

    def test_ids_anywhere_in_the_data(self) -> None:
        """Ids are found however deep; words that only begin like one are none."""
        found = job_hints(Node(sample("pai-job")))
        assert found == {"dlc1k2m3n4p5q6r7s8", "dlc20261130030718-mtl37ge7gkvdz"}

    def test_other_sources_hint_at_nothing(self) -> None:
        """What OSS or a stranger says about jobs is not listened to."""
        for source in ("acs.oss", "my.event", "xacs.pai"):
            assert job_hints(Node(sample("pai-job") | {"source": source})) == frozenset()

    def test_a_flood_of_ids(self) -> None:
        """One event wakes a hundred jobs at most, and a text made to be slow is not."""
        many = [f"dlc{index:020d}" for index in range(500)] + ["dlc" * 100_000, "dlc" + "a" * 100_000]
        assert len(job_hints(Node(sample("pai-job") | {"data": many}))) == 100

    def test_no_envelope(self) -> None:
        """A payload that is none is refused."""
        with pytest.raises(MalformedPayload):
            job_hints(Node({"hello": 1}))
