"""The demo, as ``make demo`` runs it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_demo(tmp_path: Path) -> None:
    """Two uploads and a push train three real models, the story is told meanwhile, and it exits 0, in 3 minutes."""
    environment = {name: value for name, value in os.environ.items() if "proxy" not in name.lower()}
    began = time.monotonic()
    demo = subprocess.run(
        [sys.executable, ROOT / "examples" / "demo.py"],
        cwd=tmp_path, env=environment, capture_output=True, text=True, check=False, timeout=300,
    )  # fmt: skip
    assert demo.returncode == 0, demo.stdout + demo.stderr
    assert demo.stderr == ""
    reached = [float(one) for one in re.findall(r"of (0\.\d+)", demo.stdout)]
    assert len(reached) == 3, demo.stdout
    assert all(one > 0.9 for one in reached)
    for told in (
        "Uploading",
        "is complete",
        "is to be launched",
        "was submitted as job",
        "Succeeded",
        "nothing is new",
    ):
        assert told in demo.stdout
    assert time.monotonic() - began < 180
