"""OSS: list, put and look up objects. oss2 signs, encodes and parses; it is loaded at the first use."""

from __future__ import annotations

import atexit
import logging
import threading
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, TypeVar

from junbi.clients.oss_errors import translated
from junbi.clients.retry import reading
from junbi.errors import Refused

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from junbi.clients.credentials import Credentials

T = TypeVar("T")

#: Seconds for one call in all, its retries included.
DEADLINE = 20.0
#: Bytes that are read at once.
_PIECE = 1 << 18

_lock = threading.Lock()
_sessions: list[Any] = []


@dataclass(frozen=True, slots=True)
class ObjectInfo:
    """An object as OSS tells of it.

    Attributes:
        key: the plain text that OSS itself uses, never percent-encoded.
        size: bytes.
        etag: without quotes.
        last_modified: UTC, to the second.
        kind: how it was written (``Normal``, ``Multipart``, ``Appendable``, ``Symlink``); only a listing tells.
        crc64: CRC-64/ECMA of its content, decimal; only a look at the object itself tells.
    """

    key: str
    size: int
    etag: str
    last_modified: datetime
    kind: str = ""
    crc64: str = ""


@dataclass(frozen=True, slots=True)
class Page:
    """One page of a listing.

    Attributes:
        objects: in the order of their keys' UTF-8 bytes.
        prefixes: what lies behind the delimiter, folded; empty where no delimiter was given.
        next: what to pass as ``after`` for the next page; None at the end. Without a delimiter it is the last key.
    """

    objects: tuple[ObjectInfo, ...]
    prefixes: tuple[str, ...]
    next: str | None


class ObjectStore:
    """OSS in one region, as one caller. Cheap to make: connections are shared, credentials are not.

    Reads are repeated while that makes sense, within the deadline; a put is sent once. The deadline bounds each
    attempt's silence: a server that keeps sending a little may exceed it.

    Args:
        endpoint: ``https://host[:port]``, see ``endpoints``.
        region: such as ``cn-hangzhou``; part of the signature (V4).
        credentials: whose calls these are.
        deadline: seconds for one call.
    """

    def __init__(self, endpoint: str, region: str, credentials: Credentials, *, deadline: float = DEADLINE) -> None:
        self.endpoint, self.region, self.deadline = endpoint, region, deadline
        self._credentials = credentials

    def list_page(
        self, bucket: str, prefix: str, after: str | None = None, limit: int = 1000, delimiter: str | None = None
    ) -> Page:
        """One page of the keys that begin with ``prefix``.

        Args:
            bucket: its name.
            prefix: may be empty.
            after: ``next`` of the page before, or any key to begin behind.
            limit: entries at most, 1 to 1000.
            delimiter: folds the keys that go on behind it into prefixes.
        """
        # A key never begins with a slash (OSS naming rules), so what does is a token of the service. Tokens are
        # used where prefixes are folded: whether "behind a/b/" repeats the fold a/b/ is not documented.
        token, start = (after[1:], "") if after and after.startswith("/") else ("", after or "")

        def ask(store: Any) -> Any:
            return store.list_objects_v2(
                prefix=prefix, delimiter=delimiter or "", continuation_token=token, start_after=start, max_keys=limit
            )

        found = self._read("ListObjectsV2", bucket, ask)
        objects = tuple(
            ObjectInfo(item.key, item.size, item.etag, datetime.fromtimestamp(item.last_modified, UTC), item.type or "")
            for item in found.object_list
        )
        return Page(objects, tuple(found.prefix_list), _next(found, objects, folded=bool(delimiter)))

    def head(self, bucket: str, key: str) -> ObjectInfo | None:
        """An object, or None where there is none."""
        try:
            found = self._read("HeadObject", bucket, lambda store: store.head_object(key))
        except Refused as error:
            if error.status == 404 and error.code != "NoSuchBucket":  # noqa: PLR2004 - HTTP's own number
                return None
            raise
        modified = datetime.fromtimestamp(found.last_modified, UTC)
        crc64 = found.headers.get("x-oss-hash-crc64ecma", "")
        return ObjectInfo(key, found.content_length, found.etag, modified, crc64=crc64)

    def read(self, bucket: str, key: str) -> Iterator[bytes]:
        """An object's content, piece by piece; each piece's silence is bounded by the deadline.

        What fails in between is raised: the caller begins anew. Where the object is not there: Refused.
        """
        with translated("GetObject", self._credentials):
            answer = self._bucket(bucket, self.deadline).get_object(key)
            try:
                while piece := answer.read(_PIECE):
                    yield piece
            finally:
                answer.resp.response.close()

    def put(self, bucket: str, key: str, data: bytes) -> None:
        """Write an object, or replace it."""
        with translated("PutObject", self._credentials):
            self._bucket(bucket, self.deadline).put_object(key, data)

    def _read(self, operation: str, bucket: str, ask: Callable[[Any], T]) -> T:
        def once(seconds: float) -> T:
            with translated(operation, self._credentials):
                return ask(self._bucket(bucket, seconds))

        return reading(once, self.deadline)

    def _bucket(self, name: str, seconds: float) -> Any:
        import oss2  # 150 ms and 21 MiB
        from oss2.credentials import StaticCredentialsProvider

        keys = self._credentials
        provider = StaticCredentialsProvider(keys.key_id, keys.secret, keys.token or None)
        return oss2.Bucket(
            oss2.ProviderAuthV4(provider),
            self.endpoint,
            name,
            session=_session(),
            connect_timeout=seconds,
            region=self.region,
        )


def _next(found: Any, objects: tuple[ObjectInfo, ...], *, folded: bool) -> str | None:
    if not found.is_truncated:
        return None
    return f"/{found.next_continuation_token}" if folded or not objects else objects[-1].key


def _session() -> Any:
    """This process's connections to OSS."""
    with _lock:
        if not _sessions:
            import oss2

            logging.getLogger("oss2").setLevel(logging.WARNING)  # below that it logs signatures and tokens
            session = oss2.Session()
            session.session.trust_env = False
            atexit.register(session.session.close)
            _sessions.append(session)
        return _sessions[0]
