"""What was acknowledged stays: across restarts, kill -9 at any moment, and a full disk."""

from __future__ import annotations

import hashlib
import io
import random
import resource
import signal
import subprocess
import sys
import threading
import time
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import oss2
import pytest
from oss2.models import PartInfo

from junbi.emulator.clock import Clock
from junbi.emulator.oss.checksums import crc64
from junbi.emulator.oss.state import Buckets

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.contract.oss.conftest import Cloud

PROCESS = str(Path(__file__).parent / "store_process.py")


def blobs(directory: Path) -> int:
    """How many contents lie on the disk."""
    return sum(1 for path in (directory / "blobs").rglob("*") if path.is_file())


def unsettled(directory: Path) -> list[Path]:
    """The marks that are left."""
    return list((directory / "unsettled").iterdir())


class TestRestart:
    """Opening a directory again."""

    def test_everything_is_there(self, cloud: Cloud, client: oss2.Bucket) -> None:
        """Objects with their headers and uploads with their parts outlive the process; the upload can be completed."""
        client.put_object("a b/日", b"12345", headers={"x-oss-meta-a": "1"})
        client.append_object("log", 0, b"one")
        upload_id = client.init_multipart_upload("parts").upload_id
        etag = client.upload_part("parts", upload_id, 1, b"part").etag
        before = list(cloud.buckets.list("vision-data"))
        cloud.close()
        cloud.__post_init__()
        assert list(cloud.buckets.list("vision-data")) == before
        again = cloud.client(cloud.auth("v1"))
        assert again.head_object("a b/日").headers["x-oss-meta-a"] == "1"
        again.append_object("log", 3, b"two", init_crc=crc64(b"one"))
        again.complete_multipart_upload("parts", upload_id, [PartInfo(1, etag)])
        assert again.get_object("parts").read() == b"part"

    def test_one_at_a_time(self, tmp_path: Path) -> None:
        """A directory in use is refused with what to do, and free again when its user closes it."""
        with closing(Buckets(tmp_path, Clock())), pytest.raises(RuntimeError, match="stop that one first"):
            Buckets(tmp_path, Clock())
        Buckets(tmp_path, Clock()).close()

    def test_what_is_given_up_leaves_the_disk(self, cloud: Cloud, client: oss2.Bucket) -> None:
        """Overwritten, deleted and replaced contents take no space."""
        for body in (b"1", b"2"):
            client.put_object("a", body)
        client.copy_object("vision-data", "a", "b")
        client.delete_object("a")
        upload_id = client.init_multipart_upload("b").upload_id
        for body in (b"3", b"4"):
            client.upload_part("b", upload_id, 1, body)
        assert (blobs(cloud.directory), unsettled(cloud.directory)) == (2, [])


def assert_whole(directory: Path) -> None:
    """Every object is what its row says it is, and nothing lies on the disk that no row names."""
    with closing(Buckets(directory, Clock())) as buckets:
        for stored in buckets.list("vision-data"):
            with buckets.open("vision-data", stored.key) as stream:
                content = stream.read()
            assert (len(content), crc64(content)) == (stored.size, stored.crc64)
            if stored.kind == "Normal":
                assert hashlib.md5(content).hexdigest().upper() == stored.etag
        named = buckets.index.rows("SELECT blob FROM object UNION SELECT blob FROM part")
        assert (blobs(directory), unsettled(directory)) == (len(named), [])


class TestKill:
    """kill -9."""

    @pytest.mark.parametrize("seed", range(2))
    def test_at_any_time(self, tmp_path: Path, seed: int) -> None:
        """Killed while writing, every object is wholly the old or wholly the new one, and nothing else is left."""
        command = [sys.executable, PROCESS, "forever", str(tmp_path)]
        for life_number in range(2):
            with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as life:
                assert life.stdout is not None
                life.stdout.readline()
                time.sleep(random.Random(seed + 2 * life_number).uniform(0, 0.15))
                life.send_signal(signal.SIGKILL)
        assert_whole(tmp_path)

    def test_before_every_file_operation(self, tmp_path: Path) -> None:
        """The same holds killed just before each single file operation of every kind of write."""
        subprocess.run([sys.executable, PROCESS, "steps", str(tmp_path)], check=True)
        directories = list(tmp_path.iterdir())
        assert len(directories) > 30
        for directory in directories:
            assert_whole(directory)


@contextmanager
def small_disk(most: int) -> Iterator[None]:
    """No file may grow beyond so many bytes: writes fail as they do on a full disk."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_a_full_disk(cloud: Cloud, client: oss2.Bucket) -> None:
    """A write that finds no room says so, keeps the old object and leaves nothing behind; the next may succeed."""
    client.put_object("a", b"old")
    client.append_object("log", 0, b"old")
    with small_disk(300_000):
        for write in (
            lambda: client.put_object("a", bytes(400_000)),
            lambda: client.append_object("log", 3, bytes(299_999)),
        ):
            with pytest.raises(oss2.exceptions.ServerError, match="nothing was changed") as refused:
                write()
            assert (refused.value.status, refused.value.code) == (500, "InternalError")
    assert (client.get_object("a").read(), client.get_object("log").read()) == (b"old", b"old")
    assert (blobs(cloud.directory), unsettled(cloud.directory)) == (2, [])
    client.append_object("log", 3, b" and new", init_crc=crc64(b"old"))
    assert client.get_object("log").read() == b"old and new"


def test_readers_and_writers_at_once(cloud: Cloud) -> None:
    """While an object is overwritten again and again, every read finds it whole."""
    bodies = [bytes([65 + number]) * 50_000 for number in range(3)]
    cloud.buckets.put("vision-data", "a", io.BytesIO(bodies[0]))
    done = threading.Event()

    def write() -> None:
        for number in range(150):
            cloud.buckets.put("vision-data", "a", io.BytesIO(bodies[number % 3]))
        done.set()

    writer = threading.Thread(target=write)
    writer.start()
    while not done.is_set():
        with cloud.buckets.open("vision-data", "a") as stream:
            assert stream.read() in bodies
        cloud.buckets.copy(("vision-data", "a"), ("vision-data", "b"))
    writer.join()


def test_one_append_wins(cloud: Cloud) -> None:
    """Of several appends to one position at once, one happens and the others are told the new length."""
    clients = [cloud.client(cloud.auth("v4")) for _ in range(6)]
    outcomes: list[str] = []

    def write(client: oss2.Bucket) -> None:
        try:
            client.append_object("log", 0, b"x" * 1000)
            outcomes.append("appended")
        except oss2.exceptions.PositionNotEqualToLength as refused:
            outcomes.append(f"refused at {refused.next_position}")

    threads = [threading.Thread(target=write, args=[client]) for client in clients]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(outcomes) == ["appended"] + ["refused at 1000"] * 5
    assert cloud.buckets.head("vision-data", "log").size == 1000
