"""HTTP servers in processes of their own: asked over one connection, and the processor time that they spent on it."""

from __future__ import annotations

import http.client
import os
import socket
import subprocess
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from tests.performance.runtime import PYTHON, ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

PEERS = ROOT / ".venv" / "peers" / "bin"


class Served:
    """A server that answers on a port."""

    def __init__(self, process: subprocess.Popen[bytes], port: int) -> None:
        self._process, self._port = process, port
        self._connection = self.connect()

    def connect(self) -> http.client.HTTPConnection:
        """A connection of one's own, kept open."""
        return http.client.HTTPConnection("127.0.0.1", self._port, timeout=60)

    def post(self, body: bytes, headers: Mapping[str, str]) -> tuple[int, bytes]:
        """POST over the one connection; status and body."""
        return post(self._connection, body, headers)

    def cpu(self) -> float:
        """Seconds of processor time that it and its workers spent so far."""
        children = Path(f"/proc/{self._process.pid}/task/{self._process.pid}/children").read_text().split()
        return sum(_cpu(pid) for pid in (self._process.pid, *map(int, children)))


def post(connection: http.client.HTTPConnection, body: bytes, headers: Mapping[str, str]) -> tuple[int, bytes]:
    """POST over a connection; status and body."""
    connection.request("POST", "/", body, dict(headers))
    answer = connection.getresponse()
    return answer.status, answer.read()


def _cpu(pid: int) -> float:
    return time.clock_gettime(~pid << 3 | 2)  # as clock_getcpuclockid(3) makes it, on Linux: nanoseconds, all threads


@contextmanager
def served(command: Sequence[str], environment: Mapping[str, str]) -> Iterator[Served]:
    """A server while the block lasts: ``{port}`` in the command, and FC_SERVER_PORT, are a free port."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    clean = {key: value for key, value in os.environ.items() if not key.startswith(("FC_", "JUNBI_", "ALIBABA_"))}
    process = subprocess.Popen(
        [word.replace("{port}", str(port)) for word in command],
        env={**clean, "JUNBI_BIND": "127.0.0.1", "FC_SERVER_PORT": str(port), **environment},
        cwd=ROOT,
        stdout=subprocess.DEVNULL,
    )
    try:
        _wait(process, port)
        yield Served(process, port)
    finally:
        process.terminate()
        process.wait(20)


def _wait(process: subprocess.Popen[bytes], port: int) -> None:
    while True:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        if process.poll() is not None:
            raise AssertionError(f"{process.args} ended with {process.returncode}")
        time.sleep(0.02)


@contextmanager
def function(name: str, ledger: str, **environment: str) -> Iterator[Served]:
    """A function of junbi as Function Compute serves it, on a ledger."""
    here = {"PYTHONPATH": str(ROOT / "shared"), "JUNBI_CODE_ROOT": str(ROOT), "JUNBI_LEDGER": ledger}
    here["JUNBI_ENDPOINT_FC"] = "http://127.0.0.1:9"  # pokes find nobody at home
    with served([str(PYTHON), "-m", "junbi.runtime", name], {**here, **environment}) as server:
        yield server
