"""``complete: {manifest: NAME}``: the members are exactly what the manifest promises, or the reason names them."""

from __future__ import annotations

import hashlib
import json
import time
from typing import TYPE_CHECKING, Any

import pytest

from junbi.core.digest import Member
from junbi.core.facts import ArrivalState
from junbi.core.manifest import Comparison
from junbi.pipeline import close, scan
from junbi.pipeline.expected import Expected

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.pipeline.conftest import World

KEY = "digits:data/digits/v1/"
FILES = {"a.csv": b"one", "b/c d.csv": b"two", "é.csv": b"three"}


def declare(world: World, **more: Any) -> None:
    """Put a dataset with a manifest in force."""
    world.apply(world.generation([world.dataset(manifest="MANIFEST", **more)], [world.plan()]))


def put(world: World, files: dict[str, bytes], manifest: bytes) -> None:
    """Upload the files, the manifest last, and deliver the events."""
    for name, content in files.items():
        world.put(f"digits/v1/{name}", content)
    world.put("digits/v1/MANIFEST", manifest)
    world.deliver(world.records)
    world.records.clear()


def as_json(files: dict[str, bytes], kind: str = "md5", **wrong: Any) -> bytes:
    """A manifest in JSON, in no particular order."""
    listed = [
        {"key": name, "size": len(content), kind: hashlib.new(kind, content).hexdigest()} | wrong
        for name, content in sorted(files.items(), reverse=True)
    ]
    return json.dumps({"made_by": "a tool", "files": listed, "version": 12}).encode()


def lines(files: dict[str, bytes], kind: str = "md5") -> bytes:
    """A manifest as md5sum and sha256sum write it."""
    return b"".join(f"{hashlib.new(kind, content).hexdigest()}  ./{name}\n".encode() for name, content in files.items())


def state(world: World) -> tuple[ArrivalState, str, str]:
    """Where the upload stands, its reason's code and its message."""
    arrival = world.arrival()
    return (
        arrival.state,
        arrival.reason.code if arrival.reason else "",
        arrival.reason.message if arrival.reason else "",
    )


@pytest.mark.parametrize("form", [as_json, lines])
def test_what_is_promised_and_there_is_closed(world: World, form: Any) -> None:
    """In both forms, MD5s of what PutObject wrote are proved by the listing; the manifest is no member."""
    declare(world)
    put(world, FILES, form(FILES))
    world.settle(ticks=2)
    assert state(world) == (ArrivalState.CLOSED, "", "")
    assert [one.members for one in world.ledger.revisions.newest()] == [3]
    assert len(world.jobs) == 1


def test_bc_56_what_is_missing_extra_or_different_is_named(world: World) -> None:
    """BC-55, BC-56: nothing is trained on, the reason names the members; put right, it closes."""
    declare(world)
    promised = FILES | {"z.csv": b"never sent", "0.csv": b"nor this"}
    put(world, {**FILES, "a.csv": b"ONE", "extra.csv": b"x"}, as_json(promised))
    world.settle(ticks=2)
    where, code, message = state(world)
    assert (where, code) == (ArrivalState.OPEN, "DatasetMismatch")
    assert "2 missing (0.csv, z.csv); 1 extra (extra.csv); 1 different (a.csv)" in message
    assert not world.ledger.revisions.newest()
    world.delete("digits/v1/extra.csv")
    put(world, promised, as_json(promised))
    world.settle(ticks=2)
    assert state(world)[0] is ArrivalState.CLOSED


def test_names_are_bounded_and_counts_are_not(world: World) -> None:
    """Of many missing members the first five are named and all are counted."""
    declare(world)
    put(world, {"a.csv": b"1"}, as_json({f"{i:03}": b"x" for i in range(300)} | {"a.csv": b"1"}))
    world.settle(ticks=1)
    assert "300 missing (000, 001, 002, 003, 004, …)" in state(world)[2]


def test_a_manifest_older_than_a_member_does_not_count(world: World) -> None:
    """A member that is newer than the manifest is not spoken for."""
    declare(world)
    put(world, FILES, as_json(FILES))
    world.advance(5)
    world.put("digits/v1/a.csv", b"one")
    world.settle(ticks=2)
    assert state(world)[:2] == (ArrivalState.OPEN, "MarkerStale")


def test_max_wait_ends_it(world: World) -> None:
    """What is still missing when max_wait has passed is named in DatasetIncomplete."""
    declare(world, max_wait=600)
    put(world, {"a.csv": b"1"}, as_json({"a.csv": b"1", "b.csv": b"2"}))
    world.settle(ticks=8)
    where, code, message = state(world)
    assert (where, code) == (ArrivalState.INCOMPLETE, "DatasetIncomplete")
    assert "1 missing (b.csv)" in message


def test_what_a_listing_cannot_prove_is_said(world: World) -> None:
    """With SHA-256s the upload closes, and says that they were not proved."""
    declare(world)
    put(world, FILES, lines(FILES, "sha256"))
    world.settle(ticks=2)
    assert state(world)[:2] == (ArrivalState.CLOSED, "Unverified")
    assert "3 unverified (a.csv, b/c d.csv, é.csv)" in state(world)[2]
    assert len(world.jobs) == 1


@pytest.mark.parametrize("kind", ["sha256", "sha1"])
def test_verify_content_reads_what_a_listing_cannot_prove(world: World, kind: str) -> None:
    """Read, the same checksums prove the members; a wrong one is a mismatch."""
    declare(world, verify="content")
    put(world, FILES, lines(FILES, kind))
    world.settle(ticks=2)
    assert state(world) == (ArrivalState.CLOSED, "", "")
    world.advance(5)
    put(world, {**FILES, "a.csv": b"One"}, lines(FILES, kind))
    world.settle(ticks=2)
    assert state(world)[:2] == (ArrivalState.OPEN, "DatasetMismatch")
    assert "1 different (a.csv)" in state(world)[2]


def test_crc64_is_what_oss_itself_says(world: World) -> None:
    """A CRC-64 is compared with the one that OSS keeps of the object."""
    declare(world, verify="content")
    world.put("digits/v1/a.csv", b"one")
    crc64 = world.ports().objects.head("data", "digits/v1/a.csv").crc64  # type: ignore[union-attr]
    put(world, {"a.csv": b"one"}, json.dumps({"files": [{"key": "a.csv", "crc64": crc64}]}).encode())
    world.settle(ticks=2)
    assert state(world)[:2] == (ArrivalState.CLOSED, "")


UNREADABLE = {
    b"": "DatasetMismatch",
    b"hello": "line 1: expected a checksum",
    b"{": "it is no JSON",
    b'{"files": 3}': "expected '['",
    b'{"version": 1}': 'no "files"',
    b'{"files": [{"size": 3}]}': 'files[0]: expected an object with a "key"',
    b'{"files": [{"key": "a.csv", "md5": "xyz"}]}': "files[0]: md5 of 'a.csv'",
    b'{"files": [{"key": "a.csv", "size": 1}, {"key": "a.csv", "size": 2}]}': "two different objects",
    b"\xff\xfe\x00": "not UTF-8",
}


@pytest.mark.parametrize("manifest", UNREADABLE)
def test_a_manifest_that_cannot_be_read_says_where(world: World, manifest: bytes) -> None:
    """What is no manifest closes nothing; the reason names the place."""
    declare(world)
    put(world, {"a.csv": b"1"}, manifest)
    world.settle(ticks=1)
    where, code, message = state(world)
    assert where is ArrivalState.OPEN
    expected = UNREADABLE[manifest]
    assert expected == code or (code == "ManifestUnreadable" and expected in message), message


class Slow:
    """An object store whose members take so many seconds to read."""

    def __init__(self, objects: Any, seconds: float) -> None:
        self._objects, self._seconds, self.reads = objects, seconds, []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._objects, name)

    def read(self, bucket: str, key: str) -> Iterator[bytes]:
        """The content, late."""
        self.reads.append(key)
        if not key.endswith("MANIFEST"):
            time.sleep(self._seconds)
        yield from self._objects.read(bucket, key)


def test_reading_goes_on_in_the_next_look(world: World) -> None:
    """Where a look has time for one member only, each is read once, and the upload closes in the end."""
    declare(world, verify="content")
    put(world, FILES, lines(FILES, "sha256"))
    slow = Slow(world.ports().objects, 0.06)
    for _ in range(3):
        close.look(world.ports(seconds=scan.RESERVE + 0.05, objects=slow), KEY)
    read = [key for key in slow.reads if not key.endswith("MANIFEST")]
    # A member that outlasts a whole call is given up; here each takes a whole call, so none holds up the others.
    assert sorted(set(read)) == sorted(f"digits/v1/{name}" for name in FILES)
    assert len(read) == 3
    assert state(world)[0] is ArrivalState.CLOSED


def test_bc_29_a_long_manifest_is_compared_in_bounded_memory(world: World) -> None:
    """BC-29: 30,000 entries in reverse order, kept between looks as counts and five names of each kind."""
    promised = {f"{number:06}": b"" for number in range(30_000)}
    manifest = b"".join(b"d41d8cd98f00b204e9800998ecf8427e  %b\n" % name.encode() for name in reversed(promised))
    declare(world)
    world.put("digits/v1/MANIFEST", manifest)
    world.put("digits/v1/000007", b"")
    world.deliver(world.records)
    expected = Expected(world.ports(), world.arrival(), world.dataset(manifest="MANIFEST").complete, None)
    for info in world.ports().objects.list_page("data", "digits/v1/").objects:
        if not info.key.endswith("MANIFEST"):
            assert expected.add(
                Member(info.key, info.size, info.etag, info.last_modified, info.kind), time.monotonic() + 9
            )
    assert len(json.dumps(expected.keep())) < 500
    compared = Expected(world.ports(), world.arrival(), world.dataset(manifest="MANIFEST").complete, expected.keep())
    assert isinstance(compared.finish(), Comparison)
    assert compared.comparison.counts == {"missing": 29_999}
    assert compared.comparison.names["missing"] == ["000000", "000001", "000002", "000003", "000004"]
