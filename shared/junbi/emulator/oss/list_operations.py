"""Listing objects, versions 1 and 2. Source: OSS API reference, ListObjects and ListObjectsV2."""

from __future__ import annotations

import base64
import binascii
from typing import TYPE_CHECKING

from junbi.emulator.oss.answers import xml
from junbi.emulator.oss.bucket_operations import owner_element
from junbi.emulator.oss.errors import OssError
from junbi.emulator.oss.markup import Names, moment

if TYPE_CHECKING:
    from flask import Response

    from junbi.emulator.oss.call import Call
    from junbi.emulator.oss.listing import Page
    from junbi.emulator.oss.markup import Children
    from junbi.emulator.oss.model import StoredObject
    from junbi.emulator.oss.service import Service


def list_objects(service: Service, call: Call) -> Response:
    """ListObjects."""
    names, marker = Names(call), call.query.get("marker", "")
    found = _page(service, call, marker)
    terms = _terms(call, names, found)
    terms += [("Marker", names(marker))] + ([("NextMarker", names(found.last))] if found.truncated else [])
    return xml("ListBucketResult", terms + _contents(service, found, names, owner=True))


def list_objects_v2(service: Service, call: Call) -> Response:
    """ListObjectsV2."""
    names, token, start = Names(call), call.query.get("continuation-token", ""), call.query.get("start-after", "")
    found = _page(service, call, _marker(token) if token else start)
    terms = _terms(call, names, found)
    terms += [("StartAfter", names(start)), ("KeyCount", str(len(found)))]
    terms += [("ContinuationToken", token)] if token else []
    terms += [("NextContinuationToken", _token(found.last))] if found.truncated else []
    owner = call.query.get("fetch-owner", "").lower() == "true"
    return xml("ListBucketResult", terms + _contents(service, found, names, owner=owner))


def _page(service: Service, call: Call, marker: str) -> Page:
    return service.buckets.page(
        call.bucket,
        prefix=call.query.get("prefix", ""),
        marker=marker,
        delimiter=call.query.get("delimiter", ""),
        limit=call.number("max-keys", 100, 1, 1000),
    )


def _terms(call: Call, names: Names, found: Page) -> Children:
    return [
        ("Name", call.bucket),
        ("Prefix", names(call.query.get("prefix", ""))),
        ("MaxKeys", call.query.get("max-keys") or "100"),
        ("Delimiter", names(call.query.get("delimiter", ""))),
        ("IsTruncated", str(found.truncated).lower()),
        *names.mark,
    ]


def _contents(service: Service, found: Page, names: Names, *, owner: bool) -> Children:
    owned = [owner_element(service)] if owner else []
    listed: Children = [("Contents", [*_contents_of(stored, names), *owned]) for stored in found.objects]
    return listed + [("CommonPrefixes", [("Prefix", names(prefix))]) for prefix in found.prefixes]


def _contents_of(stored: StoredObject, names: Names) -> Children:
    return [
        ("Key", names(stored.key)),
        ("LastModified", moment(stored.last_modified)),
        ("ETag", f'"{stored.etag}"'),
        ("Type", stored.kind),
        ("Size", str(stored.size)),
        ("StorageClass", "Standard"),
    ]


def _token(last: str) -> str:
    return base64.urlsafe_b64encode(last.encode()).decode()


def _marker(token: str) -> str:
    try:
        return base64.b64decode(token, altchars=b"-_", validate=True).decode()
    except (binascii.Error, ValueError) as error:
        raise OssError("InvalidArgument", ArgumentName="continuation-token", ArgumentValue=token) from error
