"""ACS3-HMAC-SHA256, the signature of every Alibaba Cloud OpenAPI that junbi calls. Pure.

Source: the V3 signature documentation, whose published example is a test here; the official SDK is the second.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from dataclasses import dataclass
from datetime import UTC
from typing import TYPE_CHECKING
from urllib.parse import quote

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import datetime

    from junbi.clients.credentials import Credentials

ALGORITHM = "ACS3-HMAC-SHA256"


@dataclass(frozen=True, slots=True)
class Stamp:
    """What makes one signed request unique: PAI takes a nonce once, and only near its date.

    A create's stamp is stored before the create is sent, so that a copy which leaves late carries the same one
    and is refused. Assumed until seen on a real account: the nonce is remembered as long as the date is valid.

    Attributes:
        nonce: unique among the account's requests within the date's validity.
        date: ``2026-11-30T10:22:32Z``, UTC; valid for about 15 minutes.
    """

    nonce: str
    date: str

    @classmethod
    def fresh(cls, now: datetime) -> Stamp:
        """A stamp that was never used, dated ``now``."""
        return cls(secrets.token_hex(16), now.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"))


def sign(
    method: str,
    path: str,
    query: Iterable[tuple[str, str]],
    *,
    headers: Mapping[str, str],
    body: bytes,
    credentials: Credentials,
    stamp: Stamp,
) -> dict[str, str]:
    """The headers to add to a request so that it is signed.

    Args:
        method: in upper case.
        path: as it is sent: percent-encoded, without the query.
        query: the parameters, decoded.
        headers: those already set, names in lower case; ``host`` must be among them. Only ``host``,
            ``content-type`` and ``x-acs-*`` are signed, so that a library may add its own.
        body: exactly the bytes that are sent.
        credentials: whose request it is.
        stamp: its nonce and date.
    """
    digest = hashlib.sha256(body).hexdigest()
    added = {
        "x-acs-date": stamp.date,
        "x-acs-signature-nonce": stamp.nonce,
        "x-acs-content-sha256": digest,
    }
    if credentials.token:
        added["x-acs-security-token"] = credentials.token
    signed = _signed({**headers, **added})
    names = ";".join(name for name, _ in signed)
    lines = "".join(f"{name}:{value}\n" for name, value in signed)
    canonical = "\n".join([method, path, _canonical_query(query), lines, names, digest])
    to_sign = f"{ALGORITHM}\n{hashlib.sha256(canonical.encode()).hexdigest()}"
    signature = hmac.new(credentials.secret.encode(), to_sign.encode(), hashlib.sha256).hexdigest()
    added["Authorization"] = f"{ALGORITHM} Credential={credentials.key_id},SignedHeaders={names},Signature={signature}"
    return added


def encode(text: str) -> str:
    """Percent-encoded as RFC 3986 says: only letters, digits and ``-_.~`` stay."""
    return quote(text, safe="~")


def _signed(headers: Mapping[str, str]) -> list[tuple[str, str]]:
    wanted = (name for name in headers if name in ("host", "content-type") or name.startswith("x-acs-"))
    return [(name, headers[name].strip()) for name in sorted(wanted)]


def _canonical_query(query: Iterable[tuple[str, str]]) -> str:
    return "&".join(f"{name}={value}" for name, value in sorted((encode(name), encode(value)) for name, value in query))
