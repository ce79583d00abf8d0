"""Multipart uploads: parts that arrive in any order and become one object at once."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING
from uuid import uuid4

from junbi.emulator.oss.blobs import pieces_of
from junbi.emulator.oss.checksums import etag_of_parts
from junbi.emulator.oss.errors import OssError
from junbi.emulator.oss.index import utc
from junbi.emulator.oss.model import Change, Part, StoredObject, Upload
from junbi.emulator.oss.names import key_bytes

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from junbi.emulator.oss.blobs import Draft
    from junbi.emulator.oss.state import Buckets

#: Source: OSS API reference, UploadPart and CompleteMultipartUpload.
MAX_PARTS = 10_000
SMALLEST_PART = 102_400
_PART = "number, size, etag, crc64, modified, blob"


class Uploads:
    """The uploads under way in some buckets."""

    def __init__(self, buckets: Buckets) -> None:
        self._buckets, self._index, self._blobs = buckets, buckets.index, buckets.blobs

    def start(self, bucket: str, key: str, headers: Mapping[str, str]) -> Upload:
        """Begin one; the headers are for the object that comes of it. ``NoSuchBucket``."""
        upload = Upload(bucket, key, uuid4().hex.upper(), self._buckets.now(), dict(headers))
        row = (bucket, key_bytes(key), upload.upload_id, int(upload.initiated.timestamp()), json.dumps(upload.headers))
        with self._index.transaction():
            self._buckets.bucket(bucket)
            self._index.write("INSERT INTO upload VALUES (?, ?, ?, ?, ?)", *row)
        return upload

    def get(self, bucket: str, key: str, upload_id: str) -> Upload:
        """An upload under way. ``NoSuchUpload``."""
        self._buckets.bucket(bucket)
        query = "SELECT initiated, headers FROM upload WHERE bucket=? AND key=? AND id=?"
        rows = self._index.rows(query, bucket, key_bytes(key), upload_id)
        if not rows:
            raise OssError("NoSuchUpload", UploadId=upload_id)
        return Upload(bucket, key, upload_id, utc(rows[0][0]), json.loads(rows[0][1]))

    def all(self, bucket: str, prefix: str) -> list[Upload]:
        """The uploads whose keys start with the prefix, by key and id. ``NoSuchBucket``."""
        self._buckets.bucket(bucket)
        query = "SELECT key, id, initiated, headers FROM upload WHERE bucket=? ORDER BY key, id"
        rows = self._index.rows(query, bucket)
        uploads = [Upload(bucket, key.decode(), one, utc(at), json.loads(headers)) for key, one, at, headers in rows]
        return [upload for upload in uploads if upload.key.startswith(prefix)]

    def put_part(self, upload: Upload, number: int, draft: Draft) -> Part:
        """Make received content a part, replacing the one of this number. ``NoSuchUpload`` if it ended meanwhile."""
        part = Part(number, draft.size, draft.etag, draft.crc64, self._buckets.now(), draft.blob)
        row = (number, part.size, part.etag, str(part.crc64), int(part.last_modified.timestamp()), part.blob)
        try:
            with self._index.transaction():
                self.get(upload.bucket, upload.key, upload.upload_id)
                before = self._index.rows("SELECT blob FROM part WHERE upload=? AND number=?", upload.upload_id, number)
                self._blobs.doubt(blob for (blob,) in before)
                self._index.write("REPLACE INTO part VALUES (?, ?, ?, ?, ?, ?, ?)", upload.upload_id, *row)
        except BaseException:
            self._blobs.drop([draft.blob])
            raise
        self._blobs.settle([draft.blob])
        self._blobs.drop(blob for (blob,) in before)
        return part

    def parts(self, upload_id: str) -> list[Part]:
        """The parts that arrived, by number."""
        rows = self._index.rows(f"SELECT {_PART} FROM part WHERE upload=? ORDER BY number", upload_id)  # noqa: S608
        return [Part(number, size, etag, int(crc), utc(at), blob) for number, size, etag, crc, at, blob in rows]

    def complete(self, upload: Upload, wanted: list[tuple[int, str]] | None, *, only_new: bool = False) -> Change:
        """Make the wanted parts (number, ETag), or None for all of them, one object.

        ``InvalidPart``, ``InvalidPartOrder``, ``EntityTooSmall``, ``NoSuchUpload``: nothing changed.
        """
        there = self.parts(upload.upload_id)
        parts = there if wanted is None else chosen(there, wanted)
        if not parts or any(part.size < SMALLEST_PART for part in parts[:-1]):
            raise OssError("EntityTooSmall" if parts else "InvalidPart")
        draft = self._blobs.receive(self._joined(parts))
        made = StoredObject(
            upload.bucket,
            upload.key,
            draft.size,
            etag_of_parts([part.etag for part in parts]),
            self._buckets.now(),
            "Multipart",
            draft.crc64,
            upload.headers,
            draft.blob,
        )
        return self._buckets.commit(made, only_new=only_new, also=lambda: self._end(upload, parts))

    def abort(self, upload: Upload) -> None:
        """End an upload without an object; its parts are deleted. ``NoSuchUpload``."""
        with self._index.transaction():
            given_up = self._end(upload, [])
            self._blobs.doubt(given_up)
        self._blobs.drop(given_up)

    def _end(self, upload: Upload, used: list[Part]) -> list[str]:
        """Delete the rows, in a running transaction; the blobs given up."""
        self.get(upload.bucket, upload.key, upload.upload_id)
        there = self.parts(upload.upload_id)
        if any(part not in there for part in used):
            raise OssError("InvalidPart", "A part was replaced while the upload was being completed.")
        self._index.write("DELETE FROM part WHERE upload=?", upload.upload_id)
        self._index.write("DELETE FROM upload WHERE id=?", upload.upload_id)
        return [part.blob for part in there]

    def _joined(self, parts: list[Part]) -> Iterator[bytes]:
        for part in parts:
            with self._blobs.open(part.blob, 0, part.size) as content:
                yield from pieces_of(content)


def chosen(there: list[Part], wanted: list[tuple[int, str]]) -> list[Part]:
    """The parts that a client lists. ``InvalidPartOrder``, ``InvalidPart``."""
    numbers = [number for number, _ in wanted]
    if numbers != sorted(set(numbers)):
        raise OssError("InvalidPartOrder")
    by_number = {part.number: part for part in there}
    if any(number not in by_number or by_number[number].etag != etag.upper() for number, etag in wanted):
        raise OssError("InvalidPart")
    return [by_number[number] for number in numbers]
