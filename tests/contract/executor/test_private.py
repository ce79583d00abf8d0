"""The local cloud's own directory: closed to other users, and empty for the jobs that run beside it."""

from __future__ import annotations

import os
import shlex
import stat
from typing import TYPE_CHECKING

import pytest

from junbi.emulator.cloud import Cloud, Settings
from junbi.emulator.keys import AccessKey

if TYPE_CHECKING:
    from pathlib import Path

    from tests.contract.executor.conftest import Lab

KEY = AccessKey("emulator", "emulator-secret")


def house(lab: Lab) -> str:
    """Make the lab's directory look like that of ``junbi up``; its path, for a shell."""
    (lab.directory / "token").write_text("the token")
    (lab.directory / "env").write_text("SECRET=emulator-secret")
    lab.restart(private=lab.directory)
    return shlex.quote(str(lab.directory))


@pytest.mark.parametrize("mounted", [True, False])
def test_a_job_finds_none_of_the_cloud_s_secrets(lab: Lab, mounted: bool) -> None:  # noqa: FBT001 - both cases
    """Neither the token, the keys, the buckets nor other pods; its own work directory and home are there to be used."""
    data = house(lab)
    mounts = (lab.mount("/mnt/out", "out/"),) if mounted else ()
    assert lab.run("echo hidden", *mounts, pod="other").status == "Succeeded"
    state = lab.run(
        f"find {data} -type f; ls {data}; ls {data}/pods; cat {data}/token; touch here ~/there && echo done", *mounts
    )
    assert state.status == "Succeeded"
    said = lab.log().splitlines()
    assert said[:2] == ["pods", "job-worker-0"]
    assert ("No such file" in said[2], said[3:]) == (True, ["done"])
    assert (lab.pods / "job-worker-0/work/here").exists()
    assert (lab.pods / "job-worker-0/home/there").exists()
    assert "not isolated" not in lab.told()


def test_a_mount_may_lie_in_the_cloud_s_directory(lab: Lab) -> None:
    """A mount path there shows the mount, and still nothing else of the directory."""
    data = house(lab)
    lab.put("in/file", b"content")
    lab.run(f"cat {data}/in/file; echo; ls {data}", lab.mount(f"{lab.directory}/in", "in/"))
    assert lab.log().split() == ["content", "in", "pods"]


def test_a_pod_without_a_private_view_says_that_it_is_not_isolated(mapped_lab: Lab) -> None:
    """Where a job can read everything, its events say so, whether it mounts something or not."""
    mapped_lab.run("true")
    assert "not isolated: they are switched off. The command can read whatever" in mapped_lab.told()


def mode(path: Path) -> int:
    """The rights on a directory."""
    return stat.S_IMODE(path.stat().st_mode)


def test_the_data_directory_is_its_owner_s_alone(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """New, empty, or left open by an earlier junbi: it is closed to everybody else; so are new folders above it."""
    data, empty = tmp_path / "a/data", tmp_path / "empty"
    Cloud(Settings(data, KEY)).stop()
    assert (mode(data), mode(data.parent)) == (0o700, 0o700)
    data.chmod(0o755)
    Cloud(Settings(data, KEY)).stop()
    assert mode(data) == 0o700
    empty.mkdir(mode=0o755)
    Cloud(Settings(empty, KEY)).stop()
    assert mode(empty) == 0o700
    assert "others may look" not in capfd.readouterr().err


def test_a_directory_of_others_is_left_as_it_is_and_told(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """A directory with other things in it, such as a home, is not closed; that others may look into it is said."""
    (tmp_path / "mine").touch()
    tmp_path.chmod(0o755)
    Cloud(Settings(tmp_path, KEY)).stop()
    assert mode(tmp_path) == 0o755
    assert f"chmod 700 path={tmp_path}" in " ".join(capfd.readouterr().err.split())
    assert tmp_path.stat().st_uid == os.geteuid()
