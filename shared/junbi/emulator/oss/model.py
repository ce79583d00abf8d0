"""What the local OSS keeps: buckets, objects, uploads under way and their parts."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime  # noqa: TC003 - a public annotation that callers resolve
from typing import Literal

#: ``x-oss-object-type``. Source: OSS API reference, HeadObject.
Kind = Literal["Normal", "Multipart", "Appendable"]


@dataclass(frozen=True, slots=True)
class Bucket:
    """A bucket.

    Attributes:
        created: UTC, whole seconds.
    """

    name: str
    created: datetime


@dataclass(frozen=True, slots=True)
class StoredObject:
    """An object as the index knows it.

    Attributes:
        key: plain text, never URL-encoded.
        size: bytes.
        etag: upper-case hexadecimal MD5; ``<md5>-<parts>`` for a multipart object; no MD5 for an appended one.
        last_modified: UTC, whole seconds, as the wire has it.
        kind: how it was written.
        crc64: CRC-64/ECMA of the content, decimal on the wire.
        headers: what the writer asked to have returned: Content-Type and its like, ``x-oss-meta-*``; lower-case names.
        blob: the name of the file that holds the content, whose first ``size`` bytes count.
    """

    bucket: str
    key: str
    size: int
    etag: str
    last_modified: datetime
    kind: Kind = "Normal"
    crc64: int = 0
    headers: dict[str, str] = field(default_factory=dict)
    blob: str = ""


@dataclass(frozen=True, slots=True)
class Change:
    """What a write did to one key: the object ``before`` it, None where there was none, and ``after`` it."""

    before: StoredObject | None
    after: StoredObject

    @property
    def delta(self) -> int:
        """By how many bytes the object grew; negative where it shrank."""
        return self.after.size - (self.before.size if self.before else 0)


@dataclass(frozen=True, slots=True)
class Upload:
    """A multipart upload that was neither completed nor aborted."""

    bucket: str
    key: str
    upload_id: str
    initiated: datetime
    headers: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Part:
    """One part of an upload; ``number`` is 1 to 10,000, ``size`` in bytes, ``etag`` an upper-case MD5."""

    number: int
    size: int
    etag: str
    crc64: int
    last_modified: datetime
    blob: str
