"""The buckets as a running job's mount writes them: what it puts raises the events that any other upload raises."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, BinaryIO

from junbi.emulator.oss.blobs import pieces_of
from junbi.emulator.oss.call import Call, new_request_id
from junbi.emulator.oss.notices import Notices

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from junbi.emulator.clock import Clock
    from junbi.emulator.oss.model import StoredObject
    from junbi.emulator.oss.state import Buckets


class MountedBuckets:
    """Lists and opens as ``Buckets`` does.

    Args:
        buckets: where the objects are.
        tell: gets each change as one native event record, after it is durable.
        clock: dates the records.
        region, owner: what the records say of the buckets.
    """

    def __init__(
        self, buckets: Buckets, tell: Callable[[dict[str, Any]], None], clock: Clock, region: str, owner: str
    ) -> None:
        self._buckets = buckets
        self._notices = Notices(tell, clock, region, owner)

    def list(self, bucket: str, prefix: str) -> Iterator[StoredObject]:
        """Every object whose key starts with the prefix."""
        return self._buckets.list(bucket, prefix)

    def open(self, bucket: str, key: str) -> BinaryIO:
        """An object's content."""
        return self._buckets.open(bucket, key)

    def put(self, bucket: str, key: str, stream: BinaryIO) -> StoredObject:
        """Store an object and tell of it."""
        received = self._buckets.receive(bucket, key, pieces_of(stream))
        change = self._buckets.store(bucket, key, received, headers={})
        call = Call("PUT", bucket, key, {}, {}, stream, "127.0.0.1", new_request_id())
        self._notices.created(call, "PutObject", change)
        return change.after
