"""A full disk: every caller is told, nothing that was promised is lost, and with room again all goes on by itself."""

from __future__ import annotations

import errno
import subprocess
import time
from typing import TYPE_CHECKING

import oss2
import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.journeys.conftest import House

SIZE = 8 << 20
FULL = 4.0  #: seconds; every timer fires in them


@pytest.fixture
def small_disk(house: House) -> Iterator[Path]:
    """The house's data directory on a disk of its own; gives the file that fills it."""
    house.data.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={SIZE}", "none", str(house.data)]
    if subprocess.run(mount, check=False, capture_output=True).returncode:
        pytest.skip("this machine allows no mounts, so no disk can be made small")
    yield house.data / "filler"
    house.close()
    subprocess.run(["umount", "--lazy", house.data], check=True)


def fill(filler: Path) -> None:
    """Leave not one byte."""
    with filler.open("wb", buffering=0) as file:
        full = False
        while not full:
            try:
                file.write(bytes(4096))
            except OSError as error:
                full = error.errno == errno.ENOSPC


def test_upload_to_a_full_disk(house: House, small_disk: Path) -> None:
    """An upload is refused in OSS's way, the API still reads; with room again the same upload trains."""
    house.up()
    fill(small_disk)
    with pytest.raises(oss2.exceptions.ServerError) as refused:
        house.bucket("in-data").put_object("digits/v1/part-0", bytes(5000))
    assert refused.value.status == 500
    assert "Is the disk full?" in refused.value.message
    assert house.get("launches")["launches"] == []
    time.sleep(FULL)
    assert "disk is full" in house.stderr or "No space left" in house.stderr
    small_disk.unlink()
    house.upload("v1")
    house.until_ended()
    assert house.runs() == ["v1"]
    assert house.end() == 0


@pytest.mark.parametrize("step", ["ArrivalOpened", "DatasetRegistered", "JobSubmitted"])
def test_disk_full_in_between(house: House, small_disk: Path, step: str) -> None:
    """Full at any step, the path waits there, and once there is room again it comes to its end, once."""
    house.up()
    house.upload("v1")
    house.until_told(step)
    fill(small_disk)
    time.sleep(FULL)
    assert house.get("launches")["total"] in {0, 1}
    small_disk.unlink()
    house.until_ended()
    assert [launch["state"] for launch in house.get("launches")["launches"]] == ["succeeded"]
    assert house.runs() == ["v1"]
    assert house.end() == 0


def test_start_on_a_full_disk(house: House, small_disk: Path) -> None:
    """It does not start, says why without a traceback, and keeps what is there; with room again it goes on."""
    house.up()
    house.upload("v1")
    house.until_ended()
    house.kill()
    fill(small_disk)
    code, said = house.refused()
    assert code == 3
    assert str(house.data) in said
    assert "kept" in said
    small_disk.unlink()
    house.up()
    assert [launch["state"] for launch in house.get("launches")["launches"]] == ["succeeded"]
