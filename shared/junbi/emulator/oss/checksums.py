"""The two checksums that OSS keeps of every content: MD5 and CRC-64/ECMA."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from collections.abc import Callable

#: CRC-64/ECMA-182 as OSS computes it: reflected, inverted at both ends. Source: OSS documentation, CRC-64 check.
_POLYNOMIAL = 0x142F0E1EBA9EA3693
_INVERTED = 0xFFFFFFFFFFFFFFFF


@cache
def _engine() -> Callable[[bytes, int], int]:
    from crcmod import mkCrcFun  # type: ignore[import-untyped]  # slow to build, needed by uploads only

    return cast("Callable[[bytes, int], int]", mkCrcFun(_POLYNOMIAL, initCrc=0, rev=True, xorOut=_INVERTED))


def crc64(data: bytes, so_far: int = 0) -> int:
    """The CRC-64 of what was read so far, followed by ``data``."""
    return _engine()(data, so_far)


@dataclass(slots=True)
class Tally:
    """Size and checksums of content while it passes by."""

    size: int = 0
    crc64: int = 0
    _md5: hashlib._Hash | None = None

    def add(self, data: bytes) -> None:
        """Count the next piece."""
        if self._md5 is None:
            self._md5 = hashlib.md5(usedforsecurity=False)
        self._md5.update(data)
        self.crc64 = crc64(data, self.crc64)
        self.size += len(data)

    @property
    def md5(self) -> bytes:
        """The 16 bytes of the MD5."""
        return (self._md5 or hashlib.md5(usedforsecurity=False)).digest()


def etag_of_parts(etags: list[str]) -> str:
    """The ETag of a multipart object: MD5 over the parts' MD5s, and their number. Source: observed on OSS."""
    joined = b"".join(bytes.fromhex(etag) for etag in etags)
    return f"{hashlib.md5(joined, usedforsecurity=False).hexdigest().upper()}-{len(etags)}"


def etag_of_append(crc: int, size: int) -> str:
    """The ETag of an appended object: unique, and no MD5 (assumed: OSS does not publish how it is made)."""
    return f"{crc:016X}{size:016X}"
