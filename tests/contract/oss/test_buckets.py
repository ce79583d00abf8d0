"""The service and its buckets, by the unmodified oss2 client and by every way of signing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import oss2
import pytest

if TYPE_CHECKING:
    from tests.contract.oss.conftest import Cloud


def service(cloud: Cloud, bucket: oss2.Bucket) -> oss2.Service:
    """A service client that signs as the bucket's does and shares its connections."""
    return oss2.Service(bucket.auth, cloud.server.url, session=bucket.session, region="cn-hangzhou")


def test_a_buckets_life(cloud: Cloud, bucket: oss2.Bucket) -> None:
    """A bucket is created, described, listed and deleted; then it is NoSuchBucket."""
    other = cloud.client(bucket.auth, "other-bucket")
    other.create_bucket()
    assert other.get_bucket_info().name == "other-bucket"
    assert other.get_bucket_location().location == "oss-cn-hangzhou"
    assert other.get_bucket_acl().acl == "private"
    assert [one.name for one in service(cloud, bucket).list_buckets().buckets] == ["other-bucket", "vision-data"]
    other.delete_bucket()
    for use in (other.get_bucket_info, other.list_objects, other.list_objects_v2, other.delete_bucket):
        with pytest.raises(oss2.exceptions.NoSuchBucket):
            use()
    with pytest.raises(oss2.exceptions.NoSuchBucket):
        other.put_object("a", b"")


def test_pages_of_buckets(cloud: Cloud, client: oss2.Bucket) -> None:
    """ListBuckets pages by marker, under a prefix."""
    for number in range(5):
        cloud.buckets.create_bucket(f"run-{number}")
    one = service(cloud, client)
    assert [found.name for found in oss2.BucketIterator(one, prefix="run-", max_keys=2)] == [
        f"run-{number}" for number in range(5)
    ]


def test_what_is_refused(bucket: oss2.Bucket) -> None:
    """A taken name, a bad name and deleting a bucket in use are refused with OSS's codes."""
    with pytest.raises(oss2.exceptions.ServerError) as refused:
        bucket.create_bucket()
    assert (refused.value.status, refused.value.code) == (409, "BucketAlreadyExists")
    bucket.put_object("a", b"")
    with pytest.raises(oss2.exceptions.BucketNotEmpty):
        bucket.delete_bucket()
    bucket.delete_object("a")
    bucket.init_multipart_upload("a")
    with pytest.raises(oss2.exceptions.BucketNotEmpty):
        bucket.delete_bucket()
    with pytest.raises(oss2.exceptions.ServerError) as refused:
        bucket._do("PUT", "Not_A_Name", "")
    assert refused.value.code == "InvalidBucketName"


def test_totals(bucket: oss2.Bucket) -> None:
    """GetBucketStat counts objects, their bytes and the uploads under way."""
    bucket.put_object("a", b"12")
    bucket.put_object("b", b"345")
    bucket.init_multipart_upload("c")
    stat = bucket.get_bucket_stat()
    assert (stat.object_count, stat.storage_size_in_bytes, stat.multi_part_upload_count) == (2, 5, 1)


def test_what_the_local_oss_lacks(bucket: oss2.Bucket) -> None:
    """A sub-resource it does not have is refused, never taken for another request."""
    for use in (bucket.get_bucket_cors, bucket.get_bucket_lifecycle, bucket.get_bucket_versioning):
        with pytest.raises(oss2.exceptions.ServerError) as refused:
            use()
        assert (refused.value.status, refused.value.code) == (501, "NotImplemented")
    with pytest.raises(oss2.exceptions.ServerError) as refused:
        bucket.put_object_tagging("a", oss2.models.Tagging(oss2.models.TaggingRule()))
    assert refused.value.code == "NotImplemented"
