"""Who calls: every request must carry a good signature, version 1 or 4, in a header or in its URL."""

from __future__ import annotations

import hmac
import re
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING

from junbi.emulator.oss import signature_v1 as v1
from junbi.emulator.oss import signature_v4 as v4
from junbi.emulator.oss.errors import OssError

if TYPE_CHECKING:
    from junbi.emulator.clock import Clock
    from junbi.emulator.keys import AccessKey, Keys
    from junbi.emulator.oss.call import Call

#: Source: OSS error codes, RequestTimeTooSkewed.
SKEW = timedelta(minutes=15)
#: The longest life of a presigned URL. Source: OSS documentation, V4 signatures in URLs.
LONGEST_URL = 604_800
_MOMENT = "%Y%m%dT%H%M%SZ"
_SECONDS = re.compile(r"[0-9]{1,12}")
_V4_FIELD = re.compile(r"(Credential|AdditionalHeaders|Signature)=([^,\s]*)")


class Authority:
    """Judges signatures.

    Args:
        keys: the keys that may sign.
        clock: its wall judges dates.
        region: the one that version 4 signatures must name.
    """

    def __init__(self, keys: Keys, clock: Clock, region: str) -> None:
        self._keys, self._clock, self._region = keys, clock, region

    def check(self, call: Call) -> str:
        """The key id that signed the call. Raises ``OssError`` where nobody did, or not well."""
        header = call.headers.get("authorization", "")
        if header.startswith(v4.ALGORITHM):
            return self._v4_header(call, dict(_V4_FIELD.findall(header)))
        if header.startswith("OSS "):
            return self._v1_header(call, *header[4:].strip().rpartition(":")[::2])
        if call.query.get("x-oss-signature-version") == v4.ALGORITHM:
            return self._v4_url(call)
        if "OSSAccessKeyId" in call.query:
            return self._v1_url(call)
        raise OssError("InvalidArgument" if header else "AccessDenied", _UNREADABLE if header else "")

    def _v1_header(self, call: Call, key_id: str, given: str) -> str:
        date = call.headers.get("x-oss-date") or call.headers.get("date", "")
        key = self._key(key_id, call.headers.get("x-oss-security-token", ""))
        self._fresh(_http_date(date))
        signed = v1.string_to_sign(call, date)
        return _judge(key, v1.signature(key.secret, signed), given, signed)

    def _v1_url(self, call: Call) -> str:
        expires = call.query.get("Expires", "")
        key = self._key(call.query["OSSAccessKeyId"], call.query.get("security-token", ""))
        if not _SECONDS.fullmatch(expires) or int(expires) < self._clock.wall().timestamp():
            raise OssError("AccessDenied", "Request has expired.")
        signed = v1.string_to_sign(call, expires)
        return _judge(key, v1.signature(key.secret, signed), call.query.get("Signature", ""), signed)

    def _v4_header(self, call: Call, fields: dict[str, str]) -> str:
        credential = v4.Credential.parse(fields.get("Credential", ""))
        moment = call.headers.get("x-oss-date", "")
        key = self._key(credential.key_id, call.headers.get("x-oss-security-token", ""))
        self._fresh(self._moment(moment, credential))
        signed = v4.string_to_sign(call, credential, moment, _names(fields.get("AdditionalHeaders", "")))
        return _judge(key, v4.signature(key.secret, credential, signed), fields.get("Signature", ""), signed)

    def _v4_url(self, call: Call) -> str:
        query = call.query
        credential = v4.Credential.parse(query.get("x-oss-credential", ""))
        moment = query.get("x-oss-date", "")
        key = self._key(credential.key_id, query.get("x-oss-security-token", ""))
        since, lasts = self._moment(moment, credential), call.number("x-oss-expires", 0, 1, LONGEST_URL)
        age = self._clock.wall() - since
        if not -SKEW <= age <= timedelta(seconds=lasts):
            raise OssError("AccessDenied", "Request has expired.")
        signed = v4.string_to_sign(call, credential, moment, _names(query.get("x-oss-additional-headers", "")))
        return _judge(key, v4.signature(key.secret, credential, signed), query.get("x-oss-signature", ""), signed)

    def _key(self, key_id: str, token: str) -> AccessKey:
        key = self._keys.find(key_id, token)
        if key is None and self._keys.expired(key_id):
            raise OssError("SecurityTokenExpired")
        if key is None and token:
            raise OssError("InvalidSecurityToken")
        if key is None:
            raise OssError("InvalidAccessKeyId", OSSAccessKeyId=key_id)
        if token and not key.token:
            raise OssError("InvalidSecurityToken")
        return key

    def _moment(self, text: str, credential: v4.Credential) -> datetime:
        if credential.region != self._region:
            message = f"Invalid signing region {credential.region}: this OSS is in {self._region}."
            raise OssError("InvalidArgument", message)
        try:
            moment = datetime.strptime(text, _MOMENT).replace(tzinfo=UTC)
        except ValueError as error:
            raise OssError("AccessDenied", "OSS authentication requires a valid x-oss-date.") from error
        if not text.startswith(credential.date):
            raise OssError("InvalidArgument", "The credential's date is not that of x-oss-date.")
        return moment

    def _fresh(self, moment: datetime) -> None:
        now = self._clock.wall()
        if abs(now - moment) > SKEW:
            raise OssError(
                "RequestTimeTooSkewed",
                RequestTime=moment.strftime("%Y-%m-%dT%H:%M:%S.000Z"),
                ServerTime=now.strftime("%Y-%m-%dT%H:%M:%S.000Z"),
            )


_UNREADABLE = "The Authorization header is of no known signature version; the local OSS knows versions 1 and 4."


def _http_date(text: str) -> datetime:
    try:
        date = parsedate_to_datetime(text)
        return date.astimezone(UTC) if date.tzinfo else date.replace(tzinfo=UTC)
    except (ValueError, OverflowError) as error:
        raise OssError("AccessDenied", "OSS authentication requires a valid Date.") from error


def _names(text: str) -> list[str]:
    return [name for name in text.lower().split(";") if name]


def _judge(key: AccessKey, expected: str, given: str, signed: bytes) -> str:
    if not hmac.compare_digest(expected.encode(), given.encode()):
        readable = signed.decode("utf-8", "backslashreplace")
        raise OssError("SignatureDoesNotMatch", SignatureProvided=given, StringToSign=readable)
    return key.key_id
