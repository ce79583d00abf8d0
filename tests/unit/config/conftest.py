"""A valid junbi.yaml to bend, and the problems that bending it gives."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from junbi.config import load_generation
from junbi.errors import ConfigInvalid

if TYPE_CHECKING:
    from collections.abc import Callable

    from junbi.core.plan import Generation

VALID = """\
deployment: vision
environments:
  local: {workspace: "104231", region: cn-hangzhou}
datasets:
  digits:
    watch: oss://vision-data/digits/{version}/
    complete: {marker: _SUCCESS, max_wait: 6h}
    newest: version
    mount: /mnt/digits
  trainer:
    watch: oss://vision-code/trainer/{version}/
    complete: {quiet: 10m}
    mount: /mnt/trainer
images:
  sklearn: {uri: registry.cn-hangzhou.aliyuncs.com/vision/sklearn:1.5}
resources:
  cpu: {public: ecs.g7.large}
plans:
  train:
    on: [digits]
    datasets: [digits, trainer]
    image: sklearn
    resource: cpu
    params: {C: 1.0}
    job:
      type: PyTorchJob
      workers: {count: 1}
      command: python /mnt/trainer/train.py --v {digits.version} --C {params.C}
      env: {MODE: fast}
    outputs:
      model: {uri: "oss://vision-models/digits/{launch}/", mount: /mnt/out}
"""


@pytest.fixture
def valid() -> str:
    """The text of a valid file."""
    return VALID


@pytest.fixture
def judge(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., list[str]]:
    """Loads a text as junbi.yaml and returns each problem, or each warning, as its line of text."""
    monkeypatch.chdir(tmp_path)
    path = Path("junbi.yaml")

    def load(content: str | bytes, environment: str | None = None) -> list[str]:
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        try:
            loaded = load_generation(path, environment)
        except ConfigInvalid as invalid:
            return [str(problem) for problem in invalid.problems]
        return [f"warning: {warning}" for warning in loaded.warnings]

    return load


@pytest.fixture
def bend(judge: Callable[..., list[str]]) -> Callable[..., list[str]]:
    """The problems of the valid file with one piece of its text replaced."""

    def replaced(old: str, new: str, environment: str | None = None) -> list[str]:
        assert VALID.count(old) >= 1, f"{old!r} is not in the valid file"
        return judge(VALID.replace(old, new, 1), environment)

    return replaced


@pytest.fixture
def bent(request: pytest.FixtureRequest) -> Callable[[str, str], str]:
    """The ``FILE`` of the module that asks for it, with one piece of its text replaced wherever it stands."""
    file: str = request.module.FILE

    def bent(old: str, new: str) -> str:
        assert old in file, f"{old!r} is not in the file"
        return file.replace(old, new)

    return bent


@pytest.fixture
def compiled(bent: Callable[[str, str], str], tmp_path: Path) -> Callable[..., Generation]:
    """Compiles the bent ``FILE`` of the module that asks for it; without an argument as it stands there."""

    def compiled(old: str = "deployment", new: str = "deployment") -> Generation:
        path = tmp_path / "junbi.yaml"
        path.write_text(bent(old, new), encoding="utf-8")
        return load_generation(path).generation

    return compiled
