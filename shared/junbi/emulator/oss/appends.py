"""AppendObject: content put behind what an object has, at exactly its length."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from junbi.emulator.oss.checksums import etag_of_append
from junbi.emulator.oss.errors import OssError
from junbi.emulator.oss.model import Change, StoredObject

if TYPE_CHECKING:
    from collections.abc import Mapping

    from junbi.emulator.oss.blobs import Draft
    from junbi.emulator.oss.state import Buckets


def append(
    buckets: Buckets, bucket: str, key: str, position: int, draft: Draft, *, headers: Mapping[str, str]
) -> Change:
    """Append received content; the first append makes the object, with the headers.

    ``ObjectNotAppendable`` for an object written otherwise; ``PositionNotEqualToLength``, with the length in
    ``x-oss-next-append-position``.
    """
    used = False
    try:
        with buckets.index.transaction():
            buckets.bucket(bucket)
            before = buckets.index.object(bucket, key.encode())
            _check(before, position)
            made = _longer(buckets, before, draft) if before else _first(buckets, bucket, key, draft, headers)
            buckets.index.put_object(made)
        used = before is None
        return Change(before, made)
    finally:
        (buckets.blobs.settle if used else buckets.blobs.drop)([draft.blob])


def _check(before: StoredObject | None, position: int) -> None:
    length = before.size if before else 0
    if before and before.kind != "Appendable":
        raise OssError("ObjectNotAppendable", Key=before.key)
    if position != length:
        raise OssError("PositionNotEqualToLength", headers={"x-oss-next-append-position": str(length)})


def _first(buckets: Buckets, bucket: str, key: str, draft: Draft, headers: Mapping[str, str]) -> StoredObject:
    etag = etag_of_append(draft.crc64, draft.size)
    return StoredObject(
        bucket, key, draft.size, etag, buckets.now(), "Appendable", draft.crc64, dict(headers), draft.blob
    )


def _longer(buckets: Buckets, before: StoredObject, draft: Draft) -> StoredObject:
    crc, size = buckets.blobs.extend(before.blob, before.size, draft, before.crc64), before.size + draft.size
    return replace(before, size=size, crc64=crc, etag=etag_of_append(crc, size), last_modified=buckets.now())
