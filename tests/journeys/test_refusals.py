"""What cannot be: the exit code and the message a user gets, and that nothing is lost."""

from __future__ import annotations

import re
import socket
import subprocess
from typing import TYPE_CHECKING

import oss2
import pytest

if TYPE_CHECKING:
    from tests.journeys.conftest import House


def test_taken_port(house: House) -> None:
    """A port in use is named with what to do, and nothing was started."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        code, said = house.refused(port=port)
    assert code == 3
    named = re.match(r"junbi: Port (\d+) of 127\.0\.0\.1 is taken by another program\. Nothing was started\.", said)
    assert named, said
    # Six ports in a row are wanted, and on a busy machine another of them may be taken as well.
    assert int(named[1]) in range(port, port + 6)
    assert "--port" in said
    house.up()  # the directory was let go


@pytest.mark.parametrize("port", [-1, 65531, 99999])
def test_impossible_port(house: House, port: int) -> None:
    """A port that leaves no room for six in a row is a mistake of usage."""
    code, said = house.refused(port=port)
    assert code == 2
    assert "--port" in said
    assert not house.data.exists()


def test_impossible_time_scale(house: House) -> None:
    """Time that stands still or runs backwards is a mistake of usage."""
    for scale in ("0", "-1"):
        code, said = house.refused("up", "--config", str(house.config), "--time-scale", scale)
        assert code == 2
        assert "--time-scale" in said


def test_directory_in_use(house: House) -> None:
    """A second one on the same directory is refused with what to do, and the first goes on."""
    house.up()
    second = type(house)(house.directory)
    code, said = second.refused()
    assert code == 3
    assert "is in use by another 'junbi up'" in said  # both houses write into one file here, one over the other
    assert "Nothing was started" in said
    house.upload("v1")
    house.until_ended()


@pytest.mark.parametrize("command", ["up", "emulator"])
@pytest.mark.parametrize("below", ["", "deeper"])
def test_directory_that_cannot_be_written(house: House, command: str, below: str) -> None:
    """A file in the directory's place is named as what it is, and is kept."""
    (house.directory / "file").write_text("mine")
    house.data = house.directory / "file" / below
    arguments = ["up", "--config", str(house.config)] if command == "up" else ["emulator"]
    code, said = house.refused(*arguments)
    assert code == 3
    assert str(house.data) in said
    assert "Nothing was started" in said
    assert "--data" in said
    assert (house.directory / "file").read_text() == "mine"


def test_directory_without_rights(house: House) -> None:
    """A directory on a read-only file system is refused with the system's reason."""
    house.data.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "ro", "none", house.data], check=False, capture_output=True)
    if mounted.returncode:
        pytest.skip("this machine allows no mounts")
    try:
        code, said = house.refused()
    finally:
        subprocess.run(["umount", house.data], check=True)
    assert code == 3
    assert "Read-only file system" in said
    assert "--data" in said


def test_config_missing(house: House) -> None:
    """Without junbi.yaml it says how to get one."""
    house.config.unlink()
    code, said = house.refused()
    assert code == 1
    assert str(house.config) in said
    assert "'junbi init' writes one" in said
    assert not house.data.exists()


def test_config_with_mistakes(house: House) -> None:
    """Every mistake is named with file, line and column, and nothing is started."""
    text = house.config.read_text()
    house.config.write_text(text.replace("newest: version", "newest: versoin").replace("count: 1", "n: 1"))
    code, said = house.refused()
    assert code == 1
    lines = said.splitlines()
    assert len(lines) == 2, said
    assert lines[0].startswith(f"{house.config}:8:13: datasets.digits.newest: ")
    assert lines[1].startswith(f"{house.config}:22:17: plans.count.job.workers.n: unknown key 'n'")
    assert not house.data.exists()


def test_config_changed_while_up(house: House) -> None:
    """A change is put in force and its new dataset is watched at once; a mistake is named, and changes nothing."""
    house.up()
    good = house.config.read_text()
    house.config.write_text(good + "  broken: {}\n")
    house.until(lambda: "what was in force stays" in house.stderr, "the mistake named")
    assert f"{house.config}:" in house.stderr
    assert house.rows("SELECT max(number) FROM generation") == [(1,)]
    more = "  letters:\n    watch: oss://more-data/{version}/\n    complete: {marker: _SUCCESS}\n    newest: version\n"
    more += "    mount: /mnt/letters\nimages:"
    house.config.write_text(good.replace("images:", more))
    house.until(lambda: "is generation 2" in house.stderr, "the change in force")
    house.bucket("more-data").put_object("a1/x", b"x")
    house.until_told("ArrivalOpened")  # by an event: a listing would tell ArrivalFound
    house.config.unlink()
    house.until(lambda: "no such file" in house.stderr, "the missing file named")
    house.upload("v1")
    house.until_ended()


def test_own_key(house: House) -> None:
    """The key is the environment's; a wrong one is refused as OSS refuses it, and nothing is stored or noted."""
    house.environment |= {"JUNBI_EMULATOR_KEY_ID": "mine", "JUNBI_EMULATOR_KEY_SECRET": "s3cret"}
    house.up()
    for key, code in (("mine", "wrong"), "SignatureDoesNotMatch"), (("emulator", "s3cret"), "InvalidAccessKeyId"):
        with pytest.raises(oss2.exceptions.ServerError) as refused:
            house.bucket("in-data", key).put_object("digits/v1/part-0", b"x")
        assert (refused.value.status, refused.value.code) == (403, code)
    own = house.bucket("in-data", ("mine", "s3cret"))
    assert own.list_objects().object_list == []
    assert house.codes() == []
    own.put_object("digits/v1/part-0", b"x")
    own.put_object("digits/v1/_SUCCESS", b"")
    house.until_ended()
    assert "s3cret" not in house.stderr
    logs = "".join(path.read_text() for path in (house.data / "logs").iterdir())
    assert "s3cret" not in logs
