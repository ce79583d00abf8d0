"""The command of a pod: how it is started, ended, and what is known of it afterwards."""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from junbi.emulator.dlc import pod_mapping, pod_processes
from junbi.emulator.dlc.pod_files import PodFiles

if TYPE_CHECKING:
    from tests.contract.executor.conftest import Lab

POD = "job-worker-0"


def mark_of(lab: Lab) -> str:
    """The mark that the pod's processes carry."""
    mark: str = json.loads((lab.pods / POD / "spec.json").read_text())["mark"]
    return mark


def supervisors(lab: Lab) -> list[int]:
    """The process ids of the pod's supervisor."""
    wanted = f"junbi.emulator.dlc.pod\0{lab.pods / POD}\0".encode()
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            found += [int(path.parent.name)] if wanted in path.read_bytes() else []
        except OSError:
            continue
    return found


class TestEnding:
    """How a command's end becomes the pod's state."""

    def test_success(self, mapped_lab: Lab) -> None:
        """Exit code 0 is success; start and end are UTC times in order."""
        before = datetime.now(UTC)
        state = mapped_lab.run("true")
        assert (state.status, state.exit_code, state.message) == ("Succeeded", 0, "")
        assert state.started is not None
        assert state.finished is not None
        assert before <= state.started <= state.finished <= datetime.now(UTC)

    def test_failure(self, any_lab: Lab) -> None:
        """Any other exit code is a failure, with the code."""
        any_lab.put("in/x")
        state = any_lab.run("exit 42", any_lab.mount("/mnt/in", "in/"))
        assert (state.status, state.exit_code) == ("Failed", 42)
        assert state.message == "the command ended with exit code 42"

    def test_signal(self, any_lab: Lab) -> None:
        """Death by a signal is a failure with code 128 + signal, and named."""
        state = any_lab.run("kill -SEGV $$", any_lab.mount("/mnt/in", "in/"))
        assert (state.status, state.exit_code) == ("Failed", 139)
        assert "signal 11" in state.message

    def test_too_long(self, mapped_lab: Lab) -> None:
        """A pod that runs longer than allowed is ended, its children too, and the reason is told."""
        state = mapped_lab.run("echo begun; sleep 61 & sleep 60; echo never", max_seconds=0.5)
        assert (state.status, state.exit_code, mapped_lab.log()) == ("Failed", 143, "begun")
        assert state.message == "stopped: it ran longer than 0.5 s"
        assert list(pod_processes.marked(mark_of(mapped_lab))) == []

    def test_stop(self, any_lab: Lab) -> None:
        """A stopped pod may clean up within the grace; it counts as failed even with exit code 0, and says why."""
        any_lab.start(
            "trap 'echo cleaning; echo 1 > /mnt/out/saved; exit 0' TERM; echo begun; while :; do sleep 0.05; done",
            any_lab.mount("/mnt/out", "out/"),
        )
        any_lab.logged("begun")
        any_lab.executor.stop(POD)
        state = any_lab.ended()
        assert (state.status, state.exit_code, state.message) == ("Failed", 0, "stopped on request")
        assert any_lab.log().splitlines()[-1] == "cleaning"
        assert any_lab.stored() == ["out/saved"]

    def test_stop_of_a_command_that_will_not_end(self, mapped_lab: Lab) -> None:
        """After the grace, a command that ignores SIGTERM is killed."""
        mapped_lab.start("trap '' TERM; echo begun; while :; do sleep 0.05; done")
        mapped_lab.logged("begun")
        mapped_lab.executor.stop(POD)
        assert (mapped_lab.ended().exit_code, mapped_lab.ended().message) == (137, "stopped on request")

    def test_stop_before_the_start(self, mapped_lab: Lab) -> None:
        """A pod that is stopped while its mounts cannot be made, or before it is known, never starts."""
        pod = mapped_lab.start("echo ran", mapped_lab.mount("/mnt/in", "", bucket="none-such"))
        for each in (pod, "unheard-of"):
            mapped_lab.executor.stop(each)
            mapped_lab.start("echo ran", pod=each)
            assert mapped_lab.ended(each).message == "stopped before it started"
        mapped_lab.buckets.create_bucket("none-such")
        mapped_lab.restart()
        time.sleep(0.3)
        assert (mapped_lab.log(), mapped_lab.log("unheard-of")) == ("", "")

    def test_stop_after_the_end(self, mapped_lab: Lab) -> None:
        """Stopping a pod that has ended changes nothing."""
        before = mapped_lab.run("true")
        mapped_lab.executor.stop(POD)
        assert mapped_lab.executor.state(POD) == before

    def test_children_that_fled_end_with_the_pod(self, any_lab: Lab) -> None:
        """A process that left the command's session does not outlive the pod."""
        any_lab.put("in/x")
        any_lab.run("setsid sleep 62 & sleep 0.2; echo done", any_lab.mount("/mnt/in", "in/"))
        assert any_lab.log() == "done"
        assert list(pod_processes.marked(mark_of(any_lab))) == []

    def test_a_killed_supervisor(self, any_lab: Lab) -> None:
        """A pod whose supervisor was killed is failed and says so, its command ends, and it is never run again."""
        any_lab.start("echo ran; echo 1 > /mnt/out/step-1; sleep 63", any_lab.mount("/mnt/out", "out/"))
        any_lab.until((any_lab.pods / POD / "mounts" / "0" / "step-1").exists, "the first step")
        for pid in supervisors(any_lab):
            os.kill(pid, signal.SIGKILL)
        state = any_lab.ended()
        assert state.status == "Failed"
        assert "its supervisor was killed" in state.message
        assert any_lab.stored() == ["out/step-1"]
        assert list(pod_processes.marked(mark_of(any_lab))) == []
        any_lab.restart()
        any_lab.start("echo ran")
        assert any_lab.ended() == state
        assert any_lab.log() == "ran"

    def test_a_killed_supervisor_with_no_emulator_about(self, any_lab: Lab) -> None:
        """The command ends with its supervisor even where no emulator is there to see to it."""
        any_lab.start("echo begun; exec sleep 66", any_lab.mount("/mnt/out", "out/"))
        any_lab.logged("begun")
        any_lab.executor.close()
        for pid in supervisors(any_lab):
            os.kill(pid, signal.SIGKILL)
        any_lab.until(lambda: not list(pod_processes.marked(mark_of(any_lab))), "the end of the command")
        any_lab.restart()
        assert "its supervisor was killed" in any_lab.ended().message

    def test_a_supervisor_that_is_told_to_end(self, mapped_lab: Lab) -> None:
        """A machine that shuts down ends the supervisor with SIGTERM; the pod is stopped in order and says why."""
        mapped_lab.start("echo begun; sleep 64")
        mapped_lab.logged("begun")
        for pid in supervisors(mapped_lab):
            os.kill(pid, signal.SIGTERM)
        assert mapped_lab.ended().message == "stopped: its supervisor was told to end (SIGTERM)"


class TestStarting:
    """What a command is given."""

    def test_once(self, mapped_lab: Lab) -> None:
        """A pod id is started once, however often it is asked for, while it runs and after its end."""
        for _ in range(3):
            mapped_lab.start("echo ran; sleep 0.3")
        mapped_lab.ended()
        mapped_lab.restart()
        mapped_lab.start("echo ran")
        mapped_lab.ended()
        assert mapped_lab.log() == "ran"

    def test_the_environment_is_clean(self, mapped_lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
        """A pod has PATH, HOME, LANG and what its spec says, and nothing of the emulator's own environment."""
        monkeypatch.setenv("JUNBI_EMULATOR_KEY_SECRET", "hidden")
        mapped_lab.run(
            "env -0 | tr '\\0' '\\n'; tr '\\0' '\\n' < /proc/$PPID/environ", env={"WORD": "two words; $HOME"}
        )
        names = {line.partition("=")[0] for line in mapped_lab.log().splitlines()}
        assert names <= {
            "PATH",
            "HOME",
            "LANG",
            "WORD",
            "PWD",
            "PYTHONPATH",
            "_",
            "SHLVL",
            "OLDPWD",
            pod_processes.MARK,
        }
        assert "hidden" not in mapped_lab.log()
        assert "WORD=two words; $HOME" in mapped_lab.log()

    def test_python_is_ours(self, any_lab: Lab) -> None:
        """``python`` in a command is the Python that runs the emulator, with its packages."""
        any_lab.put("in/x")
        any_lab.run("python -c 'import sys, junbi; print(sys.executable)'", any_lab.mount("/root/code", "in/"))
        assert Path(any_lab.log()).parent == Path(sys.executable).parent

    def test_home_and_working_directory_are_the_pods_own(self, any_lab: Lab) -> None:
        """A command can write at home and where it stands, without touching the user's."""
        any_lab.run("echo x > ~/in-home; echo x > here; pwd", any_lab.mount("/mnt/in", "in/"))
        assert (any_lab.pods / POD / "home" / "in-home").exists()
        assert any_lab.log() == str(any_lab.pods / POD / "work")

    def test_a_shell_that_cannot_start(self, mapped_lab: Lab) -> None:
        """A command that no system can start fails the pod with the reason."""
        state = mapped_lab.run("true", env={"HUGE": "x" * (1 << 18)})
        assert (state.status, state.exit_code) == ("Failed", None)
        assert "could not be started" in state.message

    @pytest.mark.parametrize("pod", ["../up", "a/b", "", ".hidden", "x\0", "x" * 300])
    def test_an_id_that_is_no_name(self, mapped_lab: Lab, pod: str) -> None:
        """A pod id that could leave the directory is refused."""
        with pytest.raises(ValueError, match="cannot be a pod's id"):
            mapped_lab.start("true", pod=pod)

    @pytest.mark.parametrize("path", ["relative", "/", "//", "/a/../b", ""])
    def test_a_path_that_is_no_mount_point(self, mapped_lab: Lab, path: str) -> None:
        """A mount path that is relative, the root, or climbs is refused before anything is started."""
        with pytest.raises(ValueError, match="cannot be a mount path"):
            mapped_lab.start("true", mapped_lab.mount(path, "in/"))
        assert mapped_lab.executor.state(POD).status == "Pending"


class TestTelling:
    """Logs and events."""

    def test_a_megabyte_of_log(self, mapped_lab: Lab) -> None:
        """The log holds standard output and error in order, and its tail is as long as asked for."""
        mapped_lab.run("i=0; seq 1 160000; echo oops >&2; echo last")
        assert (mapped_lab.pods / POD / "log").stat().st_size > 1_000_000
        assert mapped_lab.executor.logs(POD, 4) == ["159999", "160000", "oops", "last"]
        assert mapped_lab.executor.logs(POD, 1_000_000)[:2] == ["1", "2"]
        assert len(mapped_lab.executor.logs(POD, 20_000)) == 20_000
        assert mapped_lab.executor.logs(POD, 0) == []

    def test_log_while_it_runs(self, mapped_lab: Lab) -> None:
        """The log can be read while the pod runs, also a line that has no end yet, and bytes that are no UTF-8."""
        mapped_lab.start(r"printf 'one\n\377two'; sleep 65")
        mapped_lab.until(lambda: mapped_lab.executor.logs(POD, 9) == ["one", "\ufffdtwo"], "the unfinished line")
        mapped_lab.until(lambda: mapped_lab.executor.state(POD).status == "Running", "the pod is said to run")

    def test_nothing_is_known_of_an_unknown_pod(self, mapped_lab: Lab) -> None:
        """A pod that was never started is pending, with no log and no events."""
        assert mapped_lab.executor.state("never").status == "Pending"
        assert mapped_lab.executor.logs("never", 10) == mapped_lab.executor.events("never") == []

    def test_events_tell_the_story(self, mapped_lab: Lab) -> None:
        """Events are dated lines from creation to end, and a newline in a text forges none."""
        mapped_lab.put("in/a\n2026-01-01 00:00:00 Forged//x")
        mapped_lab.run("true", mapped_lab.mount("/mnt/in", "in/"))
        events = mapped_lab.executor.events(POD)
        dated = [datetime.strptime(line[:19], "%Y-%m-%d %H:%M:%S").replace(tzinfo=UTC) for line in events]
        assert all(datetime.now(UTC) - at < timedelta(minutes=5) for at in dated)
        assert events[0].endswith("Created pod: job-worker-0")
        assert events[-1].endswith("Container ended: exit code 0")


@pytest.mark.parametrize(
    ("text", "rewritten"),
    [
        ("cat /mnt/out/x", "cat /real/out/x"),
        ("--out=/mnt/out", "--out=/real/out"),
        ("'/mnt/out'", "'/real/out'"),
        ("/mnt/out:/mnt/out/deep/a", "/real/out:/real/deep/a"),
        ("file:///mnt/out/a", "file:///real/out/a"),
        ("/mnt/output", "/mnt/output"),
        ("/mnt/out-2", "/mnt/out-2"),
        ("/mnt/out.txt", "/mnt/out.txt"),
        ("cd /mnt/out. Then", "cd /real/out. Then"),
        ("/x/mnt/out", "/x/mnt/out"),
        ("./mnt/out", "./mnt/out"),
        ("oss://b/mnt/out", "oss://b/mnt/out"),
    ],
)
def test_rewriting(text: str, rewritten: str) -> None:
    """Only whole mount paths are rewritten, the longest first."""
    assert pod_mapping.rewrite(text, {"/mnt/out": "/real/out", "/mnt/out/deep": "/real/deep"}) == rewritten


def test_odd_directories_are_told() -> None:
    """A real directory that a shell would tear apart is told with the mapping."""
    assert "special" not in "\n".join(pod_mapping.notice("why", {"/mnt": "/a/b"}))
    assert "/a b holds characters that a shell treats specially" in "\n".join(
        pod_mapping.notice("why", {"/mnt": "/a b"})
    )


def test_lock_outlives_no_process(tmp_path: Path) -> None:
    """Whether a supervisor lives is told by its lock, which its death frees whatever became of its process id."""
    files = PodFiles(tmp_path / "pod")
    assert not files.alive()
    files.create()
    pid = os.fork()
    if pid == 0:
        files.lock()
        time.sleep(60)
        os._exit(0)
    deadline = time.monotonic() + 10
    while not files.alive() and time.monotonic() < deadline:
        time.sleep(0.01)
    assert files.lock(patience=0.05) is None
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    assert not files.alive()
