"""The ``junbi`` command itself."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click
import pytest

from junbi.cli import COMMANDS, run
from junbi.cli import cli as group
from junbi.errors import ConfigInvalid, JunbiError, LedgerUnavailable, OutcomeUnknown, Problem, Refused

if TYPE_CHECKING:
    from collections.abc import Callable


def test_help(junbi: Callable[..., subprocess.CompletedProcess[str]]) -> None:
    """Every command is listed with what it does."""
    done = junbi("--help")
    assert done.returncode == 0
    for name in COMMANDS:
        assert f"\n  {name} " in done.stdout


def test_version(junbi: Callable[..., subprocess.CompletedProcess[str]]) -> None:
    """--version tells it."""
    assert junbi("--version").stdout.startswith("junbi 0.")


@pytest.mark.parametrize("name", COMMANDS)
def test_commands_exist(name: str) -> None:
    """Every line of the table leads to a command of that name, and each has a help text."""
    command = group.get_command(None, name)  # type: ignore[arg-type]
    assert command is not None
    assert command.name == name
    assert command.help


def test_lazy() -> None:
    """A command imports neither the other commands nor YAML, unless it needs them."""
    code = (
        "import sys; from junbi.cli import run; run(['init', '--help']); "
        "print(sorted(m for m in sys.modules if m.startswith(('junbi.cli.', 'junbi.config', 'ruamel', 'pydantic'))))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "['junbi.cli.init']"


@pytest.mark.parametrize(
    ("failure", "code", "told"),
    [
        (ConfigInvalid([Problem("a.b", "is wrong", 3, 4, "f.yaml")]), 1, "f.yaml:3:4: a.b: is wrong\n"),
        (LedgerUnavailable("the disk is full"), 3, "junbi: the disk is full\n"),
        (OutcomeUnknown("CreateJob", "timeout", "no answer"), 3, "junbi: CreateJob: timeout: no answer\n"),
        (Refused("GetJob", "Denied", "no"), 3, "junbi: GetJob: Denied: no\n"),
        (JunbiError("no"), 1, "junbi: no\n"),
    ],
)
def test_exit_codes(capsys: pytest.CaptureFixture[str], failure: JunbiError, code: int, told: str) -> None:
    """An error is told on stderr in one piece, and its exit code says whether we know the answer."""

    @click.command()
    def fail() -> None:
        raise failure

    assert run([], fail) == code
    assert capsys.readouterr().err == told


def test_closed_pipe() -> None:
    """A reader that has seen enough (junbi schema | head -1) leads to no message."""
    reader, writer = os.pipe()
    os.close(reader)
    junbi = Path(sys.executable).parent / "junbi"
    done = subprocess.run([str(junbi), "schema"], stdout=writer, stderr=subprocess.PIPE, text=True, check=False)
    os.close(writer)
    assert done.stderr == ""
