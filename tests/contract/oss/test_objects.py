"""Objects, by the unmodified oss2 client and by every way of signing."""

from __future__ import annotations

import hashlib
import tracemalloc
from typing import TYPE_CHECKING

import oss2
import pytest
from oss2.models import BatchDeleteObjectVersion, BatchDeleteObjectVersionList

if TYPE_CHECKING:
    from pathlib import Path

    from tests.contract.oss.conftest import Cloud

BODY = bytes(range(256)) * 40


class TestPutAndGet:
    """Writing and reading whole objects."""

    def test_content_and_checksums_come_back(self, bucket: oss2.Bucket) -> None:
        """What was put is what is got; ETag is the upper-case MD5; oss2's own CRC-64 check is satisfied."""
        put = bucket.put_object("digits/v1/a.csv", BODY)
        got = bucket.get_object("digits/v1/a.csv")
        assert got.read() == BODY
        assert put.etag == got.etag == hashlib.md5(BODY).hexdigest().upper()
        assert put.crc == got.client_crc == got.server_crc

    def test_an_empty_object_is_an_object(self, bucket: oss2.Bucket) -> None:
        """BC-71: a zero-byte marker is stored, listed and read."""
        bucket.put_object("digits/v1/_SUCCESS", b"")
        assert bucket.get_object("digits/v1/_SUCCESS").read() == b""
        assert bucket.head_object("digits/v1/_SUCCESS").content_length == 0

    def test_headers_are_kept(self, bucket: oss2.Bucket) -> None:
        """Content-Type and its like, and user metadata, come back with the object."""
        sent = {"Content-Type": "text/csv", "Cache-Control": "no-cache", "x-oss-meta-run": "7", "X-Oss-Meta-By": "a b"}
        bucket.put_object("a", BODY, headers=sent)
        for headers in (bucket.head_object("a").headers, bucket.get_object("a").headers):
            assert {name: headers[name] for name in sent} == sent
            assert headers["x-oss-object-type"] == "Normal"

    def test_a_stream_of_unknown_length(self, bucket: oss2.Bucket) -> None:
        """A chunked upload is stored as any other."""
        bucket.put_object("a", (BODY[at : at + 999] for at in range(0, len(BODY), 999)))
        assert bucket.get_object("a").read() == BODY

    def test_exists_and_meta(self, bucket: oss2.Bucket) -> None:
        """object_exists and get_object_meta tell what is there; HEAD tells NoSuchKey from NoSuchBucket."""
        assert not bucket.object_exists("a")
        bucket.put_object("a", BODY)
        assert bucket.object_exists("a")
        assert bucket.get_object_meta("a").content_length == len(BODY)
        with pytest.raises(oss2.exceptions.NoSuchKey):
            bucket.head_object("b")

    def test_nothing_there(self, bucket: oss2.Bucket) -> None:
        """A missing key is NoSuchKey, with a request id to quote."""
        with pytest.raises(oss2.exceptions.NoSuchKey) as refused:
            bucket.get_object("nothing")
        assert refused.value.status == 404
        assert len(refused.value.request_id) == 24
        assert refused.value.details["Key"] == "nothing"

    def test_content_md5_is_checked(self, bucket: oss2.Bucket) -> None:
        """A wrong Content-MD5 is InvalidDigest and keeps the old object; a right one passes."""
        bucket.put_object("a", b"old", headers={"Content-MD5": oss2.utils.content_md5(b"old")})
        with pytest.raises(oss2.exceptions.ServerError) as refused:
            bucket.put_object("a", b"new", headers={"Content-MD5": oss2.utils.content_md5(b"other")})
        assert refused.value.code == "InvalidDigest"
        assert bucket.get_object("a").read() == b"old"

    def test_overwriting_can_be_forbidden(self, bucket: oss2.Bucket) -> None:
        """x-oss-forbid-overwrite keeps the object that is there."""
        only_new = {"x-oss-forbid-overwrite": "true"}
        bucket.put_object("a", b"old", headers=only_new)
        with pytest.raises(oss2.exceptions.ServerError) as refused:
            bucket.put_object("a", b"new", headers=only_new)
        assert (refused.value.status, refused.value.code) == (409, "FileAlreadyExists")
        assert bucket.get_object("a").read() == b"old"

    def test_memory_stays_flat(self, client: oss2.Bucket, tmp_path: Path) -> None:
        """Content is streamed both ways: a file of 40 MB needs a few MB, client and server together."""
        file = tmp_path / "file"
        file.write_bytes(bytes(40_000_000))
        tracemalloc.start()
        try:
            client.put_object_from_file("big", str(file))
            client.get_object_to_file("big", str(file))
            assert tracemalloc.get_traced_memory()[1] < 10_000_000
        finally:
            tracemalloc.stop()
        assert file.stat().st_size == 40_000_000


class TestRangesAndConditions:
    """Parts of objects, and reads that depend on their state."""

    @pytest.mark.parametrize(
        ("asked", "expected"), [((0, 9), BODY[:10]), ((10_000, None), BODY[10_000:]), ((None, 5), BODY[-5:])]
    )
    def test_a_range(self, bucket: oss2.Bucket, asked: tuple[int | None, int | None], expected: bytes) -> None:
        """A range within the object is answered with 206 and exactly its bytes."""
        bucket.put_object("a", BODY)
        got = bucket.get_object("a", byte_range=asked)
        assert (got.status, got.read()) == (206, expected)
        assert got.headers["Content-Range"].endswith(f"/{len(BODY)}")

    def test_a_range_outside(self, bucket: oss2.Bucket) -> None:
        """OSS gives the whole object for a range it cannot serve, and 416 only where standard behaviour is asked."""
        bucket.put_object("a", b"0123456789")
        assert bucket.get_object("a", byte_range=(5, 20)).read() == b"0123456789"
        standard = {"x-oss-range-behavior": "standard"}
        assert bucket.get_object("a", byte_range=(5, 20), headers=standard).read() == b"56789"
        with pytest.raises(oss2.exceptions.ServerError) as refused:
            bucket.get_object("a", byte_range=(10, 20), headers=standard)
        assert (refused.value.status, refused.value.code) == (416, "InvalidRange")

    def test_conditions(self, bucket: oss2.Bucket) -> None:
        """If-Match, If-None-Match and the If-*-Since dates are 412 and 304 as HTTP has them."""
        etag = bucket.put_object("a", BODY).etag
        past, future = "Sat, 01 Jan 2000 00:00:00 GMT", "Fri, 01 Jan 2100 00:00:00 GMT"
        for held in ({"If-Match": etag}, {"If-None-Match": "0"}, {"If-Modified-Since": past}):
            assert bucket.get_object("a", headers=held).read() == BODY
        for changed in ({"If-Match": "0"}, {"If-Unmodified-Since": past}):
            with pytest.raises(oss2.exceptions.PreconditionFailed):
                bucket.get_object("a", headers=changed)
        for same in ({"If-None-Match": f'"{etag}"'}, {"If-Modified-Since": future}):
            with pytest.raises(oss2.exceptions.NotModified):
                bucket.get_object("a", headers=same)

    def test_response_headers_can_be_overridden(self, bucket: oss2.Bucket) -> None:
        """response-content-type and its like, signed with the request, change the answer's headers."""
        bucket.put_object("a", BODY)
        got = bucket.get_object("a", params={"response-content-type": "text/plain; x=1", "response-expires": "soon"})
        assert (got.headers["Content-Type"], got.headers["Expires"]) == ("text/plain; x=1", "soon")


class TestDelete:
    """Removing objects."""

    def test_delete(self, bucket: oss2.Bucket) -> None:
        """A deleted object is gone; deleting nothing is no error."""
        bucket.put_object("a", BODY)
        assert bucket.delete_object("a").status == 204
        assert not bucket.object_exists("a")
        assert bucket.delete_object("a").status == 204

    def test_many_at_once(self, bucket: oss2.Bucket) -> None:
        """Several keys, awkward and missing ones too, go in one request, which names them all."""
        keys = ["a b", "c+d%2F", "日本/語", "😀", "<&>"]
        for key in keys:
            bucket.put_object(key, b"")
        assert bucket.batch_delete_objects([*keys, "missing"]).deleted_keys == [*keys, "missing"]
        assert bucket.list_objects().object_list == []

    def test_quietly(self, bucket: oss2.Bucket) -> None:
        """A quiet deletion answers with no keys, and deletes."""
        bucket.put_object("a", b"")
        body = b"<Delete><Quiet>true</Quiet><Object><Key>a</Key></Object></Delete>"
        headers = {"Content-MD5": oss2.utils.content_md5(body)}
        answer = bucket._do("POST", bucket.bucket_name, "", data=body, params={"delete": ""}, headers=headers)
        assert b"<Deleted>" not in answer.read()
        assert not bucket.object_exists("a")

    @pytest.mark.parametrize("body", [b"<Delete>", b"<Delete/>", b"<Other/>", b"<!DOCTYPE x><Delete/>", b""])
    def test_bad_xml(self, client: oss2.Bucket, body: bytes) -> None:
        """A document that is none, or another, is MalformedXML."""
        headers = {"Content-MD5": oss2.utils.content_md5(body)}
        with pytest.raises(oss2.exceptions.MalformedXml):
            client._do("POST", client.bucket_name, "", data=body, params={"delete": ""}, headers=headers)

    def test_versions(self, client: oss2.Bucket) -> None:
        """A bucket without versions has the version ``null`` alone."""
        client.put_object("a", BODY)
        assert client.get_object("a", params={"versionId": "null"}).read() == BODY
        with pytest.raises(oss2.exceptions.ServerError) as refused:
            client.head_object("a", params={"versionId": "CAEQ"})
        assert refused.value.code == "NoSuchVersion"
        client.delete_object_versions(BatchDeleteObjectVersionList([BatchDeleteObjectVersion("a", "null")]))
        assert not client.object_exists("a")


class TestCopy:
    """CopyObject."""

    def test_keys_from_everywhere(self, bucket: oss2.Bucket) -> None:
        """BC-67: copies between non-ASCII and awkward keys carry content, type and metadata."""
        bucket.put_object("元/デ ー+タ%.csv", BODY, headers={"Content-Type": "text/csv", "x-oss-meta-a": "1"})
        copied = bucket.copy_object(bucket.bucket_name, "元/デ ー+タ%.csv", "写し/😀 2")
        head = bucket.head_object("写し/😀 2")
        assert bucket.get_object("写し/😀 2").read() == BODY
        assert (head.etag, head.content_type, head.headers["x-oss-meta-a"]) == (copied.etag, "text/csv", "1")

    def test_headers_can_be_replaced(self, bucket: oss2.Bucket) -> None:
        """With the directive REPLACE the caller's headers are the copy's, also onto itself."""
        bucket.put_object("a", BODY, headers={"x-oss-meta-a": "1"})
        bucket.update_object_meta("a", {"x-oss-meta-b": "2", "Content-Type": "text/plain"})
        head = bucket.head_object("a")
        assert "x-oss-meta-a" not in head.headers
        assert (head.headers["x-oss-meta-b"], head.content_type) == ("2", "text/plain")
        assert bucket.get_object("a").read() == BODY

    def test_conditions_of_the_source(self, bucket: oss2.Bucket) -> None:
        """A condition on the source that does not hold copies nothing."""
        etag = bucket.put_object("a", BODY).etag
        bucket.copy_object(bucket.bucket_name, "a", "b", headers={"x-oss-copy-source-if-match": etag})
        with pytest.raises(oss2.exceptions.PreconditionFailed):
            bucket.copy_object(bucket.bucket_name, "a", "c", headers={"x-oss-copy-source-if-match": "0"})
        assert (bucket.object_exists("b"), bucket.object_exists("c")) == (True, False)

    def test_no_source(self, bucket: oss2.Bucket) -> None:
        """A missing source is NoSuchKey, a missing source bucket NoSuchBucket."""
        with pytest.raises(oss2.exceptions.NoSuchKey):
            bucket.copy_object(bucket.bucket_name, "missing", "b")
        with pytest.raises(oss2.exceptions.NoSuchBucket):
            bucket.copy_object("no-such-bucket", "a", "b")

    def test_a_copy_is_independent(self, client: oss2.Bucket) -> None:
        """Appending to, overwriting and deleting the source leave the copy as it was."""
        client.append_object("log", 0, b"one")
        client.copy_object(client.bucket_name, "log", "copy")
        client.append_object("log", 3, b"two")
        assert client.get_object("copy").read() == b"one"
        client.delete_object("log")
        assert client.get_object("copy").read() == b"one"
        assert client.head_object("copy").object_type == "Normal"


class TestAppend:
    """AppendObject."""

    def test_positions_and_checksums(self, bucket: oss2.Bucket) -> None:
        """Each append says where the next goes; oss2's running CRC-64 agrees; the type is Appendable."""
        first = bucket.append_object("log", 0, b"one", headers={"x-oss-meta-a": "1"}, init_crc=0)
        second = bucket.append_object("log", first.next_position, BODY, init_crc=first.crc)
        assert (first.next_position, second.next_position) == (3, 3 + len(BODY))
        head = bucket.head_object("log")
        assert (head.object_type, head.headers["x-oss-meta-a"]) == ("Appendable", "1")
        assert bucket.get_object("log").read() == b"one" + BODY

    def test_the_wrong_position(self, bucket: oss2.Bucket) -> None:
        """Another position than the length is refused with the length, and nothing is appended."""
        bucket.append_object("log", 0, b"one")
        for position in (0, 2, 4):
            with pytest.raises(oss2.exceptions.PositionNotEqualToLength) as refused:
                bucket.append_object("log", position, b"two")
            assert refused.value.next_position == 3
        with pytest.raises(oss2.exceptions.PositionNotEqualToLength):
            bucket.append_object("fresh", 1, b"two")
        assert bucket.get_object("log").read() == b"one"
        assert not bucket.object_exists("fresh")

    def test_only_appended_objects(self, bucket: oss2.Bucket) -> None:
        """An object that was put cannot be appended to."""
        bucket.put_object("a", b"one")
        with pytest.raises(oss2.exceptions.ObjectNotAppendable):
            bucket.append_object("a", 3, b"two")
        assert bucket.get_object("a").read() == b"one"

    def test_an_open_read_sees_no_append(self, cloud: Cloud, client: oss2.Bucket) -> None:
        """Who opened the object before an append reads what it was then."""
        client.append_object("log", 0, b"one")
        with cloud.buckets.open("vision-data", "log") as stream:
            client.append_object("log", 3, b"two")
            assert stream.read() == b"one"
