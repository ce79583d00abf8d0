"""Which names buckets and objects may have. Source: OSS documentation, naming conventions."""

from __future__ import annotations

import re

from junbi.emulator.oss.errors import OssError

_BUCKET = re.compile(r"[a-z0-9][a-z0-9-]{1,61}[a-z0-9]")
_KEY_BYTES = 1023


def check_bucket_name(name: str) -> None:
    """Raises ``InvalidBucketName`` unless OSS would take the name."""
    if not _BUCKET.fullmatch(name):
        raise OssError("InvalidBucketName", BucketName=name)


def key_bytes(key: str) -> bytes:
    """The key as OSS orders keys: by its UTF-8 bytes. Raises ``InvalidObjectName``.

    A leading slash is let through (assumed: the documentation forbids it, but buckets hold such keys).
    """
    try:
        raw = key.encode()
    except UnicodeEncodeError as error:
        raise OssError("InvalidObjectName", "The object name is not valid Unicode.") from error
    if not 1 <= len(raw) <= _KEY_BYTES or raw.startswith(b"\\"):
        raise OssError("InvalidObjectName", ObjectName=key)
    return raw
