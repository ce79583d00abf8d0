"""A function's child process: started with FC's environment, its output kept, and never left behind."""

from __future__ import annotations

import contextlib
import ctypes
import os
import random
import signal
import socket
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

#: Below the range that the kernel gives to outgoing connections: nothing takes the port between our look and the
#: child's bind, and a probe of a port where nobody listens cannot connect to itself.
_PORTS = range(15000, 32000)
_PR_SET_PDEATHSIG = 1
_TAIL_BYTES = 4096

#: The kernel ends a child when the *thread* that started it ends, so one thread that lives as long as we starts all.
_starter = ThreadPoolExecutor(max_workers=1, thread_name_prefix="fc-start")


def free_port() -> int:
    """A port that nobody listens on."""
    for _ in _PORTS:
        port = random.choice(_PORTS)  # noqa: S311 - spread over the range, not secret
        with socket.socket() as probe:
            try:
                probe.bind(("0.0.0.0", port))  # noqa: S104 - where instances listen; nothing is ever accepted here
            except OSError:
                continue
            return port
    raise OSError("no free port from 15000 to 31999")


class Process:
    """One running command in its own process group, writing both outputs to the end of one file.

    Raises:
        OSError: the command does not exist or may not run.
    """

    def __init__(self, command: Sequence[str], environment: Mapping[str, str], directory: Path, output: Path) -> None:
        output.parent.mkdir(parents=True, exist_ok=True)
        self._output = output
        with output.open("ab") as sink:
            self._begin = sink.tell()
            self._popen = _starter.submit(
                subprocess.Popen,
                list(command),
                env=dict(environment),
                cwd=directory,
                stdin=subprocess.DEVNULL,
                stdout=sink,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                preexec_fn=_die_with_parent(),
            ).result()

    @property
    def pid(self) -> int:
        """The process's id, which is its group's too."""
        return self._popen.pid

    @property
    def alive(self) -> bool:
        """Whether it still runs."""
        return self._popen.poll() is None

    @property
    def exit(self) -> str:
        """How it ended, for a person."""
        code = self._popen.poll()
        if code is None:
            return "still running"
        return f"exit code {code}" if code >= 0 else f"signal {signal.Signals(-code).name}"

    def tail(self, lines: int = 10) -> str:
        """The last lines it wrote."""
        with self._output.open("rb") as written:
            end = written.seek(0, os.SEEK_END)
            written.seek(max(self._begin, end - _TAIL_BYTES))
            text = written.read().decode(errors="replace")
        return "\n".join(text.splitlines()[-lines:])

    def kill(self) -> None:
        """End it and all it started, at once."""
        self._signal(signal.SIGKILL)
        self._popen.wait()

    def end(self, grace: float) -> None:
        """Ask it to end, and end it after so many seconds."""
        self._signal(signal.SIGTERM)
        with contextlib.suppress(subprocess.TimeoutExpired):  # the kill below is the answer
            self._popen.wait(grace)
        self.kill()

    def _signal(self, number: signal.Signals) -> None:
        with contextlib.suppress(ProcessLookupError):  # all of the group have ended already
            os.killpg(self._popen.pid, number)


def _die_with_parent() -> Callable[[], None] | None:
    """What makes the kernel end a child when this process is killed; None where the kernel cannot."""
    if sys.platform != "linux":
        return None
    libc = ctypes.CDLL(None, use_errno=True)
    parent = os.getpid()

    def in_child() -> None:
        libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:  # it was killed between the fork and the line above
            os._exit(1)

    return in_child
