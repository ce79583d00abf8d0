"""Verifies ACS3-HMAC-SHA256, the signature of Alibaba Cloud's APIs, on requests as they arrived.

Source: the published description and its vector; recordings of the official SDK. Assumed, because no public text
settles them: the code of an expired date, the HTTP statuses, that a nonce is unique per access key, and that
``host``, ``content-type`` and every ``x-acs-*`` header must be among the signed ones.
"""

from __future__ import annotations

import hashlib
import hmac
import re
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, quote

from junbi.emulator.api_error import ApiError
from junbi.emulator.nonces import Nonces

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from junbi.emulator.clock import Clock
    from junbi.emulator.keys import AccessKey, Keys
    from junbi.emulator.records import Records

ALGORITHM = "ACS3-HMAC-SHA256"

_AUTHORIZATION = re.compile(rf"{ALGORITHM} Credential=([^,]+),\s*SignedHeaders=([^,]+),\s*Signature=([0-9a-f]{{64}})")
_HOST = re.compile(r"\Ahttps?://[^/?]*", re.IGNORECASE)
_REQUIRED = ("x-acs-date", "x-acs-signature-nonce", "x-acs-content-sha256")


@dataclass(frozen=True)
class Authorization:
    """The ``Authorization`` header, taken apart."""

    key_id: str
    signed_headers: tuple[str, ...]
    signature: str

    @classmethod
    def parse(cls, header: str) -> Authorization:
        """ApiError where it is missing or has another form."""
        found = _AUTHORIZATION.fullmatch(header.strip())
        if not found:
            message = f"The request is not signed as {ALGORITHM} asks: Authorization is missing or malformed."
            raise ApiError("IncompleteSignature", message, 400)
        return cls(found[1], tuple(found[2].split(";")), found[3])


class Verifier:
    """Tells who signed a request, or refuses it.

    Args:
        keys: the keys that may sign.
        clock: dates are judged by its wall time, as callers sign with real clocks.
        records: used nonces are kept there, so that a restart does not forget them.
    """

    def __init__(self, keys: Keys, clock: Clock, records: Records) -> None:
        self._keys, self._clock = keys, clock
        self._nonces = Nonces(records)

    def check(self, environ: Mapping[str, Any], body: bytes) -> AccessKey:
        """The key that signed this WSGI request; ApiError where it is not well signed, too old or a repetition.

        The nonce counts as used from here on, whatever becomes of the request.
        """
        headers = headers_of(environ)
        authorization = Authorization.parse(headers.get("authorization", ""))
        for name in _REQUIRED:
            if not headers.get(name):
                raise ApiError("MissingParameter", f"The header {name} is mandatory for this request.", 400)
        key = self._key(authorization.key_id, headers)
        self._check_date(headers["x-acs-date"])
        _check_signature(authorization, key, environ, headers, body)
        now = self._clock.wall()
        if not self._nonces.use(
            f"{key.key_id}:{headers['x-acs-signature-nonce']}", now, now + 2 * self._keys.signature_validity
        ):
            raise ApiError("SignatureNonceUsed", "Specified signature nonce was used already.", 400)
        return key

    def _key(self, key_id: str, headers: Mapping[str, str]) -> AccessKey:
        key = self._keys.find(key_id, headers.get("x-acs-security-token", ""))
        if key is None and self._keys.expired(key_id):
            raise ApiError("InvalidSecurityToken.Expired", "Specified SecurityToken is expired.", 400)
        if key is None or headers.get("x-acs-accesskey-id", key_id) != key_id:
            raise ApiError("InvalidAccessKeyId.NotFound", "Specified access key is not found.", 404)
        return key

    def _check_date(self, text: str) -> None:
        try:
            date = datetime.strptime(text, "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=UTC)
        except ValueError as error:
            message = "Specified time stamp or date value is not well formatted: yyyy-MM-ddTHH:mm:ssZ is expected."
            raise ApiError("InvalidTimeStamp.Format", message, 400) from error
        if abs(self._clock.wall() - date) > self._keys.signature_validity:
            raise ApiError("InvalidTimeStamp.Expired", "Specified time stamp or date value is expired.", 400)


def headers_of(environ: Mapping[str, Any]) -> dict[str, str]:
    """The request's headers by lower-case name."""
    headers = {
        name.removeprefix("HTTP_").replace("_", "-").lower(): str(value)
        for name, value in environ.items()
        if name.startswith("HTTP_")
    }
    if environ.get("CONTENT_TYPE"):
        headers["content-type"] = environ["CONTENT_TYPE"]
    return headers


def target_of(environ: Mapping[str, Any]) -> tuple[str, str]:
    """Path and query of a request exactly as they were sent, percent-encoding and all; ApiError where it has no path.

    What begins with a slash is a path, two slashes included; a host stands only in the absolute form, of proxies.
    """
    target = str(environ.get("REQUEST_URI") or environ.get("RAW_URI") or "/").partition("#")[0]
    path, _, query = _HOST.sub("", target, count=1).partition("?")
    if path and not path.startswith("/"):
        raise ApiError("InvalidArgument", f"The request's target {target!r} is no path.", 400)
    return path or "/", query


def canonical_query(query: str) -> str:
    """A query re-encoded as it is signed: a space may travel as ``+`` but is signed as ``%20``."""
    pairs = sorted(parse_qsl(query, keep_blank_values=True))
    return "&".join(f"{quote(name, safe='')}={quote(value, safe='')}" for name, value in pairs)


def canonical_request(
    *, method: str, path: str, query: str, headers: Mapping[str, str], signed: tuple[str, ...], body_hash: str
) -> str:
    """The text whose hash is signed; ``path`` and ``query`` as they were sent."""
    block = "".join(f"{name}:{headers.get(name, '').strip()}\n" for name in signed)
    return "\n".join((method, path, canonical_query(query), block, ";".join(signed), body_hash))


def signature(secret: str, request: str) -> str:
    """The signature, in hex, of a canonical request."""
    text = f"{ALGORITHM}\n{hashlib.sha256(request.encode()).hexdigest()}"
    return hmac.new(secret.encode(), text.encode(), hashlib.sha256).hexdigest()


def _check_signature(
    authorization: Authorization, key: AccessKey, environ: Mapping[str, Any], headers: Mapping[str, str], body: bytes
) -> None:
    signed = authorization.signed_headers
    unsigned = sorted(name for name in headers if _must_be_signed(name) and name not in signed)
    if unsigned:
        raise _mismatch(f"these headers are not signed: {', '.join(unsigned)}.")
    body_hash = hashlib.sha256(body).hexdigest()
    if not hmac.compare_digest(headers["x-acs-content-sha256"].encode(), body_hash.encode()):
        raise _mismatch("x-acs-content-sha256 is not the hash of the body.")
    method, (path, query) = str(environ["REQUEST_METHOD"]), target_of(environ)
    request = canonical_request(
        method=method, path=path, query=query, headers=headers, signed=tuple(sorted(signed)), body_hash=body_hash
    )
    if not hmac.compare_digest(signature(key.secret, request), authorization.signature):
        # The service echoes the whole canonical request; we do not, as a security token may be in it.
        raise _mismatch(f"we signed {method} {path} with the query {canonical_query(query)!r} and {';'.join(signed)}.")


def _must_be_signed(name: str) -> bool:
    return name in {"host", "content-type"} or name.startswith("x-acs-")


def _mismatch(why: str) -> ApiError:
    message = f"Specified signature is not matched with our calculation: {why}"
    return ApiError("SignatureDoesNotMatch", message, 400)
