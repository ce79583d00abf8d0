"""Keys of every kind come back exactly as they were given: encoded once, decoded once, never more."""

from __future__ import annotations

from typing import TYPE_CHECKING

import oss2
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.contract.oss.conftest import Cloud

AWKWARD = [
    "a b/c d",
    "a+b",
    "100%",
    "a%20b",
    "a%2Fb",
    "a%252Fb",
    "%E6%97%A5",
    "a//b",
    "//",
    "/lead",
    "folder/",
    "../up",
    "a/../b",
    "a/./b",
    "日本語/手書き数字.csv",
    "😀.txt",
    "é",
    "e\u0301",
    "a\tb\nc\r\x00\x7f",
    "?a=b&c=d#e",
    "a;b,c:d@e!$'()*[]",
    "\"quoted\" <&> 'it'",
    "$(touch x)",
    "a b;rm",
    "x" * 1023,
]
UNICODE = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=40)
DENSE = st.text(st.sampled_from(" +%/.2Fb?&=#\\~日😀é\u0301"), min_size=1, max_size=20)


def usable(key: str) -> bool:
    """Keys that OSS takes and that requests, under oss2, does not take for a relative path."""
    return len(key.encode()) <= 1023 and not key.startswith("\\") and key not in {".", ".."}


@pytest.fixture(scope="module")
def pair(lasting_cloud: Cloud) -> Iterator[tuple[oss2.Bucket, oss2.Bucket]]:
    """Two clients, one per signature version."""
    return lasting_cloud.client(lasting_cloud.auth("v1")), lasting_cloud.client(lasting_cloud.auth("v4"))


def round_trip(bucket: oss2.Bucket, key: str) -> None:
    """Put, read, list, copy and delete under one key, and none other."""
    body = key.encode()
    bucket.put_object(key, body)
    assert bucket.get_object(key).read() == body
    assert bucket.object_exists(key)
    assert [one.key for one in bucket.list_objects_v2().object_list] == [key]
    assert [one.key for one in bucket.list_objects(prefix=key).object_list] == [key]
    bucket.copy_object(bucket.bucket_name, key, key, headers={"x-oss-metadata-directive": "REPLACE"})
    assert bucket.get_object(key).read() == body
    bucket.delete_object(key)
    assert bucket.list_objects().object_list == []


@pytest.mark.parametrize("key", AWKWARD)
def test_awkward_keys(pair: tuple[oss2.Bucket, oss2.Bucket], key: str) -> None:
    """BC-61, BC-62, BC-65: spaces, plus, percent, encoded slashes and dots mean themselves."""
    for bucket in pair:
        round_trip(bucket, key)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(key=st.one_of(UNICODE, DENSE).filter(usable))
def test_any_key(pair: tuple[oss2.Bucket, oss2.Bucket], key: str) -> None:
    """BC-67, BC-70: any Unicode text is a key of its own, by both signature versions."""
    for bucket in pair:
        round_trip(bucket, key)


@pytest.mark.parametrize("key", AWKWARD)
def test_presigned_urls(pair: tuple[oss2.Bucket, oss2.Bucket], key: str) -> None:
    """A presigned URL reaches exactly its key."""
    for bucket in pair:
        bucket.put_object_with_url(bucket.sign_url("PUT", key.replace("?", "-"), 60), key.encode())
        url = bucket.sign_url("GET", key.replace("?", "-"), 60)
        assert bucket.get_object_with_url(url).read() == key.encode()
        bucket.delete_object(key.replace("?", "-"))


def test_slashes_may_stay_plain(pair: tuple[oss2.Bucket, oss2.Bucket]) -> None:
    """A URL whose slashes are not encoded reaches the same key, double ones too."""
    for bucket in pair:
        bucket.put_object("a//b/日 本", b"x")
        url = bucket.sign_url("GET", "a//b/日 本", 60, slash_safe=True)
        assert bucket.get_object_with_url(url).read() == b"x"
        bucket.delete_object("a//b/日 本")


@pytest.mark.parametrize("key", ["x" * 1024, "語" * 342, "\\a"])
def test_keys_that_oss_refuses(pair: tuple[oss2.Bucket, oss2.Bucket], key: str) -> None:
    """More than 1,023 bytes of UTF-8 and a leading backslash are InvalidObjectName."""
    with pytest.raises(oss2.exceptions.InvalidObjectName):
        pair[1].put_object(key, b"")


def test_a_path_that_is_no_text(pair: tuple[oss2.Bucket, oss2.Bucket]) -> None:
    """Bytes that are no UTF-8 are InvalidObjectName, not another key."""
    url = f"{pair[0].endpoint}/{pair[0].bucket_name}/%FF"
    with pytest.raises(oss2.exceptions.InvalidObjectName):
        pair[0].get_object_with_url(url)
