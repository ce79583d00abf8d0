"""The supervisor of one pod: starts its command at most once, ever, and outlives the emulator that ordered it.

    python -m junbi.emulator.dlc.pod <pod directory>

It leaves the caller's session, takes the pod's lock and claim, makes the mounts, runs the command, and writes down how
that ended. Source: none; the real DLC does this with Kubernetes.
"""

from __future__ import annotations

import os
import select
import signal
import sys
import time
from pathlib import Path
from typing import Any

from junbi.emulator.dlc import pod_mapping, pod_namespace, pod_processes
from junbi.emulator.dlc.pod_files import PodFiles

_TICK = 0.2  #: seconds between looks for a wish to stop; the command's own end is noticed at once


def main(directory: str) -> None:
    """Supervise the pod in that directory, unless somebody does or did."""
    files = PodFiles(Path(directory))
    # The lock is taken before the fork and inherited, so that the caller, once we return, finds the pod in hands.
    if files.lock() is None:
        return
    if os.fork() != 0:
        return
    os.setsid()
    if files.claim():
        spec = files.read("spec.json")
        if spec is None:
            raise FileNotFoundError(f"{directory}: no spec.json")
        _supervise(files, spec)


def _supervise(files: PodFiles, spec: dict[str, Any]) -> None:
    awake = _Awake()
    try:
        pid = _start(files, spec)
    except OSError as error:
        _finish(files, None, f"the command could not be started: {error}")
        return
    status, reason = _wait(files, spec, pid, awake)
    pod_processes.end(spec["mark"], pid)
    code = os.waitstatus_to_exitcode(status)
    _finish(files, code if code >= 0 else 128 - code, reason or _describe(code))


def _start(files: PodFiles, spec: dict[str, Any]) -> int:
    """Run the command, in its own view of the file system if that can be had; gives its process id."""
    reason = spec["no_namespace"]
    if not reason:
        pid, reason = _run(files, spec["command"], spec["env"], spec)
        if not reason:
            _started(files, f"{'mounts are in place' if spec['mounts'] else 'no mounts'}, in a private namespace")
            return pid
    files.tell(f"not isolated: {reason}. The command can read whatever the local cloud can, its keys included")
    directories = {mount["path"]: mount["directory"] for mount in spec["mounts"]}
    command, env = spec["command"], spec["env"]
    if directories:
        _tell_mapping(files, reason, directories)
        command, env = pod_mapping.rewrite(command, directories), pod_mapping.environment(env, directories)
    pid, reason = _run(files, command, env, None)
    if reason:
        raise OSError(reason)
    _started(files, "mounts are mapped" if directories else "no mounts")
    return pid


def _started(files: PodFiles, how: str) -> None:
    files.write("started.json", {"at": time.time()})
    files.tell(f"Started container: {how}")


def _tell_mapping(files: PodFiles, reason: str, directories: dict[str, str]) -> None:
    lines = pod_mapping.notice(reason, directories)
    for line in lines:
        files.tell(line)
    with files.log.open("a", encoding="utf-8") as log:
        log.writelines(f"[junbi] {line}\n" for line in lines)


def _run(files: PodFiles, command: str, env: dict[str, str], spec: dict[str, Any] | None) -> tuple[int, str]:
    """Fork the command; gives its id, and why it did not get to run (then it is gone). With a spec, in a namespace."""
    reader, writer = os.pipe()  # both close on exec: silence means that the command runs
    parent = os.getpid()
    pid = os.fork()
    if pid == 0:
        try:
            _become(files, command, env, spec, parent)
        except BaseException as error:  # noqa: BLE001 - whatever it is, it is told to the parent, and the fork must end
            os.write(writer, (str(error) or repr(error)).encode()[:4096])
        os._exit(127)
    os.close(writer)
    with os.fdopen(reader, "rb") as stream:
        reason = stream.read().decode()
    if reason:
        os.waitpid(pid, 0)
    return pid, reason


def _become(files: PodFiles, command: str, env: dict[str, str], spec: dict[str, Any] | None, parent: int) -> None:
    """Turn this fork into the command."""
    os.setsid()
    log = os.open(files.log, os.O_CREAT | os.O_APPEND | os.O_WRONLY, 0o600)
    if spec is not None:
        bindings = [(mount["path"], mount["directory"], mount["read_only"]) for mount in spec["mounts"]]
        own = [str(files.directory / name) for name in ("work", "home")]
        pod_namespace.enter(str(files.directory / "root"), bindings, spec["needed"], spec["private"], own)
    # Without its supervisor the command would go on with nobody to say how it ended.
    pod_namespace.die_with_parent(signal.SIGKILL)
    if os.getppid() != parent:
        raise ProcessLookupError("the supervisor ended")
    os.chdir(files.directory / "work")
    os.dup2(log, 1)
    os.dup2(log, 2)
    for number in (signal.SIGPIPE, signal.SIGXFSZ):  # Python ignores these two, and a command would inherit that
        signal.signal(number, signal.SIG_DFL)
    os.execve("/bin/sh", ["sh", "-c", command], env)  # noqa: S606 - running a command is what a pod is for


class _Awake:
    """Sleeps until a child ends, a signal comes, or a tick passes."""

    def __init__(self) -> None:
        self._reader, writer = os.pipe()
        for handle in (self._reader, writer):
            os.set_blocking(handle, False)
        self.terminated = False
        signal.set_wakeup_fd(writer)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.signal(signal.SIGTERM, self._terminate)

    def _terminate(self, *_: object) -> None:
        self.terminated = True

    def sleep(self) -> None:
        if select.select([self._reader], [], [], _TICK)[0]:
            os.read(self._reader, 4096)


def _wait(files: PodFiles, spec: dict[str, Any], pid: int, awake: _Awake) -> tuple[int, str]:
    """Wait for the command, and end it when its time is up or somebody wishes so; gives wait status and reason."""
    limit = time.monotonic() + spec["max_seconds"]
    reason, killing = "", False
    while True:
        ended, status = os.waitpid(pid, os.WNOHANG)
        if ended:
            return status, reason
        now = time.monotonic()
        if not reason:
            reason = _reason_to_stop(files, spec, awake, late=now >= limit)
            if reason:
                files.tell(f"Stopping container: {reason}")
                pod_processes.send(pid, signal.SIGTERM)
                limit = now + spec["grace_seconds"]
        elif now >= limit and not killing:
            killing = True
            pod_processes.end(spec["mark"], pid)
        awake.sleep()


def _reason_to_stop(files: PodFiles, spec: dict[str, Any], awake: _Awake, *, late: bool) -> str:
    if files.has("stop"):
        return "stopped on request"
    if late:
        return f"stopped: it ran longer than {spec['max_seconds']:g} s"
    if awake.terminated:
        return "stopped: its supervisor was told to end (SIGTERM)"
    return ""


def _describe(code: int) -> str:
    if code >= 0:
        return "" if code == 0 else f"the command ended with exit code {code}"
    return f"the command was killed by signal {-code} ({signal.strsignal(-code)})"


def _finish(files: PodFiles, code: int | None, message: str) -> None:
    succeeded = code == 0 and not message
    outcome = {"succeeded": succeeded, "exit_code": code, "message": message, "at": time.time()}
    if files.write_once("outcome.json", outcome):
        files.tell(f"Container ended: {message or 'exit code 0'}")


if __name__ == "__main__":
    main(sys.argv[1])
