"""Which operation a request asks for: by method, what it is about, and its query."""

from __future__ import annotations

from typing import TYPE_CHECKING

from junbi.emulator.oss import bucket_operations as on_bucket
from junbi.emulator.oss import list_operations as listing
from junbi.emulator.oss import object_operations as on_object
from junbi.emulator.oss import upload_operations as on_upload
from junbi.emulator.oss.errors import OssError

if TYPE_CHECKING:
    from junbi.emulator.oss.call import Call
    from junbi.emulator.oss.service import Operation

_SOURCE = "x-oss-copy-source"

#: Method, what must be in the query (or, of the copy source, in the headers), OSS's name for it, the operation.
#: The first that fits is meant.
_Routes = list[tuple[str, frozenset[str], str, "Operation"]]

_BUCKET: _Routes = [
    ("GET", frozenset({"bucketInfo"}), "GetBucketInfo", on_bucket.get_bucket_info),
    ("GET", frozenset({"location"}), "GetBucketLocation", on_bucket.get_bucket_location),
    ("GET", frozenset({"acl"}), "GetBucketAcl", on_bucket.get_bucket_acl),
    ("GET", frozenset({"stat"}), "GetBucketStat", on_bucket.get_bucket_stat),
    ("GET", frozenset({"uploads"}), "ListMultipartUploads", on_upload.list_multipart_uploads),
    ("GET", frozenset({"list-type"}), "ListObjectsV2", listing.list_objects_v2),
    ("GET", frozenset(), "ListObjects", listing.list_objects),
    ("PUT", frozenset(), "PutBucket", on_bucket.put_bucket),
    ("POST", frozenset({"delete"}), "DeleteMultipleObjects", on_object.delete_objects),
    ("DELETE", frozenset(), "DeleteBucket", on_bucket.delete_bucket),
]
_OBJECT: _Routes = [
    ("GET", frozenset({"uploadId"}), "ListParts", on_upload.list_parts),
    ("GET", frozenset(), "GetObject", on_object.get_object),
    ("HEAD", frozenset({"objectMeta"}), "GetObjectMeta", on_object.head_object),
    ("HEAD", frozenset(), "HeadObject", on_object.head_object),
    ("PUT", frozenset({"partNumber", "uploadId", _SOURCE}), "UploadPartCopy", on_upload.upload_part_copy),
    ("PUT", frozenset({"partNumber", "uploadId"}), "UploadPart", on_upload.upload_part),
    ("PUT", frozenset({_SOURCE}), "CopyObject", on_object.copy_object),
    ("PUT", frozenset(), "PutObject", on_object.put_object),
    ("POST", frozenset({"append"}), "AppendObject", on_object.append_object),
    ("POST", frozenset({"uploads"}), "InitiateMultipartUpload", on_upload.initiate_multipart_upload),
    ("POST", frozenset({"uploadId"}), "CompleteMultipartUpload", on_upload.complete_multipart_upload),
    ("DELETE", frozenset({"uploadId"}), "AbortMultipartUpload", on_upload.abort_multipart_upload),
    ("DELETE", frozenset(), "DeleteObject", on_object.delete_object),
]
_SERVICE: _Routes = [("GET", frozenset(), "ListBuckets", on_bucket.list_buckets)]

#: Sub-resources of OSS that the local one does not have: refused, so that nobody takes another answer for theirs.
_ABSENT = frozenset(
    """
    accessPoint asyncFetch callback cname comp cors encryption inventory lifecycle live logging metaQuery policy qos
    referer replication requestPayment restore style symlink tagging transferAcceleration versioning versions vod
    website worm x-oss-async-process x-oss-process
    """.split()  # noqa: SIM905 - words read better than a list of literals
)


def operation_of(call: Call) -> tuple[str, Operation]:
    """OSS's name for the operation, and what carries it out. ``NotImplemented``, ``MethodNotAllowed``."""
    routes = _OBJECT if call.key else _BUCKET if call.bucket else _SERVICE
    given = frozenset(call.query) | (frozenset({_SOURCE}) & frozenset(call.headers))
    written_acl = "acl" in given and (call.key or call.method != "GET")
    if given & _ABSENT or written_acl:
        raise OssError("NotImplemented")
    for method, needed, name, operation in routes:
        if method == call.method and needed <= given:
            return name, operation
    raise OssError("MethodNotAllowed", Method=call.method)
