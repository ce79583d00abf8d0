"""The mounts of a pod: OSS prefixes seen as directories, and what is written there put back."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import pytest

from junbi.emulator.dlc.mount_sync import MountSync
from junbi.emulator.oss.errors import OssError

if TYPE_CHECKING:
    from tests.contract.executor.conftest import Lab

    from junbi.emulator.oss.state import Buckets


def works(*command: str) -> bool:
    """Whether a command is there and succeeds."""
    return (
        shutil.which(command[0]) is not None
        and subprocess.run(command, capture_output=True, check=False).returncode == 0
    )


def process(lab: Lab, around: list[str], command: str, place: str) -> None:
    """Run a pod by an emulator in a process of its own, under another command."""
    script = Path(__file__).parent / "emulator_process.py"
    lab.buckets.close()
    whole = [*around, sys.executable, str(script), str(lab.directory), "job-worker-0", command, place]
    done = subprocess.run(whole, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    lab.__post_init__()


class TestReading:
    """What a pod sees."""

    def test_objects_are_files(self, any_lab: Lab) -> None:
        """Objects under the prefix are files under the mount path, whatever their keys hold; others are not there."""
        names = ["plain.txt", "a b+c%20d.txt", "深い/手書き.csv", "🚀.bin", "sub/empty"]
        for name in names:
            any_lab.put(f"digits/v1/{name}", name.encode() if name != "sub/empty" else b"")
        any_lab.put("digits/v10/other")
        state = any_lab.run(
            "cd /mnt/digits && find . -type f | sort && cat 深い/手書き.csv", any_lab.mount("/mnt/digits", "digits/v1/")
        )
        assert state.status == "Succeeded"
        lines = any_lab.log().splitlines()
        assert {line.removeprefix("./") for line in lines[:5]} == set(names)
        assert lines[5] == "深い/手書き.csv"

    def test_a_prefix_without_a_slash_is_a_folder(self, any_lab: Lab) -> None:
        """A prefix ``digits/v1`` never shows what is under ``digits/v10``."""
        any_lab.put("digits/v1/a")
        any_lab.put("digits/v10/b")
        any_lab.run("ls /mnt/digits", any_lab.mount("/mnt/digits", "digits/v1"))
        assert any_lab.log() == "a"

    def test_mount_points_need_not_exist(self, lab: Lab) -> None:
        """Any mount path works, existing or not, several at once and nested; nothing of it is left on the host."""
        lab.put("in/file")
        places = ("/", "/mnt", "/root", str(Path.home()))
        before = [sorted(Path(place).iterdir()) for place in places if os.access(place, os.R_OK)]
        mounts_before = Path("/proc/self/mountinfo").read_text()
        paths = ["/mnt/digits", "/root/code", "/data", "/deep/er/still", "/data/nested", "/var/tmp/in"]
        state = lab.run(
            " && ".join(f"cat {path}/file" for path in paths) + " && ls /usr/bin/env /etc/passwd",
            *(lab.mount(path, "in/", read_only=path != "/data") for path in paths),
        )
        assert (state.status, lab.log().count("content")) == ("Succeeded", len(paths))
        assert [sorted(Path(place).iterdir()) for place in places if os.access(place, os.R_OK)] == before
        assert Path("/proc/self/mountinfo").read_text() == mounts_before

    def test_what_else_is_in_a_rebuilt_directory_stays_visible(self, lab: Lab) -> None:
        """Beside a mount point made in an existing directory, that directory's own entries are still there."""
        beside = lab.directory / "host"
        (beside / "folder").mkdir(parents=True)
        (beside / "folder" / "inner").write_text("inner")
        (beside / "file").write_text("file")
        (beside / "link").symlink_to("file")
        lab.put("in/x")
        lab.run(
            f"cd {beside} && cat folder/inner file link mounted/x && echo > folder/new",
            lab.mount(f"{beside}/mounted", "in/"),
        )
        assert lab.log() == "innerfilefilecontent"
        assert (beside / "folder" / "new").exists()
        assert not (beside / "mounted").exists()

    def test_read_only_is_read_only(self, lab: Lab) -> None:
        """A read-only mount can be neither written nor made writable by a command, even one that runs as root."""
        lab.put("in/x")
        lab.run(
            "echo y > /mnt/in/x; echo y > /mnt/in/new; rm /mnt/in/x; cat /mnt/in/x",
            lab.mount("/mnt/in", "in/", read_only=True),
        )
        assert lab.log().count("Read-only file system") == 3
        assert lab.log().endswith("content")
        assert lab.stored() == ["in/x"]

    def test_without_the_right_to_mount_a_user_namespace_serves(self, lab: Lab) -> None:
        """A user who may not mount still gets private mounts, by way of a user namespace."""
        without = ["setpriv", "--bounding-set=-sys_admin"] if os.geteuid() == 0 else []
        if not works(*without, "unshare", "--user", "--map-root-user", "--mount", "true"):
            pytest.skip("this machine allows no user namespaces")
        lab.put("in/x")
        process(lab, without, "cat /data/x; id -u", "in/:/data")
        assert lab.log() == f"content{os.geteuid()}"
        assert "no private mounts" not in lab.told()

    def test_nothing_reaches_a_host_that_shares_its_mounts(self, lab: Lab) -> None:
        """Where the host's mounts are shared, as systemd makes them, a pod's mounts still stay with the pod."""
        shared = ["unshare", "--mount", "--propagation", "shared"]
        if not works(*shared, "true"):
            pytest.skip("this user may not share mounts")
        lab.put("in/x")
        look = 'cat /proc/self/mountinfo >> $0; "$@" && cat /proc/self/mountinfo >> $0.after'
        before = lab.directory / "mounts"
        process(lab, [*shared, "sh", "-c", look, str(before)], "cat /data/x", "in/:/data")
        assert lab.log() == "content"
        assert "shared:" in before.read_text()
        assert before.read_text() == Path(f"{before}.after").read_text()

    def test_keys_that_are_no_paths(self, any_lab: Lab) -> None:
        """Keys that would leave the directory, or make a file and a folder of one name, are skipped and told."""
        for name in ("ok", "../up", "/absolute", "a/../../b", "a//b", "./c", "clash", "clash/inside", "folder/"):
            any_lab.put(f"in/{name}")
        any_lab.put("in/" + "x" * 300)
        any_lab.run("cd /mnt/in && find . | sort", any_lab.mount("/mnt/in", "in/"))
        assert any_lab.log().splitlines() == [".", "./clash", "./folder", "./ok"]
        for name in ("../up", "/absolute", "a/../../b", "a//b", "./c", "clash/inside", "x" * 300):
            assert f"key 'in/{name}' is not visible under /mnt/in" in any_lab.told()
        assert not (any_lab.pods / "job-worker-0" / "mounts").joinpath("..", "up").exists()

    def test_many_skipped_keys_are_counted(self, any_lab: Lab) -> None:
        """A bucket full of odd keys fills no log: ten are named, the others counted."""
        for number in range(25):
            any_lab.put(f"in/a//{number}")
        any_lab.run("true", any_lab.mount("/mnt/in", "in/"))
        assert any_lab.told().count("is not visible") == 10
        assert "and 15 more keys were skipped" in any_lab.told()

    def test_a_mount_that_would_hide_the_system(self, lab: Lab) -> None:
        """Where a mount would cover the shell or the interpreter, paths are mapped instead, and that is told."""
        lab.put("in/x")
        state = lab.run("cat /usr/x", lab.mount("/usr", "in/"))
        assert (state.status, lab.log()) == ("Succeeded", "content")
        assert "no private mounts: " in lab.told()
        assert "would hide /usr" in lab.told()

    def test_mapping_is_told(self, mapped_lab: Lab) -> None:
        """Without private mounts, command, environment and JUNBI_MOUNTS hold real directories, and that is told."""
        mapped_lab.put("in/x")
        state = mapped_lab.run(
            'cat /mnt/in/x "$WHERE/x" && echo "$JUNBI_MOUNTS"',
            mapped_lab.mount("/mnt/in", "in/"),
            env={"WHERE": "/mnt/in"},
        )
        real = f"{mapped_lab.pods}/job-worker-0/mounts/0"
        assert state.status == "Succeeded"
        assert mapped_lab.log() == f'contentcontent{{"/mnt/in": "{real}"}}'
        assert mapped_lab.executor.logs("job-worker-0", 100)[0].startswith(
            "[junbi] no private mounts: they are switched off"
        )
        assert f"/mnt/in -> {real}" in mapped_lab.told()

    def test_a_bucket_that_comes_later(self, any_lab: Lab) -> None:
        """A pod whose bucket does not exist waits and says why; it starts when the bucket is there."""
        other = any_lab.mount("/mnt/in", "", bucket="not-yet", read_only=True)
        pod = any_lab.start("echo ran", other)
        any_lab.until(lambda: "NoSuchBucket" in any_lab.executor.state(pod).message, "a message about the bucket")
        assert any_lab.executor.state(pod).status == "Pending"
        any_lab.buckets.create_bucket("not-yet")
        assert any_lab.ended().status == "Succeeded"
        assert "NoSuchBucket" in any_lab.told()


class TestWriting:
    """What a pod writes."""

    def test_outputs_come_back(self, any_lab: Lab) -> None:
        """Once a pod is said to have succeeded, its new files are objects; its temporary files are gone."""
        any_lab.put("out/before", b"before")
        state = any_lab.run(
            "cd /mnt/out && mkdir -p 深い/empty && echo -n model > '深い/a b+%.bin' && : > zero && touch before",
            any_lab.mount("/mnt/out", "out/"),
        )
        assert state.status == "Succeeded"
        assert any_lab.stored() == ["out/before", "out/zero", "out/深い/a b+%.bin"]
        assert any_lab.get("out/深い/a b+%.bin") == b"model"
        assert "was not written" not in any_lab.told()
        assert list((any_lab.pods / "job-worker-0" / "mounts").iterdir()) == []

    def test_a_failed_pod_keeps_its_outputs(self, any_lab: Lab) -> None:
        """What a pod wrote before it failed is put back as well."""
        state = any_lab.run("echo 1 > /mnt/out/partial; exit 7", any_lab.mount("/mnt/out", "out/"))
        assert (state.status, state.exit_code, any_lab.stored()) == ("Failed", 7, ["out/partial"])

    def test_checkpoints_come_back_while_the_pod_runs(self, any_lab: Lab) -> None:
        """A finished checkpoint is in OSS while the pod still runs; a file still being written is not."""
        any_lab.start(
            "cd /mnt/out; exec 3> growing; echo part >&3; echo -n one > step-1; sleep 60",
            any_lab.mount("/mnt/out", "out/"),
        )
        any_lab.until(lambda: "out/step-1" in any_lab.stored(), "a checkpoint in OSS")
        assert any_lab.executor.state("job-worker-0").status == "Running"
        any_lab.until(lambda: any_lab.get("out/step-1") == b"one", "its content")
        assert "out/growing" not in any_lab.stored()
        any_lab.executor.stop("job-worker-0")
        any_lab.ended()
        assert any_lab.stored() == ["out/growing", "out/step-1"]

    def test_a_file_written_in_bursts_is_put_when_it_rests(self, mapped_lab: Lab) -> None:
        """A file that is opened, written and closed again and again is put once it rests, whole."""
        mapped_lab.restart(sync_seconds=1.0)
        mapped_lab.run(
            "for i in $(seq 40); do echo $i >> /mnt/out/log; sleep 0.05; done", mapped_lab.mount("/mnt/out", "out/")
        )
        assert len(mapped_lab.get("out/log").split()) == 40
        assert "was not written" not in mapped_lab.told()

    @pytest.mark.parametrize("how", ["echo more >> /mnt/out/old", "echo more > /mnt/out/old"])
    def test_append_and_overwrite_do_not_work(self, any_lab: Lab, how: str) -> None:
        """An existing object is neither appended to nor overwritten: told once, and the file kept; others arrive."""
        any_lab.put("out/old", b"old\n")
        any_lab.run(f"{how}; sleep 1; {how}; echo new > /mnt/out/new", any_lab.mount("/mnt/out", "out/"))
        assert any_lab.get("out/old") == b"old\n"
        assert any_lab.get("out/new") == b"new\n"
        assert any_lab.told().count("/mnt/out/old was not written to OSS: 'out/old' exists") == 1
        kept = Path(re.findall(r"It is kept in (\S+)", any_lab.told())[0])
        assert "more" in (kept / "old").read_text()

    @pytest.mark.parametrize("trick", ["link", "folder", "pipe"])
    def test_a_file_swapped_while_we_look_is_not_followed(self, lab: Lab, tmp_path: Path, trick: str) -> None:
        """A link, a linked folder or a pipe put in a file's place between look and opening leaks and blocks nothing."""
        outside, directory = tmp_path / "outside", tmp_path / "mount"
        told: list[str] = []
        put: list[bytes] = []
        outside.mkdir()
        (outside / "file").write_text("secret")
        (directory / "sub").mkdir(parents=True)
        (directory / "sub/file").write_text("harmless")

        class Swapping:
            """A store whose listing comes between the look and the opening."""

            def list(self, _bucket: str, _prefix: str) -> list[Any]:
                (directory / "sub/file").unlink()
                if trick == "folder":
                    (directory / "sub").rmdir()
                    (directory / "sub").symlink_to(outside)
                elif trick == "pipe":
                    os.mkfifo(directory / "sub/file")
                else:
                    (directory / "sub/file").symlink_to(outside / "file")
                return []

            def put(self, _bucket: str, _key: str, stream: BinaryIO) -> None:
                put.append(stream.read())

            def open(self, bucket: str, key: str) -> BinaryIO:
                raise AssertionError(f"nobody reads {bucket}/{key}")

        sync = MountSync(Swapping(), lab.mount("/mnt/out", "out/"), directory, {}, told.append)
        sync.put_back(None)
        assert put == []
        assert "/mnt/out/sub/file was not written to OSS: it is no regular file" in told[0]

    def test_odd_files_are_told(self, any_lab: Lab) -> None:
        """Links, pipes and names that no object can have are told and not followed; the rest arrives."""
        any_lab.run(
            r"cd /mnt/out; ln -s /etc/passwd link; ln -s /etc folder; mkfifo pipe; echo x > \\back; echo x > ok",
            any_lab.mount("/mnt/out", "out/"),
        )
        assert set(any_lab.stored()) == {"out/ok", "out/\\back"}
        for name in ("link", "folder", "pipe"):
            assert f"/mnt/out/{name} was not written to OSS: it is no regular file" in any_lab.told()

    def test_a_store_that_fails_delays_the_end(self, any_lab: Lab) -> None:
        """A pod is not said to have ended before its outputs are in OSS, also over a restart of the executor."""
        any_lab.restart(buckets=Broken(any_lab.buckets))
        pod = any_lab.start("echo -n model > /mnt/out/model", any_lab.mount("/mnt/out", "out/"))
        any_lab.until(lambda: "InternalError" in any_lab.executor.state(pod).message, "a message about the store")
        assert any_lab.executor.state(pod).status == "Running"
        any_lab.restart()
        assert any_lab.ended().status == "Succeeded"
        assert any_lab.get("out/model") == b"model"

    def test_a_put_that_was_not_noted(self, any_lab: Lab) -> None:
        """An object that a killed emulator had just put is known again by its content, and no overwrite is told."""
        any_lab.restart(buckets=Broken(any_lab.buckets, after=True))
        pod = any_lab.start("echo -n model > /mnt/out/model", any_lab.mount("/mnt/out", "out/"))
        any_lab.until(lambda: "InternalError" in any_lab.executor.state(pod).message, "a message about the store")
        any_lab.restart()
        assert any_lab.ended().status == "Succeeded"
        assert "was not written" not in any_lab.told()

    def test_a_bucket_that_went_away(self, any_lab: Lab) -> None:
        """Where OSS refuses for good, the pod ends all the same; the files are kept and told."""
        any_lab.start(
            "echo x > /mnt/out/a; until [ -e /mnt/out/go ]; do sleep 0.05; done", any_lab.mount("/mnt/out", "out/")
        )
        any_lab.until(lambda: any_lab.stored() == ["out/a"], "the first file")
        any_lab.buckets.delete("lab-data", "out/a")
        any_lab.buckets.delete_bucket("lab-data")
        (any_lab.pods / "job-worker-0" / "mounts" / "0" / "go").touch()
        assert any_lab.ended().status == "Succeeded"
        assert "/mnt/out/go was not written to OSS: NoSuchBucket" in any_lab.told()
        assert (any_lab.pods / "job-worker-0" / "mounts" / "0" / "go").exists()


class Broken:
    """The lab's OSS, whose puts fail: before they are done, or after."""

    def __init__(self, buckets: Buckets, *, after: bool = False) -> None:
        self._buckets, self._after = buckets, after

    def __getattr__(self, name: str) -> Any:
        return getattr(self._buckets, name)

    def put(self, bucket: str, key: str, stream: BinaryIO) -> object:
        """Fail, as a service that is ill does."""
        if self._after:
            self._buckets.put(bucket, key, stream)
        raise OssError("InternalError")
