"""Listing equals a small model of it: byte order, prefixes, groups, pages; versions 1 and 2."""

from __future__ import annotations

import io
import itertools
from typing import TYPE_CHECKING

import oss2
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

if TYPE_CHECKING:
    from tests.contract.oss.conftest import Cloud

KEYS = st.sets(st.text("ab/-日\U0001f600\ufffd", min_size=1, max_size=6), max_size=12)
TERMS = {"keys": KEYS, "prefix": st.sampled_from(["", "a", "a/", "b/a", "日", "\U0001f600", "zz"])}
TERMS |= {"delimiter": st.sampled_from(["", "/", "a", "//"]), "limit": st.integers(1, 5)}
NUMBERS = itertools.count()


def expected(keys: set[str], prefix: str, delimiter: str) -> list[str]:
    """The names in order: keys, and groups in place of the keys they hold."""
    names: list[str] = []
    for key in sorted((key for key in keys if key.startswith(prefix)), key=str.encode):
        head, found, _ = key[len(prefix) :].partition(delimiter) if delimiter else (key, "", "")
        name = prefix + head + found if found else key
        if name not in names[-1:]:
            names.append(name)
    return names


def filled(cloud: Cloud, keys: set[str]) -> str:
    """A fresh bucket with these keys."""
    name = f"bucket-{next(NUMBERS)}"
    cloud.buckets.create_bucket(name)
    for key in keys:
        cloud.buckets.put(name, key, io.BytesIO(b""))
    return name


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(**TERMS)
def test_pages_of_the_index(lasting_cloud: Cloud, keys: set[str], prefix: str, delimiter: str, limit: int) -> None:
    """Page after page gives the model's names, each once; every page but the last is full; any key is a marker."""
    bucket, names, marker = filled(lasting_cloud, keys), [], ""
    while True:
        page = lasting_cloud.buckets.page(bucket, prefix=prefix, marker=marker, delimiter=delimiter, limit=limit)
        assert len(names) <= len(keys), "pages repeat themselves"
        names += sorted([*(one.key for one in page.objects), *page.prefixes], key=str.encode)
        if not page.truncated:
            break
        assert len(page) == limit
        marker = page.last
    assert names == expected(keys, prefix, delimiter)
    for marker in keys:
        page = lasting_cloud.buckets.page(bucket, prefix=prefix, marker=marker, delimiter="", limit=1000)
        later = {key for key in keys if key.encode() > marker.encode()}
        assert [one.key for one in page.objects] == expected(later, prefix, "")


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(**TERMS)
def test_pages_of_the_client(lasting_cloud: Cloud, keys: set[str], prefix: str, delimiter: str, limit: int) -> None:
    """oss2's iterators over both versions, by both signatures, give the model's names."""
    name = filled(lasting_cloud, keys)
    wanted = expected(keys, prefix, delimiter)
    for way, iterator in (("v1", oss2.ObjectIterator), ("v4", oss2.ObjectIteratorV2)):
        client = lasting_cloud.client(lasting_cloud.auth(way), name)
        pages = iterator(client, prefix=prefix, delimiter=delimiter, max_keys=limit)
        found = [one.key for one in itertools.islice(pages, len(keys) + 1)]
        client.session.session.close()
        assert sorted(found, key=str.encode) == wanted


def test_what_a_listing_says(bucket: oss2.Bucket) -> None:
    """Each entry has size, ETag, type and time as HEAD has them; owners where they are asked for."""
    etag = bucket.put_object("日/a b", b"12345").etag
    head = bucket.head_object("日/a b")
    first, second = bucket.list_objects(), bucket.list_objects_v2(fetch_owner=True)
    for found in (first.object_list[0], second.object_list[0]):
        assert (found.key, found.size, found.etag, found.type) == ("日/a b", 5, etag, "Normal")
        assert (found.last_modified, found.owner.id) == (head.last_modified, "1000000000000001")
    assert bucket.list_objects_v2().object_list[0].owner is None


def test_start_after(bucket: oss2.Bucket) -> None:
    """Version 2 starts after a key that need not exist."""
    for key in "abc":
        bucket.put_object(key, b"")
    assert [one.key for one in bucket.list_objects_v2(start_after="aa").object_list] == ["b", "c"]
    assert [one.key for one in bucket.list_objects(marker="b").object_list] == ["c"]


def test_without_encoding(bucket: oss2.Bucket) -> None:
    """Keys are written plainly where no URL encoding is asked for."""
    bucket.put_object("a b+%<&>日", b"")
    found = bucket.list_objects_v2(encoding_type="")
    assert [one.key for one in found.object_list] == ["a b+%<&>日"]


@pytest.mark.parametrize("bad", [{"max_keys": 0}, {"max_keys": 1001}, {"max_keys": "x"}, {"encoding_type": "b64"}])
def test_bad_arguments(client: oss2.Bucket, bad: dict[str, object]) -> None:
    """Arguments that OSS refuses are InvalidArgument."""
    with pytest.raises(oss2.exceptions.InvalidArgument):
        client.list_objects_v2(**bad)
    with pytest.raises(oss2.exceptions.InvalidArgument):
        client.list_objects_v2(continuation_token="日")


def test_a_group_costs_one_look_up(lasting_cloud: Cloud) -> None:
    """Groups are skipped, not read: ten groups of 300 keys are a page of ten names."""
    bucket = filled(lasting_cloud, {f"v{version}/{number:03}" for version in range(10) for number in range(300)})
    page = lasting_cloud.buckets.page(bucket, prefix="", marker="", delimiter="/", limit=10)
    assert (page.prefixes, page.truncated) == ([f"v{version}/" for version in range(10)], False)
    assert sum(1 for _ in lasting_cloud.buckets.list(bucket, "v3/")) == 300
    assert sum(1 for _ in lasting_cloud.buckets.list(bucket)) == 3000
