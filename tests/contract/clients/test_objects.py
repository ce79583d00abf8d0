"""OSS: our client against the local service."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from junbi.clients.credentials import Credentials
from junbi.clients.objects import ObjectStore, Page
from junbi.emulator.faults import Fault
from junbi.errors import NotDone, OutcomeUnknown, Refused

BUCKET = "vision-data"
KEYS = [
    "digits/v1/a b+c%20.png", "digits/v1/日本語/画像 1.png", "digits/v1/😀.png", "digits/v1/a&b=c?d#e.png",
    "digits/v1/<x>'\"y\".png", "digits/v1/back\\slash", "digits/v1/é", "digits/v1/tab\there", "digits/v2/ü/ü",
    "digits/v1/_SUCCESS", "digits/v1/dir/", "digits/v1/~tilde*star",
]  # fmt: skip


@pytest.fixture
def bucket(cloud: Any) -> str:
    """An empty bucket."""
    cloud.buckets.create_bucket(BUCKET)
    return BUCKET


def everything(store: ObjectStore, limit: int, delimiter: str | None = None, prefix: str = "") -> list[Page]:
    """All pages of a listing."""
    pages = [store.list_page(BUCKET, prefix, None, limit, delimiter)]
    while pages[-1].next is not None:
        pages.append(store.list_page(BUCKET, prefix, pages[-1].next, limit, delimiter))
        assert len(pages) < 100
    return pages


class TestKeys:
    """Keys are any text."""

    @pytest.mark.parametrize("key", KEYS)
    def test_a_key_comes_back_as_it_went(self, cloud: Any, bucket: str, key: str) -> None:
        """Put, looked up and listed under the same plain text."""
        before = datetime.now(UTC) - timedelta(seconds=2)
        cloud.store.put(bucket, key, b"hello")
        found = cloud.store.head(bucket, key)
        (listed,) = cloud.store.list_page(bucket, key).objects
        assert found.key == listed.key == key
        assert found.size == listed.size == 5
        assert found.etag == listed.etag == "5D41402ABC4B2A76B9719D911017C592"
        assert found.last_modified == listed.last_modified
        assert before <= listed.last_modified <= datetime.now(UTC) + timedelta(seconds=2)

    @pytest.mark.parametrize("limit", [1, 2, 5, 1000])
    def test_pages_of_any_size_give_all_keys_once_in_order(self, cloud: Any, bucket: str, limit: int) -> None:
        """Every key once, in the order of its bytes, wherever the pages are cut."""
        for key in KEYS:
            cloud.store.put(bucket, key, b"")
        pages = everything(cloud.store, limit)
        listed = [item.key for page in pages for item in page.objects]
        assert listed == sorted(KEYS, key=str.encode)
        assert all(len(page.objects) <= limit for page in pages)

    @pytest.mark.parametrize("limit", [1, 2, 1000])
    def test_folders_are_folded_once_each(self, cloud: Any, bucket: str, limit: int) -> None:
        """With a delimiter each folder is told once, wherever the pages are cut."""
        for key in ("d/a/1", "d/a/2", "d/b/1", "d/c", "d/z/1", "d/日/1", "d/日/2"):
            cloud.store.put(bucket, key, b"")
        pages = everything(cloud.store, limit, "/", "d/")
        assert [prefix for page in pages for prefix in page.prefixes] == ["d/a/", "d/b/", "d/z/", "d/日/"]
        assert [item.key for page in pages for item in page.objects] == ["d/c"]

    def test_a_listing_can_begin_behind_any_key(self, cloud: Any, bucket: str) -> None:
        """A stored cursor goes on where it was, though its key is gone."""
        for key in ("a", "c", "d"):
            cloud.store.put(bucket, key, b"")
        assert [item.key for item in cloud.store.list_page(bucket, "", "b").objects] == ["c", "d"]


class TestFailures:
    """What is told where something is wrong."""

    def test_absence(self, cloud: Any, bucket: str) -> None:
        """No object is None, no bucket is a refusal, on every call."""
        assert cloud.store.head(bucket, "nothing") is None
        for call in (
            lambda: cloud.store.list_page("no-such-bucket", ""),
            lambda: cloud.store.put("no-such-bucket", "k", b""),
            lambda: cloud.store.head("no-such-bucket", "k"),
        ):
            with pytest.raises(Refused, match="NoSuchBucket"):
                call()

    def test_wrong_keys(self, cloud: Any, bucket: str) -> None:
        """A clear no."""
        store = ObjectStore(cloud.oss.url, "cn-hangzhou", Credentials("emulator", "wrong"))
        with pytest.raises(Refused):
            store.list_page(bucket, "")

    def test_short_lived_keys_work(self, cloud: Any, bucket: str) -> None:
        """The keys that a function gets per request sign calls, token included."""
        key = cloud.keys.issue("vision-reconcile")
        store = ObjectStore(cloud.oss.url, "cn-hangzhou", Credentials(key.key_id, key.secret, key.token))
        store.put(bucket, "k", b"x")
        assert store.head(bucket, "k").size == 1

    def test_a_reader_does_not_see_a_passing_fault(self, cloud: Any, bucket: str) -> None:
        """A listing outlives a server error and a broken connection."""
        cloud.store.put(bucket, "k", b"x")
        cloud.faults.order(Fault("oss.*", effect="error"))
        cloud.faults.order(Fault("oss.*", effect="close"))
        assert [item.key for item in cloud.store.list_page(bucket, "").objects] == ["k"]
        assert cloud.faults.pending() == []

    def test_a_put_is_told_as_it_was(self, cloud: Any, bucket: str) -> None:
        """Throttled is not done, a lost answer is unknown."""
        cloud.faults.order(Fault("oss.PutObject", status=503, code="QpsLimitExceeded"))
        with pytest.raises(NotDone):
            cloud.store.put(bucket, "k", b"x")
        assert cloud.store.head(bucket, "k") is None
        cloud.faults.order(Fault("oss.PutObject", when="after", effect="close"))
        with pytest.raises(OutcomeUnknown):
            cloud.store.put(bucket, "k", b"x")
        assert cloud.store.head(bucket, "k").size == 1
