"""Operations on the service and on buckets. Source: OSS API reference."""

from __future__ import annotations

from typing import TYPE_CHECKING

from junbi.emulator.oss.answers import empty, xml
from junbi.emulator.oss.errors import OssError
from junbi.emulator.oss.markup import moment

if TYPE_CHECKING:
    from flask import Response

    from junbi.emulator.oss.call import Call
    from junbi.emulator.oss.markup import Children
    from junbi.emulator.oss.model import Bucket
    from junbi.emulator.oss.service import Service


def owner_element(service: Service) -> tuple[str, Children]:
    """The account, as every document names it."""
    return ("Owner", [("ID", service.owner), ("DisplayName", service.owner)])


def list_buckets(service: Service, call: Call) -> Response:
    """ListBuckets, page by page."""
    prefix, marker = call.query.get("prefix", ""), call.query.get("marker", "")
    limit = call.number("max-keys", 100, 1, 1000)
    rest = [one for one in service.buckets.buckets() if one.name.startswith(prefix) and one.name > marker]
    shown, truncated = rest[:limit], len(rest) > limit
    terms: Children = [("Prefix", prefix), ("Marker", marker), ("MaxKeys", str(limit))]
    terms += [("IsTruncated", str(truncated).lower())] + ([("NextMarker", shown[-1].name)] if truncated else [])
    listed: Children = [("Bucket", _summary(service, one)) for one in shown]
    return xml("ListAllMyBucketsResult", [*terms, owner_element(service), ("Buckets", listed)])


def _summary(service: Service, bucket: Bucket) -> Children:
    return [
        ("CreationDate", moment(bucket.created)),
        ("ExtranetEndpoint", f"oss-{service.region}.aliyuncs.com"),
        ("IntranetEndpoint", f"oss-{service.region}-internal.aliyuncs.com"),
        ("Location", f"oss-{service.region}"),
        ("Name", bucket.name),
        ("Region", service.region),
        ("StorageClass", "Standard"),
    ]


def put_bucket(service: Service, call: Call) -> Response:
    """PutBucket."""
    if not service.buckets.create_bucket(call.bucket):
        raise OssError("BucketAlreadyExists", BucketName=call.bucket)
    return empty(headers={"Location": f"/{call.bucket}"})


def delete_bucket(service: Service, call: Call) -> Response:
    """DeleteBucket."""
    service.buckets.delete_bucket(call.bucket)
    return empty(204)


def get_bucket_info(service: Service, call: Call) -> Response:
    """GetBucketInfo."""
    bucket = service.buckets.bucket(call.bucket)
    private: Children = [("Grant", "private")]
    children: Children = [*_summary(service, bucket), owner_element(service), ("AccessControlList", private)]
    return xml("BucketInfo", [("Bucket", [*children, ("DataRedundancyType", "LRS")])])


def get_bucket_location(service: Service, call: Call) -> Response:
    """GetBucketLocation."""
    service.buckets.bucket(call.bucket)
    return xml("LocationConstraint", f"oss-{service.region}")


def get_bucket_acl(service: Service, call: Call) -> Response:
    """GetBucketAcl: always private."""
    service.buckets.bucket(call.bucket)
    return xml("AccessControlPolicy", [owner_element(service), ("AccessControlList", [("Grant", "private")])])


def get_bucket_stat(service: Service, call: Call) -> Response:
    """GetBucketStat."""
    size, count = service.buckets.totals(call.bucket)
    uploads = len(service.uploads.all(call.bucket, ""))
    numbers = {"Storage": size, "ObjectCount": count, "MultipartUploadCount": uploads}
    return xml("BucketStat", [(name, str(number)) for name, number in numbers.items()])
