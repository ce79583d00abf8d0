"""Signature version 4: HMAC-SHA256 with a derived key. Source: OSS documentation, V4 signatures."""

from __future__ import annotations

import hashlib
import hmac
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import quote

from junbi.emulator.oss.errors import OssError

if TYPE_CHECKING:
    from junbi.emulator.oss.call import Call

ALGORITHM = "OSS4-HMAC-SHA256"
_ALWAYS_SIGNED = frozenset({"content-type", "content-md5"})


@dataclass(frozen=True, slots=True)
class Credential:
    """``<key id>/<yyyymmdd>/<region>/oss/aliyun_v4_request``."""

    key_id: str
    date: str
    region: str

    @classmethod
    def parse(cls, text: str) -> Credential:
        """Read one. ``InvalidArgument``."""
        match text.rsplit("/", 4):
            case [key_id, date, region, "oss", "aliyun_v4_request"]:
                return cls(key_id, date, region)
        raise OssError("InvalidArgument", "The credential must be <key id>/<date>/<region>/oss/aliyun_v4_request.")

    @property
    def scope(self) -> str:
        """What the signing key is good for."""
        return f"{self.date}/{self.region}/oss/aliyun_v4_request"


def string_to_sign(call: Call, credential: Credential, moment: str, additional: list[str]) -> bytes:
    """What the signature is over; ``moment`` is ``x-oss-date``, ``additional`` the other signed headers' names."""
    digest = hashlib.sha256(_canonical(call, additional)).hexdigest()
    return f"{ALGORITHM}\n{moment}\n{credential.scope}\n{digest}".encode()


def signature(secret: str, credential: Credential, signed: bytes) -> str:
    """The signature in hexadecimal."""
    key = f"aliyun_v4{secret}".encode()
    for step in (credential.date, credential.region, "oss", "aliyun_v4_request"):
        key = hmac.new(key, step.encode(), hashlib.sha256).digest()
    return hmac.new(key, signed, hashlib.sha256).hexdigest()


def _canonical(call: Call, additional: list[str]) -> bytes:
    path = f"/{call.bucket}/{call.key}" if call.bucket else "/"
    signed = {
        name: text
        for name, text in call.headers.items()
        if name.startswith("x-oss-") or name in _ALWAYS_SIGNED or name in additional
    }
    headers = "".join(f"{name}:{signed[name]}\n" for name in sorted(signed))
    body = call.headers.get("x-oss-content-sha256", "UNSIGNED-PAYLOAD")
    lines = [call.method, quote(path, safe="/"), _query(call), headers, ";".join(sorted(additional)), body]
    return "\n".join(lines).encode("latin-1")


def _query(call: Call) -> str:
    terms = sorted(
        (quote(name, safe=""), quote(value, safe="")) for name, value in call.query.items() if name != "x-oss-signature"
    )
    return "&".join(f"{name}={value}" if value else name for name, value in terms)
