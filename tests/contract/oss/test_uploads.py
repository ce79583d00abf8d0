"""Multipart uploads, by the unmodified oss2 client and by every way of signing."""

from __future__ import annotations

import hashlib
import random
from typing import TYPE_CHECKING

import oss2
import pytest
from oss2.models import PartInfo

from junbi.emulator.oss.errors import OssError
from junbi.emulator.oss.uploads import Uploads

if TYPE_CHECKING:
    from pathlib import Path

    from tests.contract.oss.conftest import Cloud

PART = 102_400
PIECES = [random.Random(number).randbytes(PART) for number in range(2)] + [b"the rest"]


def upload(bucket: oss2.Bucket, key: str, pieces: list[bytes]) -> tuple[str, list[PartInfo]]:
    """An upload with its parts in place, the last one first."""
    upload_id = bucket.init_multipart_upload(key, headers={"Content-Type": "text/csv", "x-oss-meta-a": "1"}).upload_id
    parts = []
    for number in range(len(pieces), 0, -1):
        result = bucket.upload_part(key, upload_id, number, pieces[number - 1])
        parts.append(PartInfo(number, result.etag, part_crc=result.crc, size=len(pieces[number - 1])))
    return upload_id, parts[::-1]


class TestComplete:
    """Uploads that become objects."""

    def test_the_whole(self, bucket: oss2.Bucket) -> None:
        """Parts in any order become one object with the initiator's headers, a -N ETag and the right CRC-64."""
        upload_id, parts = upload(bucket, "大きい/a b+c", PIECES)
        done = bucket.complete_multipart_upload("大きい/a b+c", upload_id, parts)
        got = bucket.get_object("大きい/a b+c")
        assert got.read() == b"".join(PIECES)
        assert (got.content_type, got.headers["x-oss-meta-a"], got.object_type) == ("text/csv", "1", "Multipart")
        digests = b"".join(hashlib.md5(piece).digest() for piece in PIECES)
        assert done.etag == got.etag == hashlib.md5(digests).hexdigest().upper() + "-3"
        with pytest.raises(oss2.exceptions.NoSuchUpload):
            bucket.list_parts("大きい/a b+c", upload_id)

    def test_resumable_upload_and_download(self, bucket: oss2.Bucket, tmp_path: Path) -> None:
        """oss2's own resumable upload and download move a file in parts, in several threads."""
        source, target = tmp_path / "source", tmp_path / "target"
        source.write_bytes(b"".join(PIECES))
        store = oss2.ResumableStore(root=str(tmp_path))
        sizes = {"multipart_threshold": PART, "part_size": PART, "num_threads": 3}
        oss2.resumable_upload(bucket, "a", str(source), store=store, **sizes)
        assert bucket.head_object("a").etag.endswith("-3")
        again = oss2.ResumableDownloadStore(root=str(tmp_path))
        sizes = {"multiget_threshold": PART, "part_size": PART, "num_threads": 3}
        oss2.resumable_download(bucket, "a", str(target), store=again, **sizes)
        assert target.read_bytes() == source.read_bytes()

    def test_all_parts(self, client: oss2.Bucket) -> None:
        """x-oss-complete-all takes whatever arrived."""
        upload_id, _ = upload(client, "a", PIECES)
        client.complete_multipart_upload("a", upload_id, None, headers={"x-oss-complete-all": "yes"})
        assert client.get_object("a").read() == b"".join(PIECES)

    def test_parts_from_an_object(self, bucket: oss2.Bucket) -> None:
        """UploadPartCopy takes a range, or the whole, of an object with any key."""
        bucket.put_object("元 +%", b"".join(PIECES))
        upload_id = bucket.init_multipart_upload("a").upload_id
        whole = bucket.upload_part_copy(bucket.bucket_name, "元 +%", None, "a", upload_id, 1)
        piece = bucket.upload_part_copy(bucket.bucket_name, "元 +%", (2, 11), "a", upload_id, 2)
        bucket.complete_multipart_upload("a", upload_id, [PartInfo(1, whole.etag), PartInfo(2, piece.etag)])
        assert bucket.get_object("a").read() == b"".join(PIECES) + PIECES[0][2:12]

    @pytest.mark.parametrize("how", ["missing", "etag", "order", "small", "xml"])
    def test_what_is_refused(self, client: oss2.Bucket, how: str) -> None:
        """Missing, altered, unordered and small parts are refused; the upload goes on and the old object stays."""
        client.put_object("a", b"old")
        upload_id, parts = upload(client, "a", [b"short", b"rest"] if how == "small" else PIECES)
        asked = {
            "missing": [*parts, PartInfo(9, parts[0].etag)],
            "etag": [PartInfo(1, "0" * 32), *parts[1:]],
            "order": [PartInfo(part.part_number, part.etag) for part in (parts[1], parts[0])],
            "small": parts,
            "xml": [PartInfo("x", parts[0].etag)],
        }[how]
        code = {"order": "InvalidPartOrder", "small": "EntityTooSmall", "xml": "MalformedXML"}.get(how, "InvalidPart")
        root = "".join(
            f"<Part><PartNumber>{part.part_number}</PartNumber><ETag>{part.etag}</ETag></Part>" for part in asked
        )
        body = f"<CompleteMultipartUpload>{root}</CompleteMultipartUpload>".encode()
        with pytest.raises(oss2.exceptions.ServerError) as refused:
            client._do("POST", client.bucket_name, "a", params={"uploadId": upload_id}, data=body)
        assert refused.value.code == code
        assert client.get_object("a").read() == b"old"
        assert len(client.list_parts("a", upload_id).parts) == len(parts)

    def test_a_part_can_be_replaced(self, client: oss2.Bucket) -> None:
        """The last content sent for a number is the part."""
        upload_id, parts = upload(client, "a", PIECES)
        etag = client.upload_part("a", upload_id, 3, b"another end").etag
        client.complete_multipart_upload("a", upload_id, [*parts[:2], PartInfo(3, etag)])
        assert client.get_object("a").read() == PIECES[0] + PIECES[1] + b"another end"

    def test_a_part_replaced_meanwhile(self, cloud: Cloud, client: oss2.Bucket) -> None:
        """A part that is replaced while its upload is being completed refuses the completion; the upload goes on."""
        upload_id, _ = upload(client, "a", PIECES)
        uploads = Uploads(cloud.buckets)
        under_way, joined = uploads.get("vision-data", "a", upload_id), uploads.parts(upload_id)
        client.upload_part("a", upload_id, 3, b"another end")
        with pytest.raises(OssError, match="InvalidPart"), cloud.buckets.index.transaction():
            uploads._end(under_way, joined)
        assert len(uploads.parts(upload_id)) == 3

    @pytest.mark.parametrize("number", ["0", "10001", "x"])
    def test_part_numbers(self, client: oss2.Bucket, number: str) -> None:
        """A part's number is 1 to 10,000."""
        upload_id = client.init_multipart_upload("a").upload_id
        with pytest.raises(oss2.exceptions.InvalidArgument):
            client.upload_part("a", upload_id, number, b"")


class TestAbortAndList:
    """Uploads under way."""

    def test_abort(self, cloud: Cloud, bucket: oss2.Bucket) -> None:
        """An aborted upload and its parts are gone, from the disk too, and no object was made."""
        upload_id, _ = upload(bucket, "a", PIECES)
        bucket.abort_multipart_upload("a", upload_id)
        assert not bucket.object_exists("a")
        assert [path for path in (cloud.directory / "blobs").rglob("*") if path.is_file()] == []
        for use in (
            lambda: bucket.abort_multipart_upload("a", upload_id),
            lambda: bucket.upload_part("a", upload_id, 1, b""),
            lambda: bucket.list_parts("a", upload_id),
        ):
            with pytest.raises(oss2.exceptions.NoSuchUpload):
                use()

    def test_parts_page_by_page(self, bucket: oss2.Bucket) -> None:
        """ListParts pages by number."""
        upload_id, parts = upload(bucket, "a", PIECES)
        listed = list(oss2.PartIterator(bucket, "a", upload_id, max_parts=2))
        assert [(one.part_number, one.etag, one.size) for one in listed] == [
            (one.part_number, one.etag, one.size) for one in parts
        ]

    def test_uploads_page_by_page(self, bucket: oss2.Bucket) -> None:
        """ListMultipartUploads pages by key and id, several of one key too, under a prefix."""
        keys = ["a b", "a b", "a+c", "日/本", "日/語", "z"]
        begun = sorted((key, bucket.init_multipart_upload(key).upload_id) for key in keys)
        listed = [(one.key, one.upload_id) for one in oss2.MultipartUploadIterator(bucket, max_uploads=2)]
        assert sorted(listed) == begun
        assert [key for key, _ in listed] == sorted(keys, key=str.encode)
        rolled = bucket.list_multipart_uploads(prefix="日", delimiter="/")
        assert (rolled.prefix_list, rolled.upload_list) == (["日/"], [])
