"""``junbi lint``, and what every command does about configuration, errors and exit codes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable

    Junbi = Callable[..., subprocess.CompletedProcess[str]]

EXAMPLE = (Path(__file__).parents[2] / "junbi.yaml").read_text(encoding="utf-8")


def test_example_is_fine(junbi: Junbi, tmp_path: Path) -> None:
    """The file at the top of the repository has no problem and no warning."""
    (tmp_path / "junbi.yaml").write_text(EXAMPLE, encoding="utf-8")
    done = junbi("lint")
    assert (done.returncode, done.stdout, done.stderr) == (0, "junbi.yaml is fine: 1 plan, 1 dataset.\n", "")


def test_problems(junbi: Junbi, tmp_path: Path) -> None:
    """Problems stand on stderr as file:line:col: path: message, and the answer is 1."""
    bent = EXAMPLE.replace("image: sklearn", "imge: sklearn")
    (tmp_path / "junbi.yaml").write_text(bent, encoding="utf-8")
    line = 1 + bent[: bent.index("imge")].count("\n")
    done = junbi("lint")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.splitlines()[1].startswith(
        f"junbi.yaml:{line}:5: plans.train-digits.imge: unknown key 'imge' (did you mean 'image'?)"
    )


def test_json(junbi: Junbi, tmp_path: Path) -> None:
    """--json answers with the same problems and warnings as data, on stdout."""
    path = tmp_path / "junbi.yaml"
    path.write_text(EXAMPLE.replace("digits/{version}/", "a%20/{version}/"), encoding="utf-8")
    done = junbi("lint", "--json")
    told = json.loads(done.stdout)
    assert (done.returncode, done.stderr, told["ok"], told["problems"]) == (0, "", True, [])
    assert told["warnings"][0]["path"] == "datasets.digits.watch"
    path.write_text("deployment: 1", encoding="utf-8")
    done = junbi("lint", "--json")
    told = json.loads(done.stdout)
    assert (done.returncode, told["ok"], told["warnings"]) == (1, False, [])
    assert told["problems"][0] == {
        "path": "environments",
        "message": "is missing",
        "line": 1,
        "column": 1,
        "file": "junbi.yaml",
    }


def test_warning(junbi: Junbi, tmp_path: Path) -> None:
    """A warning is shown and changes no exit code."""
    (tmp_path / "junbi.yaml").write_text(EXAMPLE.replace("digits/{launch}/", "digits/"), encoding="utf-8")
    done = junbi("lint")
    assert done.returncode == 0
    assert done.stderr.startswith("warning: junbi.yaml:")


def test_every_environment(junbi: Junbi, tmp_path: Path) -> None:
    """A file with two environments is fine without --env; with it, the name must be one of them."""
    two = EXAMPLE.replace("  local:", '  prod: {workspace: "2", region: cn-beijing}\n  local:')
    (tmp_path / "junbi.yaml").write_text(two, encoding="utf-8")
    assert junbi("lint").returncode == 0
    assert junbi("lint", "--env", "prod").returncode == 0
    wrong = junbi("lint", "--env", "prd")
    assert wrong.returncode == 1
    assert "no environment 'prd' (did you mean 'prod'?)" in wrong.stderr


class TestWhichFile:
    """Where the configuration is looked for."""

    def test_option_and_variable(self, junbi: Junbi, tmp_path: Path) -> None:
        """--config comes before JUNBI_CONFIG, and both before what lies in the folder."""
        for name in ("a", "b"):
            (tmp_path / f"{name}.yaml").write_text(EXAMPLE, encoding="utf-8")
        assert junbi("lint", "-c", "a.yaml", JUNBI_CONFIG="b.yaml").stdout.startswith("a.yaml is fine")
        assert junbi("lint", JUNBI_CONFIG="b.yaml").stdout.startswith("b.yaml is fine")

    def test_folder(self, junbi: Junbi, tmp_path: Path) -> None:
        """junbi.d/ is taken where it is; beside a junbi.yaml one must be chosen."""
        (tmp_path / "junbi.d").mkdir()
        (tmp_path / "junbi.d/all.yaml").write_text(EXAMPLE, encoding="utf-8")
        assert junbi("lint").stdout.startswith("junbi.d is fine")
        (tmp_path / "junbi.yaml").write_text(EXAMPLE, encoding="utf-8")
        both = junbi("lint")
        assert both.returncode == 2
        assert "choose one with --config" in both.stderr

    def test_none(self, junbi: Junbi) -> None:
        """Where there is none, the answer says how to get one."""
        done = junbi("lint")
        assert done.returncode == 1
        assert done.stderr.startswith("junbi.yaml: no such file: 'junbi init' writes one")


@pytest.mark.parametrize("arguments", [["lnt"], ["lint", "--jsn"], ["lint", "extra"], []])
def test_usage(junbi: Junbi, arguments: list[str]) -> None:
    """A command line that cannot be understood is exit code 2, and says what there is."""
    done = junbi(*arguments)
    assert done.returncode == 2
    assert "Usage: junbi" in done.stderr
