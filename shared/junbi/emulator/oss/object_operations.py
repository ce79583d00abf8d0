"""Operations on objects. Source: OSS API reference."""

from __future__ import annotations

from typing import TYPE_CHECKING

from junbi.emulator.oss.answers import content, description, empty, written, xml
from junbi.emulator.oss.appends import append
from junbi.emulator.oss.blobs import pieces_of
from junbi.emulator.oss.call import plain
from junbi.emulator.oss.conditions import check_conditions, wanted_range
from junbi.emulator.oss.errors import OssError
from junbi.emulator.oss.markup import Names, moment, parse_delete

if TYPE_CHECKING:
    from flask import Response

    from junbi.emulator.oss.call import Call
    from junbi.emulator.oss.markup import Children
    from junbi.emulator.oss.service import Service

#: Source: OSS API reference, DeleteMultipleObjects.
_MOST_DELETED = 1000
_OVERRIDE = "response-"


def put_object(service: Service, call: Call) -> Response:
    """PutObject."""
    draft = service.buckets.receive(call.bucket, call.key, pieces_of(call.body), call.md5)
    change = service.buckets.store(call.bucket, call.key, draft, headers=call.kept_headers, only_new=call.only_new)
    service.notices.created(call, "PutObject", change)
    return written(change.after)


def get_object(service: Service, call: Call) -> Response:
    """GetObject: whole or a range, under conditions, with ``response-*`` overrides."""
    same_version(call.query.get("versionId"))
    found, stream = service.buckets.fetch(call.bucket, call.key)
    try:
        check_conditions(found, call.headers)
        standard = call.headers.get("x-oss-range-behavior") == "standard"
        part = wanted_range(call.headers.get("range", ""), found.size, standard=standard)
    except OssError:
        stream.close()
        raise
    start, length = part or (0, found.size)
    stream.seek(start)
    headers = description(found) | _overrides(call)
    if part:
        headers["Content-Range"] = f"bytes {start}-{start + length - 1}/{found.size}"
    return content(206 if part else 200, headers, stream, length)


def _overrides(call: Call) -> dict[str, str]:
    return {name.removeprefix(_OVERRIDE): text for name, text in call.query.items() if name.startswith(_OVERRIDE)}


def head_object(service: Service, call: Call) -> Response:
    """HeadObject and GetObjectMeta: everything but the content."""
    same_version(call.query.get("versionId"))
    found = service.buckets.head(call.bucket, call.key)
    check_conditions(found, call.headers)
    answer = empty(headers=description(found))
    answer.headers["Content-Type"] = found.headers.get("content-type", "application/octet-stream")
    answer.headers["Content-Length"] = str(found.size)
    return answer


def delete_object(service: Service, call: Call) -> Response:
    """DeleteObject: 204 whether or not there was one."""
    service.notices.removed(call, "DeleteObject", service.buckets.delete(call.bucket, call.key))
    return empty(204)


def delete_objects(service: Service, call: Call) -> Response:
    """DeleteMultipleObjects: up to 1,000 keys; one event per object that was there."""
    service.buckets.bucket(call.bucket)
    names, (keys, quiet) = Names(call), parse_delete(call.small_body())
    if len(keys) > _MOST_DELETED:
        raise OssError("MalformedXML", f"At most {_MOST_DELETED} keys can be deleted at once.")
    for key in keys:
        service.notices.removed(call, "DeleteObjects", service.buckets.delete(call.bucket, key))
    told: Children = [("Deleted", [("Key", names(key))]) for key in keys if not quiet]
    return xml("DeleteResult", [*names.mark, *told])


def copy_object(service: Service, call: Call) -> Response:
    """CopyObject, with the source's headers or, with ``x-oss-metadata-directive: REPLACE``, the caller's."""
    fresh = call.headers.get("x-oss-metadata-directive", "COPY").upper() == "REPLACE"
    change = service.buckets.copy(
        source_of(call),
        (call.bucket, call.key),
        headers=call.kept_headers if fresh else None,
        only_new=call.only_new,
        check=lambda found: check_conditions(found, call.headers, "x-oss-copy-source-"),
    )
    service.notices.created(call, "CopyObject", change)
    made = change.after
    answer = xml("CopyObjectResult", [("LastModified", moment(made.last_modified)), ("ETag", f'"{made.etag}"')])
    answer.headers["ETag"] = f'"{made.etag}"'
    return answer


def append_object(service: Service, call: Call) -> Response:
    """AppendObject, at ``position``."""
    position = call.number("position", -1, 0, 5 << 40)
    draft = service.buckets.receive(call.bucket, call.key, pieces_of(call.body), call.md5)
    change = append(service.buckets, call.bucket, call.key, position, draft, headers=call.kept_headers)
    service.notices.created(call, "AppendObject", change, position=position)
    made = change.after
    answer = written(made)
    answer.headers["x-oss-next-append-position"] = str(made.size)
    return answer


def source_of(call: Call) -> tuple[str, str]:
    """Bucket and key of ``x-oss-copy-source``: ``/<bucket>/<encoded key>[?versionId=…]``."""
    path, _, version = call.headers["x-oss-copy-source"].partition("?versionId=")
    same_version(version or None)
    bucket, _, key = path.removeprefix("/").partition("/")
    if not bucket or not key:
        message = "x-oss-copy-source must be /<bucket>/<key>, the key URL-encoded."
        raise OssError("InvalidArgument", message, ArgumentName="x-oss-copy-source")
    return plain(bucket), plain(key)


def same_version(version: str | None) -> None:
    """Buckets here are not versioned: their objects have the one version ``null``."""
    if version not in {None, "null"}:
        raise OssError("NoSuchVersion", VersionId=str(version))
