"""Runs the command line as a user does: in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

_JUNBI = Path(sys.executable).parent / "junbi"


@pytest.fixture
def junbi(tmp_path: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Runs ``junbi`` with arguments in an empty folder; keyword arguments are environment variables."""

    def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
        clean = {key: value for key, value in os.environ.items() if not key.startswith("JUNBI_")}
        return subprocess.run(
            [str(_JUNBI), *arguments],
            cwd=tmp_path,
            env=clean | environment,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    return run
