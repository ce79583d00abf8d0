"""Loads the sample functions, in this process or in one of their own."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.fixtures.fc import FC

from junbi.runtime.load import load

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from flask.testing import FlaskClient

    Headers = Callable[..., dict[str, str]]
    Load = Callable[[str], FlaskClient]

FIXTURES = Path(__file__).parents[2] / "fixtures"


def fc(control: str = "/invoke", **more: str) -> dict[str, str]:
    """FC's headers for one call."""
    return {**FC, "x-fc-control-path": control, **{name.replace("_", "-"): value for name, value in more.items()}}


@pytest.fixture(name="fc")
def _fc() -> Headers:
    """Builds FC's headers for one call."""
    return fc


@pytest.fixture
def client() -> Load:
    """A sample function, in process."""
    return lambda name: load(name, FIXTURES).test_client()


@dataclass
class Served:
    """A function in its own process."""

    process: subprocess.Popen[str]
    port: int
    output: Path

    def call(self, path: str, body: bytes = b"", headers: dict[str, str] | None = None) -> tuple[int, bytes]:
        """POST, and the answer."""
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}{path}", body, headers or {}, method="POST")
        try:
            with urllib.request.urlopen(request, timeout=20) as answer:
                return answer.status, answer.read()
        except urllib.error.HTTPError as error:
            with error:
                return error.code, error.read()

    @property
    def said(self) -> list[str]:
        """What it wrote."""
        return self.output.read_text().splitlines()


def command(name: str, environment: dict[str, str], output: Path) -> subprocess.Popen[str]:
    """Start ``python -m junbi.runtime`` as FC does."""
    clean = {
        key: value for key, value in os.environ.items() if not key.startswith(("FC_", "JUNBI_", "ALIBABA_", "PYTHON"))
    }
    with output.open("w") as sink:
        return subprocess.Popen(
            [sys.executable, "-m", "junbi.runtime", *name.split()],
            env={**clean, "JUNBI_BIND": "127.0.0.1", **environment},
            cwd=FIXTURES,
            stdout=sink,
            stderr=subprocess.STDOUT,
            text=True,
        )


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Callable[..., Served]]:
    """Serves a sample function on a free port."""
    running: list[subprocess.Popen[str]] = []

    def start(name: str, **environment: str) -> Served:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        output = tmp_path / f"{name}.out"
        process = command(name, {"FC_SERVER_PORT": str(port), **environment}, output)
        running.append(process)
        while True:
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    return Served(process, port, output)
            assert process.poll() is None, output.read_text()
            time.sleep(0.02)

    yield start
    for process in running:
        process.kill()
        process.wait()


@pytest.fixture
def run(tmp_path: Path) -> Callable[..., tuple[int, str]]:
    """Runs the command until it ends; exit code and output."""

    def run_to_end(name: str, **environment: str) -> tuple[int, str]:
        output = tmp_path / "run.out"
        process = command(name, environment, output)
        return process.wait(20), output.read_text()

    return run_to_end
