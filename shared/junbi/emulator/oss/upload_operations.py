"""Operations on multipart uploads. Source: OSS API reference."""

from __future__ import annotations

from typing import TYPE_CHECKING

from junbi.emulator.oss.answers import empty, xml
from junbi.emulator.oss.blobs import pieces_of
from junbi.emulator.oss.conditions import check_conditions, wanted_range
from junbi.emulator.oss.listing import group_of
from junbi.emulator.oss.markup import Names, moment, parse_complete
from junbi.emulator.oss.object_operations import source_of
from junbi.emulator.oss.uploads import MAX_PARTS

if TYPE_CHECKING:
    from flask import Response

    from junbi.emulator.oss.call import Call
    from junbi.emulator.oss.markup import Children
    from junbi.emulator.oss.model import Part, Upload
    from junbi.emulator.oss.service import Service


def initiate_multipart_upload(service: Service, call: Call) -> Response:
    """InitiateMultipartUpload."""
    names = Names(call)
    upload = service.uploads.start(call.bucket, call.key, call.kept_headers)
    service.notices.part(call, "ObjectCreated:InitiateMultipartUpload")
    terms: Children = [("Bucket", call.bucket), ("Key", names(call.key)), ("UploadId", upload.upload_id)]
    return xml("InitiateMultipartUploadResult", [*names.mark, *terms])


def _upload(service: Service, call: Call) -> Upload:
    return service.uploads.get(call.bucket, call.key, call.query["uploadId"])


def _part_number(call: Call) -> int:
    return call.number("partNumber", 0, 1, MAX_PARTS)


def upload_part(service: Service, call: Call) -> Response:
    """UploadPart."""
    number, upload = _part_number(call), _upload(service, call)
    draft = service.buckets.receive(call.bucket, call.key, pieces_of(call.body), call.md5)
    part = service.uploads.put_part(upload, number, draft)
    service.notices.part(call, "ObjectCreated:UploadPart", size=part.size, etag=part.etag)
    return empty(headers={"ETag": f'"{part.etag}"', "x-oss-hash-crc64ecma": str(part.crc64)})


def upload_part_copy(service: Service, call: Call) -> Response:
    """UploadPartCopy: a part from an object that is there, or from a range of it."""
    number, upload = _part_number(call), _upload(service, call)
    found, stream = service.buckets.fetch(*source_of(call))
    with stream:
        check_conditions(found, call.headers, "x-oss-copy-source-")
        asked = call.headers.get("x-oss-copy-source-range", "")
        start, length = wanted_range(asked, found.size) or (0, found.size)
        stream.seek(start)
        draft = service.buckets.receive(call.bucket, call.key, pieces_of(stream, length))
    part = service.uploads.put_part(upload, number, draft)
    service.notices.part(call, "ObjectCreated:UploadPartCopy", size=part.size, etag=part.etag)
    answer = xml("CopyPartResult", [("LastModified", moment(part.last_modified)), ("ETag", f'"{part.etag}"')])
    answer.headers["ETag"] = f'"{part.etag}"'
    return answer


def list_parts(service: Service, call: Call) -> Response:
    """ListParts, page by page."""
    names, upload = Names(call), _upload(service, call)
    marker, limit = call.number("part-number-marker", 0, 0, MAX_PARTS), call.number("max-parts", 1000, 1, 1000)
    rest = [part for part in service.uploads.parts(upload.upload_id) if part.number > marker]
    shown = rest[:limit]
    terms: Children = [
        *names.mark,
        ("Bucket", call.bucket),
        ("Key", names(call.key)),
        ("UploadId", upload.upload_id),
        ("PartNumberMarker", str(marker)),
        ("NextPartNumberMarker", str(shown[-1].number if shown else marker)),
        ("MaxParts", str(limit)),
        ("IsTruncated", str(len(rest) > limit).lower()),
    ]
    return xml("ListPartsResult", [*terms, *(("Part", _part(part)) for part in shown)])


def _part(part: Part) -> Children:
    return [
        ("PartNumber", str(part.number)),
        ("LastModified", moment(part.last_modified)),
        ("ETag", f'"{part.etag}"'),
        ("Size", str(part.size)),
        ("HashCrc64ecma", str(part.crc64)),
    ]


def list_multipart_uploads(service: Service, call: Call) -> Response:
    """ListMultipartUploads, page by page, rolled up at a delimiter."""
    names, query = Names(call), call.query
    prefix, delimiter = query.get("prefix", ""), query.get("delimiter", "")
    after = (query.get("key-marker", ""), query.get("upload-id-marker", ""))
    limit = call.number("max-uploads", 1000, 1, 1000)
    entries = _entries(service.uploads.all(call.bucket, prefix), prefix, delimiter)
    rest = [(name, number, upload) for name, number, upload in entries if _beyond((name, number), after)]
    shown = rest[:limit]
    last_key, last_id = shown[-1][:2] if shown else ("", "")
    terms: Children = [
        *names.mark,
        ("Bucket", call.bucket),
        ("KeyMarker", names(after[0])),
        ("UploadIdMarker", after[1]),
        ("NextKeyMarker", names(last_key)),
        ("NextUploadIdMarker", last_id),
        ("Delimiter", names(delimiter)),
        ("Prefix", names(prefix)),
        ("MaxUploads", str(limit)),
        ("IsTruncated", str(len(rest) > limit).lower()),
    ]
    return xml("ListMultipartUploadsResult", terms + [_entry(names, name, upload) for name, _, upload in shown])


def _entries(uploads: list[Upload], prefix: str, delimiter: str) -> list[tuple[str, str, Upload | None]]:
    """Uploads by key and id, and groups once each, in order."""
    entries: dict[tuple[str, str], Upload | None] = {}
    for upload in uploads:
        group = group_of(upload.key, prefix, delimiter)
        entries[(group, "") if group else (upload.key, upload.upload_id)] = None if group else upload
    return [(name, number, upload) for (name, number), upload in entries.items()]


def _beyond(name: tuple[str, str], after: tuple[str, str]) -> bool:
    key, marker = name[0].encode(), after[0].encode()
    return key > marker or (key == marker and bool(after[1]) and name[1] > after[1])


def _entry(names: Names, name: str, upload: Upload | None) -> tuple[str, Children]:
    if upload is None:
        return ("CommonPrefixes", [("Prefix", names(name))])
    initiated = moment(upload.initiated)
    return ("Upload", [("Key", names(name)), ("UploadId", upload.upload_id), ("Initiated", initiated)])


def complete_multipart_upload(service: Service, call: Call) -> Response:
    """CompleteMultipartUpload, of the listed parts, or of all with ``x-oss-complete-all: yes``."""
    names, body, everything = Names(call), call.small_body(), call.headers.get("x-oss-complete-all") == "yes"
    upload = _upload(service, call)
    change = service.uploads.complete(upload, None if everything else parse_complete(body), only_new=call.only_new)
    service.notices.created(call, "CompleteMultipartUpload", change)
    terms: Children = [("Bucket", call.bucket), ("Key", names(call.key)), ("ETag", f'"{change.after.etag}"')]
    answer = xml("CompleteMultipartUploadResult", [*names.mark, ("Location", f"/{call.bucket}"), *terms])
    answer.headers["x-oss-hash-crc64ecma"] = str(change.after.crc64)
    answer.headers["ETag"] = f'"{change.after.etag}"'
    return answer


def abort_multipart_upload(service: Service, call: Call) -> Response:
    """AbortMultipartUpload."""
    service.uploads.abort(_upload(service, call))
    service.notices.part(call, "ObjectRemoved:AbortMultipartUpload")
    return empty(204)
