"""Signature version 1: HMAC-SHA1 over a few headers and the resource. Source: OSS documentation, V1 signatures."""

from __future__ import annotations

import base64
import hashlib
import hmac
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from junbi.emulator.oss.call import Call

#: Query parameters that are part of the signed resource. Source: OSS documentation.
SUBRESOURCES = frozenset(
    """
    acl append asyncFetch bucketInfo callback callback-var cname comp continuation-token cors delete encryption endTime
    group img inventory inventoryId lifecycle link live location logging metaQuery objectInfo objectMeta partNumber
    policy position qos qosInfo referer replication replicationLocation replicationProgress requestPayment
    resourceGroup response-cache-control response-content-disposition response-content-encoding
    response-content-language response-content-type response-expires restore security-token sequential startTime stat
    status style styleName symlink tagging transferAcceleration uploadId uploads versionId versioning versions vod
    website worm wormExtend wormId x-oss-ac-forward-allow x-oss-ac-source-ip x-oss-ac-subnet-mask x-oss-ac-vpc-id
    x-oss-async-process x-oss-process x-oss-request-payer x-oss-traffic-limit
    """.split()  # noqa: SIM905 - words read better than a list of literals
)


def string_to_sign(call: Call, date: str) -> bytes:
    """What the signature is over; ``date`` is the Date header, or the expiry of a presigned URL."""
    own = sorted((name, text) for name, text in call.headers.items() if name.startswith("x-oss-"))
    lines = [call.method, call.headers.get("content-md5", ""), call.headers.get("content-type", ""), date]
    lines += [f"{name}:{text}" for name, text in own]
    return "\n".join(lines).encode("latin-1") + b"\n" + _resource(call).encode()


def signature(secret: str, signed: bytes) -> str:
    """The signature, as it travels."""
    return base64.b64encode(hmac.new(secret.encode(), signed, hashlib.sha1).digest()).decode()


def _resource(call: Call) -> str:
    path = f"/{call.bucket}/{call.key}" if call.bucket else "/"
    terms = sorted((name, value) for name, value in call.query.items() if name in SUBRESOURCES)
    query = "&".join(f"{name}={value}" if value else name for name, value in terms)
    return f"{path}?{query}" if query else path
