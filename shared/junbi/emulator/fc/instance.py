"""One instance of a function: its process from the cold start to the end, and the calls it is given."""

from __future__ import annotations

import contextlib
import http.client
import os
import socket
import threading
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from junbi.emulator.fc import headers as fc_headers
from junbi.emulator.fc.connections import Connections
from junbi.emulator.fc.errors import FunctionNotStarted
from junbi.emulator.fc.process import Process, free_port

if TYPE_CHECKING:
    from pathlib import Path

    from junbi.emulator.fc.connections import Reply
    from junbi.emulator.fc.headers import Headers
    from junbi.emulator.fc.spec import FunctionSpec
    from junbi.emulator.keys import Keys

#: A process that does not listen after this many seconds is given up. Source: Function Compute 3.0 documentation.
START_SECONDS = 120.0
#: Seconds that ``/pre-stop`` may take here, so that the local cloud stops promptly (FC's own bound is configured).
PRE_STOP_SECONDS = 1.0


@dataclass(frozen=True, slots=True)
class Home:
    """What all instances share: where they are, whose they are, and where their output goes."""

    region: str
    account_id: str
    keys: Keys
    logs: Path
    start_seconds: float = START_SECONDS


class InstanceLost(Exception):
    """The instance gave no answer: it died, or ran out of time and was killed."""


class Instance:
    """One process that serves a function. ``start`` comes first; `busy` is kept by whoever hands it out.

    Attributes:
        busy: calls at work.
        ready: set when it serves, or never will (then ``failure`` says why).
    """

    def __init__(self, spec: FunctionSpec, home: Home) -> None:
        self.spec = spec
        self.busy = 0
        self.ready = threading.Event()
        self.failure: FunctionNotStarted | None = None
        self._home = home
        self._port = free_port()
        self._process: Process | None = None
        self._ended = False
        self._lock = threading.Lock()
        self._connections = Connections(self._port)

    @property
    def usable(self) -> bool:
        """Whether calls may be given to it: it starts, or it serves."""
        if not self.ready.is_set():
            return True
        return self.failure is None and self._process is not None and self._process.alive

    def start(self) -> None:
        """Cold start; FunctionNotStarted with the process's last words where it does not come to serve."""
        try:
            self._start()
        except FunctionNotStarted as error:
            self.failure = error
            self.kill()
            raise
        finally:
            self.ready.set()

    def wait(self) -> None:
        """Wait for a start that another thread makes; FunctionNotStarted where that failed."""
        self.ready.wait()
        if self.failure:
            raise self.failure

    def call(self, method: str, target: str, headers: Headers, body: bytes, seconds: float) -> Reply:
        """One request and its answer.

        Raises:
            InstanceLost: there was no answer. Where the time was up, the process has been killed, as FC does.
        """
        try:
            return self._connections.exchange(method, target, headers, body=body, seconds=seconds)
        except TimeoutError as error:
            self.kill()
            raise InstanceLost(f"Function timed out after {seconds:g} seconds") from error
        except (OSError, http.client.HTTPException) as error:
            raise InstanceLost(self._last_words()) from error

    def stop(self) -> None:
        """Say ``/pre-stop`` if that is configured, then end it; takes seconds at most."""
        with self._lock:
            self._ended, process = True, self._process
        if process is None:
            return
        if self.spec.pre_stop and self.ready.is_set() and self.usable:
            with contextlib.suppress(InstanceLost):  # it ends either way
                self.call("GET", "/pre-stop", self.headers("/pre-stop", fc_headers.request_id()), b"", PRE_STOP_SECONDS)
        process.end(PRE_STOP_SECONDS)
        self._connections.close()

    def kill(self) -> None:
        """End it at once."""
        if self._process is not None:
            self._process.kill()
        self._connections.close()

    def headers(self, control_path: str, request: str, retries: int = 0) -> Headers:
        """FC's headers for one call, with credentials issued for it."""
        home = self._home
        key = home.keys.issue(self.spec.name)
        return fc_headers.common(
            self.spec,
            control_path=control_path,
            request=request,
            key=key,
            region=home.region,
            account=home.account_id,
            retries=retries,
        )

    def _start(self) -> None:
        spec = self.spec
        output = self._home.logs / f"{spec.name}.log"
        try:
            process = Process(spec.command, self._environment(), spec.working_directory, output)
        except OSError as error:
            raise FunctionNotStarted(f"{spec.name}: cannot run {' '.join(spec.command)}: {error}") from error
        with self._lock:
            self._process, ended = process, self._ended
        if ended:  # stopped before there was a process to stop; the caller kills it
            raise FunctionNotStarted(f"{spec.name}: stopped while it started")
        self._await_listening(process)
        if spec.initializer:
            self._initialize()

    def _await_listening(self, process: Process) -> None:
        deadline = time.monotonic() + self._home.start_seconds
        while not _listens(self._port):
            if not process.alive:
                why = f"the process ended ({process.exit}) before it served on port {self._port}"
                raise FunctionNotStarted(f"{self.spec.name}: {why}; its last words:\n{process.tail()}")
            if time.monotonic() > deadline:
                why = f"no server on port {self._port} after {self._home.start_seconds:g} s"
                raise FunctionNotStarted(f"{self.spec.name}: {why}; its last words:\n{process.tail()}")
            time.sleep(0.01)

    def _initialize(self) -> None:
        headers = self.headers("/initialize", fc_headers.request_id())
        try:
            reply = self.call("POST", "/initialize", headers, b"", self.spec.timeout)
        except InstanceLost as error:
            raise FunctionNotStarted(f"{self.spec.name}: /initialize: {error}") from error
        if reply.status != http.HTTPStatus.OK or reply.header("x-fc-status") not in {"", "200"}:
            raise FunctionNotStarted(f"{self.spec.name}: /initialize failed: {reply.body.decode(errors='replace')}")

    def _environment(self) -> dict[str, str]:
        # Nothing else of ours passes: a function must not find keys, proxies or settings that FC would not give it.
        ours = {name: os.environ[name] for name in ("PATH", "HOME", "LANG", "TMPDIR") if name in os.environ}
        fc = {
            "FC_SERVER_PORT": str(self._port),
            "FC_FUNCTION_NAME": self.spec.name,
            "FC_FUNCTION_HANDLER": "index.handler",
            "FC_FUNCTION_MEMORY_SIZE": "512",
            "FC_REGION": self._home.region,
            "FC_ACCOUNT_ID": self._home.account_id,
            "FC_QUALIFIER": "LATEST",
            # Our own: FC's network is private, a workstation's is not.
            "JUNBI_BIND": "127.0.0.1",
        }
        return ours | dict(self.spec.environment) | fc

    def _last_words(self) -> str:
        process = self._process
        if process is None:
            return "the instance was never started"
        for _ in range(50):  # the socket closes a moment before the process is seen to have ended
            if not process.alive:
                words = f"; its last words:\n{process.tail()}"
                return f"Process exited unexpectedly before completing request ({process.exit}){words}"
            time.sleep(0.01)
        return "the instance closed the connection without an answer"


def _listens(port: int) -> bool:
    with socket.socket() as probe:
        probe.settimeout(1)
        return probe.connect_ex(("127.0.0.1", port)) == 0
