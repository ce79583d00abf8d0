"""OSS trigger payloads: right events, or an error that says what is wrong, and never anything else."""

from __future__ import annotations

import copy
import json
import os
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from junbi.core.model import Event, EventKind, ObjectRef
from junbi.errors import MalformedPayload
from junbi.events import oss
from junbi.events.parsed import Parsed

SAMPLES = Path(__file__).parents[2] / "fixtures" / "events" / "oss"


def sample(name: str) -> dict[str, Any]:
    """A payload of ours, in the real shape."""
    document: dict[str, Any] = json.loads((SAMPLES / f"{name}.json").read_text(encoding="utf-8"))
    return document


def record(**of_object: Any) -> dict[str, Any]:
    """The record of an upload, with other members of its object."""
    made: dict[str, Any] = sample("put")["events"][0]
    made["oss"]["object"] |= of_object
    return made


def parse(*records: Any) -> Parsed:
    """Parse a payload of these records."""
    return oss.parse(json.dumps({"events": records}).encode())


def only(parsed: Parsed) -> Event:
    """The one event there is."""
    assert parsed.malformed == ()
    (event,) = parsed.events
    return event


def problem(*records: Any) -> MalformedPayload:
    """Why a payload is refused."""
    with pytest.raises(MalformedPayload) as caught:
        parse(*records)
    return caught.value


class TestReading:
    """What a record becomes."""

    def test_an_upload(self) -> None:
        """An upload becomes an event with bucket, plain key, size, tag and the time in UTC."""
        event = only(oss.parse((SAMPLES / "put.json").read_bytes()))
        assert event == Event(
            id=event.id,
            kind=EventKind.OBJECT_CREATED,
            name="ObjectCreated:PutObject",
            subject=ObjectRef("vision-data", "digits/v1/part-00000.csv"),
            at=datetime(2026, 11, 30, 3, 7, 18, 250_000, tzinfo=UTC),
            size=1204,
            etag="9E107D9D372BB6826BD81D3542A419D6",
        )

    @pytest.mark.parametrize(
        ("name", "kind"),
        [
            ("put", EventKind.OBJECT_CREATED),
            ("post-without-meta", EventKind.OBJECT_CREATED),
            ("copy", EventKind.OBJECT_CREATED),
            ("symlink", EventKind.OBJECT_CREATED),
            ("append", EventKind.OBJECT_CREATED),
            ("multipart-complete", EventKind.OBJECT_CREATED),
            ("replicated", EventKind.OBJECT_CREATED),
            ("folder", EventKind.OBJECT_CREATED),
            ("delete", EventKind.OBJECT_REMOVED),
            ("multipart-initiate", EventKind.NOTHING),
            ("multipart-part", EventKind.NOTHING),
            ("multipart-abort", EventKind.NOTHING),
            ("meta", EventKind.NOTHING),
            ("read", EventKind.NOTHING),
        ],
    )
    def test_kinds(self, name: str, kind: EventKind) -> None:
        """Only what leaves an object there, or gone, counts; the rest is nothing, under its own name."""
        event = only(oss.parse((SAMPLES / f"{name}.json").read_bytes()))
        assert event.kind is kind
        assert event.name == sample(name)["events"][0]["eventName"]

    def test_an_event_name_of_the_future(self) -> None:
        """An event name we do not know is nothing, and stays visible."""
        event = only(parse(record() | {"eventName": "ObjectCreated:Teleport"}))
        assert (event.kind, event.name) == (EventKind.NOTHING, "ObjectCreated:Teleport")

    def test_unknown_members_are_ignored(self) -> None:
        """OSS may add members anywhere."""
        extended = record(novel={"a": [1]}) | {"xVars": {"x:a": "b"}, "novel": None}
        extended["oss"] |= {"novel": 1}
        assert only(parse(extended)) == only(parse(record()))

    @pytest.mark.parametrize(
        "gone", ["responseElements", "region", "requestParameters", "userIdentity", "eventVersion"]
    )
    def test_members_we_can_do_without(self, gone: str) -> None:
        """What is not needed may be missing."""
        shortened = record()
        del shortened[gone]
        assert only(parse(shortened)).size == 1204

    def test_a_deletion_without_tag_and_size(self) -> None:
        """A deletion need not tell size or tag."""
        event = only(parse(record(eTag=None, size=None) | {"eventName": "ObjectRemoved:DeleteObject"}))
        assert (event.etag, event.size) == ("", None)

    def test_no_record(self) -> None:
        """A payload without records holds no event."""
        assert parse() == Parsed((), ())

    @pytest.mark.parametrize(
        ("text", "at"),
        [
            ("2017-04-21T12:46:37.000Z", datetime(2017, 4, 21, 12, 46, 37, tzinfo=UTC)),
            ("2017-04-21T12:46:37Z", datetime(2017, 4, 21, 12, 46, 37, tzinfo=UTC)),
            ("2017-04-21T20:46:37+08:00", datetime(2017, 4, 21, 12, 46, 37, tzinfo=UTC)),
        ],
    )
    def test_times(self, text: str, at: datetime) -> None:
        """Times with and without milliseconds, in any zone, become UTC."""
        event = only(parse(record() | {"eventTime": text}))
        assert (event.at, event.at.tzinfo) == (at, UTC)


class TestIdentity:
    """Event ids: equal for redeliveries, different for any two events."""

    def test_redelivery(self) -> None:
        """The same event delivered again, under another rule's id and with members in another order, has its id."""
        again = dict(reversed(record().items()))
        again["oss"] = again["oss"] | {"ruleId": "another"}
        assert only(parse(again)).id == only(parse(record())).id

    def test_bc_7_two_uploads_in_the_same_millisecond(self) -> None:
        """BC-7: two uploads of one key in one millisecond are two events, also with the same content."""
        second = record() | {"responseElements": {"requestId": "65A0C1D2E3F4A5B6C7D8E9F1"}}
        assert len(parse(record(), second).events) == 2
        assert len(parse(record(), record(eTag="ANOTHER")).events) == 2

    def test_bc_31_the_same_record_twice_in_one_payload(self) -> None:
        """BC-31: a record that stands twice in one payload has one id, and is one event."""
        assert parse(record(), record(), record(key="other"), record()) == parse(record(), record(key="other"))
        assert len(parse(record(), record()).events) == 1

    def test_one_request_that_deletes_many(self) -> None:
        """The keys of one DeleteObjects request share a request id and are different events."""
        assert len(oss.parse((SAMPLES / "delete-many.json").read_bytes()).events) == 2

    @pytest.mark.parametrize(
        "change",
        [{"key": "x"}, {"eTag": "x"}, {"position": 1}, {"position": 2}],
    )
    def test_what_tells_events_apart_in_the_object(self, change: dict[str, Any]) -> None:
        """Key, tag and append position each make another event."""
        assert len(parse(record(), record(**change), record(position=0)).events) == 3

    @pytest.mark.parametrize(
        "change", [{"eventName": "ObjectCreated:CopyObject"}, {"eventTime": "2026-11-30T03:07:19.000Z"}]
    )
    def test_what_tells_events_apart_in_the_record(self, change: dict[str, Any]) -> None:
        """Name and time each make another event."""
        assert len(parse(record(), record() | change).events) == 2

    def test_bucket_and_key_do_not_run_together(self) -> None:
        """``a`` + ``bc`` is another object than ``ab`` + ``c``."""
        left, right = record(key="bc"), record(key="c")
        left["oss"]["bucket"]["name"], right["oss"]["bucket"]["name"] = "a", "ab"
        assert len(parse(left, right).events) == 2


class TestKeys:
    """Keys are the text that OSS itself uses."""

    @pytest.mark.parametrize(
        "key", ["a b", "a+b", "a%2Bb", "a%20b", "100%", "%", "手書き 数字/画像+.png", "🚀", "e\u0301"]
    )
    def test_bc_61_keys_are_taken_as_they_come(self, key: str) -> None:
        """BC-61: space, plus and percent in a key mean themselves; nothing is decoded or normalised."""
        assert only(parse(record(key=key))).subject.key == key

    def test_bc_62_a_key_with_spaces(self) -> None:
        """BC-62: a key with spaces is the object's name, so that the object is found."""
        key = " digits/v 1/my file (copy).csv "
        assert only(parse(record(key=key))).subject == ObjectRef("vision-data", key)

    def test_bc_65_an_encoded_slash_is_no_slash(self) -> None:
        """BC-65: ``a%2Fb`` and ``a/b`` are two objects."""
        keys = [event.subject.key for event in parse(record(key="a%2Fb"), record(key="a/b")).events]
        assert keys == ["a%2Fb", "a/b"]

    @given(key=st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1))
    @example(key="%25E5%25AD%2597")
    def test_bc_70_no_decoding_at_any_depth(self, key: str) -> None:
        """BC-70: a key that was encoded once or twice by its owner comes out as it went in, for any Unicode text."""
        for raw in (
            json.dumps({"events": [record(key=key)]}),
            json.dumps({"events": [record(key=key)]}, ensure_ascii=False),
        ):
            assert only(oss.parse(raw.encode())).subject.key == key

    def test_bc_71_an_object_of_no_bytes(self) -> None:
        """BC-71: an empty object, such as a marker, is an object."""
        event = only(oss.parse((SAMPLES / "marker-of-no-bytes.json").read_bytes()))
        assert (event.kind, event.size) == (EventKind.OBJECT_CREATED, 0)

    def test_bc_73_a_lifecycle_rule_deletes(self) -> None:
        """BC-73: a deletion by a rule names no caller, no request, no size and no tag, and is a deletion."""
        shortened = record(eTag=None, size=None) | {"eventName": "ObjectRemoved:DeleteObject"}
        for gone in ("userIdentity", "requestParameters", "responseElements"):
            del shortened[gone]
        assert only(parse(shortened)).kind is EventKind.OBJECT_REMOVED

    @pytest.mark.parametrize("name", ["ObjectRemoved:DeleteObject", "ObjectCreated:CopyObject"])
    def test_bc_67_a_key_that_is_no_ascii(self, name: str) -> None:
        """BC-67: a copy or deletion of a key in Chinese names the key in Chinese."""
        event = only(parse(record(key="数据/训练 集.csv") | {"eventName": name}))
        assert event.subject.key == "数据/训练 集.csv"

    def test_bc_76_an_empty_key_or_bucket(self) -> None:
        """BC-76: an empty key or bucket names nothing and is refused at the door."""
        assert str(problem(record(key=""))) == "events[0].oss.object.key: expected text that is not empty, got ''"
        nameless = record()
        nameless["oss"]["bucket"]["name"] = ""
        assert problem(nameless).path == "events[0].oss.bucket.name"


class TestRefusing:
    """What cannot be read."""

    @pytest.mark.parametrize(
        ("raw", "got"),
        [
            (b"", "0 bytes that are not"),
            (b"{", "1 bytes that are not"),
            (b'{"events": [', "12 bytes that are not"),
            (b"\xff\xfe\xfa", "3 bytes that are not"),
            (b'{"events": "\xff"}', "15 bytes that are not"),
            (b"[" * 100_000, "100000 bytes that are not"),
            (b"9" * 5_000, "5000 bytes that are not"),
            (b"null", "nothing"),
            (b"[]", "a list of 0"),
            (b'"text"', "'text'"),
            (b"{}", "an empty object"),
            (b'{"events": {}}', "an object with 'events'"),
            (b'{"specversion": "1.0", "data": {}}', "an object with 'data, specversion'"),
        ],
    )
    def test_bc_74_what_is_no_payload_at_all(self, raw: bytes, got: str) -> None:
        """BC-74: a body without a list of records is refused whole, with what was expected and what came."""
        with pytest.raises(MalformedPayload) as caught:
            oss.parse(raw)
        assert caught.value.expected in {"JSON in UTF-8", 'an OSS trigger\'s payload, {"events": [...]}'}
        assert caught.value.got.startswith(got)

    def test_another_services_events(self) -> None:
        """CDN events have the same envelope; they are refused by name of their source."""
        with pytest.raises(MalformedPayload, match="expected 'acs:oss', got an event of 'cdn'"):
            oss.parse((SAMPLES / "other-service-cdn.json").read_bytes())

    @pytest.mark.parametrize(
        ("change", "path"),
        [
            ({"eventName": None}, "eventName"),
            ({"eventName": 7}, "eventName"),
            ({"eventTime": None}, "eventTime"),
            ({"eventTime": "yesterday"}, "eventTime"),
            ({"eventTime": 1480000000}, "eventTime"),
            ({"eventTime": "2026-11-30T03:07:18.250"}, "eventTime"),
            ({"eventTime": "0001-01-01T00:00:00+08:00"}, "eventTime"),
            ({"oss": None}, "oss"),
            ({"oss": []}, "oss"),
            ({"oss": {"bucket": {"name": "b"}}}, "oss.object"),
            ({"oss": {"object": {"key": "k"}}}, "oss.bucket"),
            ({"eventSource": None}, "eventSource"),
        ],
    )
    def test_bc_74_a_record_says_where_it_is_wrong(self, change: dict[str, Any], path: str) -> None:
        """BC-74: the path of the wrong member is told."""
        assert problem(record() | change).path == f"events[0].{path}"

    @pytest.mark.parametrize(
        "change",
        [
            {"key": None},
            {"key": ["k"]},
            {"key": "half \ud83d"},
            {"key": "nul \0"},
            {"eTag": 7},
            {"size": -1},
            {"size": "12"},
            {"size": True},
            {"size": 1.5},
            {"size": 1 << 63},
        ],
    )
    def test_an_object_says_where_it_is_wrong(self, change: dict[str, Any]) -> None:
        """A member of the object that no store could keep, or of another type, is refused by its path."""
        assert problem(record(**change)).path == f"events[0].oss.object.{next(iter(change))}"

    @pytest.mark.parametrize("bad", [None, 7, "text", [], {}, {"eventSource": "acs:oss"}])
    def test_one_bad_record_costs_the_others_nothing(self, bad: Any) -> None:
        """Good records are events, whatever stands beside them; the bad one is told with its place."""
        parsed = parse(record(key="a"), bad, record(key="b"))
        assert [event.subject.key for event in parsed.events] == ["a", "b"]
        assert [each.path.split(".")[0] for each in parsed.malformed] == ["events[1]"]

    def test_errors_stay_short_and_printable(self) -> None:
        """A wrong value cannot flood or forge a log."""
        text = str(problem(record() | {"eventTime": "\n\x1b[31m" + "x" * 100_000}))
        assert len(text) < 250
        assert text.isprintable()


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
PATHS = [
    ("eventName",),
    ("eventSource",),
    ("eventTime",),
    ("oss",),
    ("oss", "bucket"),
    ("oss", "bucket", "name"),
    ("oss", "object"),
    ("oss", "object", "key"),
    ("oss", "object", "eTag"),
    ("oss", "object", "size"),
    ("oss", "object", "position"),
    ("responseElements",),
    ("responseElements", "requestId"),
]


def answers(raw: bytes) -> bool:
    """Parse, allowing events that hold together or a MalformedPayload; tells which."""
    try:
        parsed = oss.parse(raw)
    except MalformedPayload as error:
        told = str(error)
    else:
        told = " ".join(map(str, parsed.malformed))
        assert_sound(parsed)
    assert told.isprintable()
    return not told


def assert_sound(parsed: Parsed) -> None:
    """Every event names an object and can be stored."""
    for event in parsed.events:
        assert event.subject.bucket
        assert event.subject.key
        assert event.id
        f"{event.subject}{event.name}{event.etag}".encode()


class TestFuzz:
    """Whatever comes, an answer."""

    @given(raw=st.binary(max_size=200))
    def test_any_bytes(self, raw: bytes) -> None:
        """Bytes give events or MalformedPayload."""
        answers(raw)

    @given(document=JSON | st.fixed_dictionaries({"events": JSON | st.lists(JSON, max_size=3)}))
    def test_any_json(self, document: Any) -> None:
        """JSON gives events or MalformedPayload."""
        answers(json.dumps(document).encode())

    @settings(max_examples=300)
    @given(path=st.sampled_from(PATHS), value=JSON, cut=st.booleans())
    def test_any_value_in_any_member(self, path: tuple[str, ...], value: Any, cut: bool) -> None:  # noqa: FBT001 - drawn
        """A real record with any member replaced or cut gives events or MalformedPayload, and never costs another."""
        broken = copy.deepcopy(record(key="broken"))
        holder = broken
        for name in path[:-1]:
            holder = holder[name]
        holder[path[-1]] = value
        if cut:
            del holder[path[-1]]
        answers(json.dumps({"events": [broken]}).encode())
        parsed = parse(record(key="good"), broken)
        assert parsed.events[0].subject.key == "good"
        assert len(parsed.events) + len(parsed.malformed) == 2


def corpus() -> list[Path]:
    """Payloads from the field, where a machine has them."""
    folder = Path(os.environ.get("JUNBI_PAYLOADS", "/nonexistent"))
    return sorted([*folder.glob("fc-oss/*.json"), *folder.glob("fc-other/*.json")])


@pytest.mark.skipif(not corpus(), reason="JUNBI_PAYLOADS names no folder with fc-oss and fc-other payloads")
@pytest.mark.parametrize("path", corpus(), ids=lambda path: path.name)
def test_payloads_from_the_field(path: Path) -> None:
    """A published OSS payload gives its events, or says why not; payloads of others are refused."""
    raw = path.read_bytes()
    try:
        expected = path.parent.name == "fc-oss" and bool(json.loads(raw))
    except ValueError:
        expected = False  # published with a mistake in it
    assert answers(raw) == expected
