"""The Python that Function Compute would have: the pinned runtime requirements and nothing of development."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PYTHON = ROOT / ".venv" / "runtime" / "bin" / "python"
FUNCTIONS = sorted(path.parent.name for path in ROOT.glob("functions/*/app.py"))


def statement(function: str) -> str:
    """What loads a function's app as the runtime does."""
    return f"import runpy; runpy.run_path({str(ROOT / 'functions' / function / 'app.py')!r})"


def python(code: str) -> str:
    """Run code in a fresh interpreter, as in a function's instance; what it printed."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "shared")}
    done = subprocess.run([PYTHON, "-c", code], check=True, capture_output=True, cwd=ROOT, env=environment)
    return done.stdout.decode()
