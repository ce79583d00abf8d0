"""``junbi init``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from junbi.cli.init import starter
from junbi.config import load_generation

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable
    from pathlib import Path

    Junbi = Callable[..., subprocess.CompletedProcess[str]]


def test_init_then_lint(junbi: Junbi, tmp_path: Path) -> None:
    """What init writes is valid, without a warning, and named after its folder."""
    done = junbi("init", "My Team_1")
    assert (done.returncode, done.stderr) == (0, "")
    path = tmp_path / "My Team_1" / "junbi.yaml"
    assert "deployment: my-team-1\n" in path.read_text(encoding="utf-8")
    linted = junbi("lint", "-c", str(path))
    assert (linted.returncode, linted.stderr) == (0, "")


@pytest.mark.parametrize(
    ("folder", "deployment"),
    [("日本", "vision"), ("x-files", "vision"), ("2026", "vision"), ("A" * 80, "a" * 63), ("a" * 62 + "--b", "a" * 62)],
)
def test_any_folder(junbi: Junbi, tmp_path: Path, folder: str, deployment: str) -> None:
    """Whatever the folder is called, the file is valid."""
    assert junbi("init", folder).returncode == 0
    assert load_generation(tmp_path / folder / "junbi.yaml").generation.deployment == deployment


def test_overwrites_nothing(junbi: Junbi, tmp_path: Path) -> None:
    """A file that is there is left as it is, and the answer is 1."""
    path = tmp_path / "junbi.yaml"
    path.write_text("mine", encoding="utf-8")
    done = junbi("init")
    assert done.returncode == 1
    assert "was left as it is" in done.stderr
    assert path.read_text(encoding="utf-8") == "mine"


def test_cannot_write(junbi: Junbi, tmp_path: Path) -> None:
    """Where the file cannot be written, the system's reason is told and the exit code is 3."""
    (tmp_path / "file").write_text("", encoding="utf-8")
    done = junbi("init", "file/below")
    assert done.returncode == 3
    assert done.stderr == "file/below/junbi.yaml could not be written: Not a directory.\n"


def test_choices_are_valid(tmp_path: Path) -> None:
    """Every choice that the file shows in a comment is right when it is taken, one of each kind."""
    text = starter("vision")
    for choice in ("allow: '[0-9]{8}'", "request:", "  Priority: 3", "tags: {stage: nightly}"):
        assert f"# {choice}" in text
        text = text.replace(f"# {choice}", choice)
    for choice in ("quiet: 10m", "count: 20"):
        path = tmp_path / "junbi.yaml"
        path.write_text(text.replace("marker: _SUCCESS", choice), encoding="utf-8")
        assert load_generation(path).warnings == ()
