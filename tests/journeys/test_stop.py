"""Ctrl-C and SIGTERM: a prompt and clean end that says which jobs go on, and a start that follows them."""

from __future__ import annotations

import signal
import time
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.journeys.conftest import House


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=["ctrl-c", "sigterm"])
def test_stop_while_a_job_runs(house: House, number: signal.Signals) -> None:
    """It ends within seconds with 0, names the job that goes on, leaves no function; the next start sees its end."""
    release = house.directory / "release"
    house.write_config(more=f" && while [ ! -e {release} ]; do sleep 0.1; done && echo late > /mnt/out/late")
    house.up()
    house.upload("v1")
    house.until(house.runs, "the job at work")
    house.until(lambda: house.get("launches")["launches"][0]["state"] == "running", "the job known to run")
    job = house.get("launches")["launches"][0]["job"]["id"]
    began = time.monotonic()
    assert house.end(number) == 0
    assert time.monotonic() - began < 10
    assert f"{job} goes on" in house.stderr
    assert "Traceback" not in house.stderr
    assert house.functions() == []
    release.touch()  # the job ends while nobody looks
    house.up()
    house.until_ended()
    launch = house.get("launches")["launches"][0]
    assert (launch["state"], launch["job"]["id"]) == ("succeeded", job)
    assert house.bucket("out-data").get_object(f"digits/{launch['id']}/late").read() == b"late\n"
    assert house.runs() == ["v1"]


def test_stop_with_nothing_to_do(house: House) -> None:
    """With no job at work it ends without a word, and the token and the addresses' file are the same afterwards."""
    token = house.up().where["token"]
    assert house.end() == 0
    assert house.stderr == ""
    assert house.functions() == []
    assert house.up().where["token"] == token
    assert (house.data / "token").stat().st_mode & 0o077 == 0
    assert (house.data / "env").stat().st_mode & 0o077 == 0


def test_stop_while_it_starts(house: House) -> None:
    """Stopped at any moment of its start, it ends with 0 and without a traceback, and leaves no function."""
    lock = house.data / "lock"
    for pause in (0, 0.1, 0.3, 0.6, 1):
        lock.unlink(missing_ok=True)
        house.begin()
        house.until(lock.exists, "the directory taken")
        time.sleep(pause)
        assert house.end(signal.SIGINT) == 0
        assert house.stderr == ""
        assert house.functions() == []
    house.up()
