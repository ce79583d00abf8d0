"""Ordered faults strike by operation, before or after the effect."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import oss2
import pytest

from junbi.emulator.faults import Fault

if TYPE_CHECKING:
    from tests.contract.oss.conftest import Cloud


def test_an_error_before(cloud: Cloud, client: oss2.Bucket) -> None:
    """An error before the effect is answered as ordered, and nothing happens; only so often as ordered."""
    cloud.faults.order(Fault("oss.PutObject", status=503, code="ServiceUnavailable", message="later", times=2))
    for _ in range(2):
        with pytest.raises(oss2.exceptions.ServerError) as refused:
            client.put_object("a", b"x")
        assert (refused.value.status, refused.value.code, refused.value.message) == (503, "ServiceUnavailable", "later")
    assert cloud.events == []
    assert not client.object_exists("a")
    client.put_object("a", b"x")


def test_an_error_after(cloud: Cloud, client: oss2.Bucket) -> None:
    """An error after the effect hides that it happened."""
    cloud.faults.order(Fault("oss.PutObject", when="after"))
    with pytest.raises(oss2.exceptions.ServerError) as refused:
        client.put_object("a", b"x")
    assert (refused.value.status, refused.value.code) == (500, "InternalError")
    assert client.get_object("a").read() == b"x"
    assert cloud.names() == ["ObjectCreated:PutObject"]


@pytest.mark.parametrize(("when", "stored"), [("before", False), ("after", True)])
@pytest.mark.parametrize(("effect", "seconds"), [("close", 0), ("hang", 0.3)])
def test_no_answer(cloud: Cloud, client: oss2.Bucket, when: str, effect: str, seconds: float, *, stored: bool) -> None:
    """The connection is cut without a byte, at once or after a while; the next request is served."""
    cloud.faults.order(Fault("oss.PutObject", when=when, effect=effect, seconds=seconds))
    began = time.monotonic()
    with pytest.raises(oss2.exceptions.RequestError, match="without response"):
        client.put_object("a", b"x")
    assert time.monotonic() - began >= seconds
    assert client.object_exists("a") == stored


def test_a_delay(cloud: Cloud, client: oss2.Bucket) -> None:
    """A delayed request is carried out all the same."""
    cloud.faults.order(Fault("oss.GetObject", when="after", effect="delay", seconds=0.3))
    client.put_object("a", b"x")
    began = time.monotonic()
    assert client.get_object("a").read() == b"x"
    assert time.monotonic() - began >= 0.3


OPERATIONS = {
    "ListBuckets": lambda one: oss2.Service(one.auth, one.endpoint, one.session, region=one.region).list_buckets(),
    "PutBucket": lambda one: one.create_bucket(),
    "GetBucketInfo": lambda one: one.get_bucket_info(),
    "GetBucketLocation": lambda one: one.get_bucket_location(),
    "GetBucketAcl": lambda one: one.get_bucket_acl(),
    "GetBucketStat": lambda one: one.get_bucket_stat(),
    "DeleteBucket": lambda one: one.delete_bucket(),
    "ListObjects": lambda one: one.list_objects(),
    "ListObjectsV2": lambda one: one.list_objects_v2(),
    "ListMultipartUploads": lambda one: one.list_multipart_uploads(),
    "DeleteMultipleObjects": lambda one: one.batch_delete_objects(["a"]),
    "GetObject": lambda one: one.get_object("a"),
    "HeadObject": lambda one: one.head_object("a"),
    "GetObjectMeta": lambda one: one.get_object_meta("a"),
    "DeleteObject": lambda one: one.delete_object("a"),
    "CopyObject": lambda one: one.copy_object("vision-data", "a", "b"),
    "AppendObject": lambda one: one.append_object("a", 0, b""),
    "InitiateMultipartUpload": lambda one: one.init_multipart_upload("a"),
    "UploadPart": lambda one: one.upload_part("a", "id", 1, b""),
    "UploadPartCopy": lambda one: one.upload_part_copy("vision-data", "a", None, "b", "id", 1),
    "ListParts": lambda one: one.list_parts("a", "id"),
    "CompleteMultipartUpload": lambda one: one.complete_multipart_upload("a", "id", []),
    "AbortMultipartUpload": lambda one: one.abort_multipart_upload("a", "id"),
}


@pytest.mark.parametrize("operation", OPERATIONS)
def test_operations_have_their_names(cloud: Cloud, client: oss2.Bucket, operation: str) -> None:
    """Each operation is struck under OSS's own name for it, HEAD requests too."""
    cloud.faults.order(Fault(f"oss.{operation}", status=418, code="Struck"))
    with pytest.raises(oss2.exceptions.ServerError) as refused:
        OPERATIONS[operation](client)
    assert (refused.value.status, refused.value.code) == (418, "Struck")
    assert cloud.faults.pending() == []
