"""The local OSS without its HTTP: buckets and objects, durable on disk at each return."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, BinaryIO, TypeVar

from junbi.emulator.oss import listing
from junbi.emulator.oss.blobs import Blobs, pieces_of
from junbi.emulator.oss.errors import OssError
from junbi.emulator.oss.index import Index, utc
from junbi.emulator.oss.model import Bucket, Change, StoredObject
from junbi.emulator.oss.names import check_bucket_name, key_bytes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from datetime import datetime
    from pathlib import Path

    from junbi.emulator.clock import Clock
    from junbi.emulator.oss.blobs import Draft

T = TypeVar("T")


class Buckets:
    """All buckets and what is in them. Safe to use from many threads of one process.

    A write has happened when its method returns; killed before that, it happened wholly or not at all. A full disk
    raises OSError or sqlite3.OperationalError and changes nothing. Refusals are ``OssError`` with OSS's own codes.

    Args:
        directory: made if it is not there. RuntimeError where another process (or an open ``Buckets``) uses it.
        clock: dates objects, by the emulated time.
    """

    def __init__(self, directory: Path, clock: Clock) -> None:
        self._clock = clock
        self.blobs = Blobs(directory)
        self.index = Index(directory / "index.sqlite3")
        self.blobs.recover(self.index.named)

    def now(self) -> datetime:
        """The emulated time in whole seconds, UTC."""
        return self._clock.now().replace(microsecond=0)

    def create_bucket(self, name: str) -> bool:
        """Make a bucket; False where it exists already. ``InvalidBucketName``."""
        check_bucket_name(name)
        made = self.index.write("INSERT OR IGNORE INTO bucket VALUES (?, ?)", name, int(self.now().timestamp()))
        return made == 1

    def bucket(self, name: str) -> Bucket:
        """A bucket. ``NoSuchBucket``."""
        rows = self.index.rows("SELECT name, created FROM bucket WHERE name=?", name)
        if not rows:
            raise OssError("NoSuchBucket", BucketName=name)
        return Bucket(rows[0][0], utc(rows[0][1]))

    def buckets(self) -> list[Bucket]:
        """All buckets, by name."""
        return [Bucket(name, utc(at)) for name, at in self.index.rows("SELECT name, created FROM bucket ORDER BY name")]

    def delete_bucket(self, name: str) -> None:
        """Delete an empty bucket. ``NoSuchBucket``, ``BucketNotEmpty``."""
        held = "SELECT 1 FROM object WHERE bucket=?1 UNION ALL SELECT 1 FROM upload WHERE bucket=?1 LIMIT 1"
        with self.index.transaction():
            self.bucket(name)
            if self.index.rows(held, name):
                raise OssError("BucketNotEmpty", BucketName=name)
            self.index.write("DELETE FROM bucket WHERE name=?", name)

    def totals(self, name: str) -> tuple[int, int]:
        """Bytes and number of a bucket's objects. ``NoSuchBucket``."""
        self.bucket(name)
        size, count = self.index.rows("SELECT coalesce(sum(size), 0), count(*) FROM object WHERE bucket=?", name)[0]
        return size, count

    def put(self, bucket: str, key: str, stream: BinaryIO) -> StoredObject:
        """Store an object, replacing the one of this name. ``NoSuchBucket``, ``InvalidObjectName``."""
        return self.store(bucket, key, self.receive(bucket, key, pieces_of(stream)), headers={}).after

    def open(self, bucket: str, key: str) -> BinaryIO:
        """An object's content, seekable, as it is now whatever happens to it later. ``NoSuchKey``."""
        return self.fetch(bucket, key)[1]

    def list(self, bucket: str, prefix: str = "") -> Iterator[StoredObject]:
        """Every object whose key starts with the prefix, in OSS's order. ``NoSuchBucket`` at once."""
        self.bucket(bucket)
        return listing.walk(self.index, bucket, prefix)

    def page(self, bucket: str, *, prefix: str, marker: str, delimiter: str, limit: int) -> listing.Page:
        """Up to ``limit`` names greater than the marker, rolled up at the delimiter. ``NoSuchBucket``."""
        self.bucket(bucket)
        return listing.page(self.index, bucket, prefix=prefix, marker=marker, delimiter=delimiter, limit=limit)

    def head(self, bucket: str, key: str) -> StoredObject:
        """What is known of an object. ``NoSuchBucket``, ``NoSuchKey``."""
        raw = key_bytes(key)
        self.bucket(bucket)
        found = self.index.object(bucket, raw)
        if found is None:
            raise OssError("NoSuchKey", Key=key)
        return found

    def fetch(self, bucket: str, key: str) -> tuple[StoredObject, BinaryIO]:
        """An object with its content, which belong together."""
        return self.using(bucket, key, lambda found: (found, self.blobs.open(found.blob, 0, found.size)))

    def using(self, bucket: str, key: str, use: Callable[[StoredObject], T]) -> T:
        """Look an object up and use its content; again where it was replaced in between."""
        while True:
            found = self.head(bucket, key)
            try:
                return use(found)
            except FileNotFoundError:
                if self.index.object(bucket, key.encode()) == found:
                    raise

    def receive(self, bucket: str, key: str, pieces: Iterable[bytes], md5: bytes | None = None) -> Draft:
        """Take content in for a key without making it an object yet. ``InvalidDigest`` where its MD5 is another."""
        key_bytes(key)
        self.bucket(bucket)
        draft = self.blobs.receive(pieces)
        if md5 is not None and md5 != draft.md5:
            self.blobs.drop([draft.blob])
            raise OssError("InvalidDigest")
        return draft

    def store(
        self, bucket: str, key: str, draft: Draft, *, headers: Mapping[str, str], only_new: bool = False
    ) -> Change:
        """Make received content an object. ``FileAlreadyExists`` where ``only_new`` and there is one."""
        made = StoredObject(
            bucket, key, draft.size, draft.etag, self.now(), crc64=draft.crc64, headers=dict(headers), blob=draft.blob
        )
        return self.commit(made, only_new=only_new)

    def copy(
        self,
        source: tuple[str, str],
        target: tuple[str, str],
        *,
        headers: Mapping[str, str] | None = None,
        only_new: bool = False,
        check: Callable[[StoredObject], None] = lambda _: None,
    ) -> Change:
        """Copy an object (bucket, key), with its own headers unless others are given; ``check`` may refuse it."""
        bucket, key = target
        key_bytes(key)
        self.bucket(bucket)

        def link(found: StoredObject) -> StoredObject:
            check(found)
            return replace(found, blob=self.blobs.link(found.blob))

        made = replace(self.using(*source, link), bucket=bucket, key=key, last_modified=self.now())
        made = replace(made, kind="Normal" if made.kind == "Appendable" else made.kind)
        return self.commit(made if headers is None else replace(made, headers=dict(headers)), only_new=only_new)

    def delete(self, bucket: str, key: str) -> StoredObject | None:
        """Delete an object; what it was, or None where there was none. ``NoSuchBucket``."""
        raw = key_bytes(key)
        with self.index.transaction():
            self.bucket(bucket)
            before = self.index.object(bucket, raw)
            if before:
                self.blobs.doubt([before.blob])
                self.index.write("DELETE FROM object WHERE bucket=? AND key=?", bucket, raw)
        self.blobs.drop([before.blob] if before else [])
        return before

    def commit(
        self, made: StoredObject, *, only_new: bool = False, also: Callable[[], Iterable[str]] = tuple
    ) -> Change:
        """Give a key its new object. ``also`` runs in the same transaction and names blobs given up with it."""
        try:
            with self.index.transaction():
                before = self._make_way(made, only_new=only_new)
                given_up = [*also(), *([before.blob] if before else [])]
                self.blobs.doubt(given_up)
                self.index.put_object(made)
        except BaseException:
            self.blobs.drop([made.blob])
            raise
        self.blobs.settle([made.blob])
        self.blobs.drop(given_up)
        return Change(before, made)

    def _make_way(self, made: StoredObject, *, only_new: bool) -> StoredObject | None:
        self.bucket(made.bucket)
        before = self.index.object(made.bucket, made.key.encode())
        if before and only_new:
            raise OssError("FileAlreadyExists", Key=made.key)
        return before

    def close(self) -> None:
        """Close the files and let another process use the directory."""
        self.index.close()
        self.blobs.close()
