"""Each durable change is told once, as a record spelled like the real ones."""

from __future__ import annotations

import json
import os
import re
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import oss2
import pytest
from oss2.models import PartInfo
from structlog.testing import capture_logs

from junbi.emulator.clock import Clock

if TYPE_CHECKING:
    from tests.contract.oss.conftest import Cloud

KEY = "日本/a b+c%2F.csv"


def everything(bucket: oss2.Bucket) -> None:
    """Every operation that raises an event, once."""
    bucket.put_object(KEY, b"12345")
    bucket.copy_object(bucket.bucket_name, KEY, "copy")
    bucket.append_object("log", 0, b"one")
    bucket.append_object("log", 3, b"two!")
    upload_id = bucket.init_multipart_upload("parts").upload_id
    etags = [bucket.upload_part("parts", upload_id, 1, bytes(102_400)).etag]
    etags += [bucket.upload_part_copy(bucket.bucket_name, KEY, None, "parts", upload_id, 2).etag]
    bucket.complete_multipart_upload("parts", upload_id, [PartInfo(1, etags[0]), PartInfo(2, etags[1])])
    bucket.abort_multipart_upload("parts", bucket.init_multipart_upload("parts").upload_id)
    bucket.delete_object("copy")
    bucket.batch_delete_objects([KEY, "log", "never there"])


def test_every_change_has_its_name(cloud: Cloud, bucket: oss2.Bucket) -> None:
    """The names are OSS's own, without the ``oss:`` of trigger configurations; DeleteObjects is told per key."""
    everything(bucket)
    assert cloud.names() == [
        "ObjectCreated:PutObject",
        "ObjectCreated:CopyObject",
        "ObjectCreated:AppendObject",
        "ObjectCreated:AppendObject",
        "ObjectCreated:InitiateMultipartUpload",
        "ObjectCreated:UploadPart",
        "ObjectCreated:UploadPartCopy",
        "ObjectCreated:CompleteMultipartUpload",
        "ObjectCreated:InitiateMultipartUpload",
        "ObjectRemoved:AbortMultipartUpload",
        "ObjectRemoved:DeleteObject",
        "ObjectRemoved:DeleteObjects",
        "ObjectRemoved:DeleteObjects",
    ]


def test_a_record(cloud: Cloud, client: oss2.Bucket) -> None:
    """A record holds what the object is: plain key, ETag, size, growth, type; and the request's id and source."""
    client.put_object(KEY, b"12345", headers={"Content-Type": "text/csv"})
    result = client.put_object(KEY, b"123")
    first, second = cloud.events
    described = first["oss"]["object"]
    assert (described["key"], described["size"], described["deltaSize"]) == (KEY, 5, 5)
    assert described["objectMeta"] == {"mimeType": "text/csv"}
    assert (second["oss"]["object"]["deltaSize"], second["oss"]["object"]["eTag"]) == (-2, result.etag)
    assert second["responseElements"]["requestId"] == result.request_id
    assert first["requestParameters"]["sourceIPAddress"] == "127.0.0.1"
    bucket = first["oss"]["bucket"]
    assert bucket["arn"] == f"acs:oss:{first['region']}:{bucket['ownerIdentity']}:vision-data"


def test_positions_of_appends(cloud: Cloud, client: oss2.Bucket) -> None:
    """An append tells where it began."""
    client.append_object("log", 0, b"one")
    client.append_object("log", 3, b"two!")
    described = [record["oss"]["object"] for record in cloud.events]
    assert [(one["position"], one["size"], one["deltaSize"]) for one in described] == [(0, 3, 3), (3, 7, 4)]


def test_times_are_emulated(cloud: Cloud, client: oss2.Bucket) -> None:
    """Events are dated by the emulated time, with milliseconds and Z."""
    before = datetime.now(UTC)
    cloud.clock.advance(3600)
    client.put_object("a", b"")
    told = cloud.events[0]["eventTime"]
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", told)
    assert 3590 < (datetime.fromisoformat(told) - before).total_seconds() < 3700
    assert isinstance(cloud.clock, Clock)


def test_a_listener_that_fails(cloud: Cloud, client: oss2.Bucket) -> None:
    """If the event cannot be handed over, the caller still hears that the object is stored, and the log tells."""
    cloud.deaf = True
    with capture_logs() as logs:
        assert client.put_object("a", b"x").status == 200
    assert client.get_object("a").read() == b"x"
    assert [(line["event"], line["key"]) for line in logs] == [("oss.event_lost", "a")]


def test_nothing_is_told_of_what_did_not_happen(cloud: Cloud, client: oss2.Bucket) -> None:
    """Refused writes and deletions of nothing are no events."""
    client.delete_object("missing")
    with pytest.raises(oss2.exceptions.PositionNotEqualToLength):
        client.append_object("log", 7, b"")
    with pytest.raises(oss2.exceptions.NoSuchUpload):
        client.upload_part("a", "no-such-upload", 1, b"")
    with pytest.raises(oss2.exceptions.NoSuchKey):
        client.copy_object("vision-data", "missing", "copy")
    assert cloud.events == []


def shape(value: Any, path: str = "") -> dict[str, type]:
    """Where each leaf of a JSON value stands, and of what type it is."""
    if not isinstance(value, dict):
        return {path: type(value)}
    return {place: kind for name, inner in value.items() for place, kind in shape(inner, f"{path}.{name}").items()}


def recorded() -> list[Path]:
    """Real payloads of object creations."""
    folder = Path(os.environ.get("JUNBI_PAYLOADS", "/nowhere")) / "fc-oss"
    return [path for path in sorted(folder.glob("*.json")) if "ObjectCreated:" in path.read_text()]


def test_bc_64_the_shape_of_real_records(cloud: Cloud, client: oss2.Bucket) -> None:
    """BC-64: our records have the members of the recorded ones, of the same types and encodings, and no others."""
    samples = [record for path in recorded() for record in json.loads(path.read_text())["events"]]
    if not samples:
        pytest.skip("JUNBI_PAYLOADS does not point to a folder with recorded fc-oss payloads")
    client.put_object(KEY, b"12345")
    ours = shape(cloud.events[0])
    newest = max(samples, key=lambda record: record["eventTime"])
    assert shape(newest) == ours
    for sample in samples:
        assert shape(sample).items() <= ours.items()
