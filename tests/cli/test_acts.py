"""The commands by which people act on launches."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable
    from pathlib import Path

    Junbi = Callable[..., subprocess.CompletedProcess[str]]

FILE = """\
deployment: vision
environments:
  local: {workspace: "104231", region: cn-hangzhou}
datasets:
  digits: {watch: "oss://vision-data/digits/{version}/", complete: {marker: _SUCCESS}, mount: /mnt/digits}
images:
  sklearn: {uri: registry.cn-hangzhou.aliyuncs.com/vision/sklearn:1.5}
resources:
  cpu: {public: ecs.g7.large}
plans:
  train:
    on: [digits]
    datasets: [digits]
    image: sklearn
    resource: cpu
    params: {lr: 0.5}
    job: {type: PyTorchJob, command: "true"}
"""


@pytest.fixture
def launched(junbi: Junbi, tmp_path: Path) -> Junbi:
    """A ledger with two versions of a dataset that nobody launched yet."""
    from datetime import UTC, datetime

    from junbi.core.facts import Revision
    from junbi.ledger.ledger import open_ledger

    (tmp_path / "junbi.yaml").write_text(FILE, "utf-8")
    assert junbi("apply").returncode == 0
    now, ledger = datetime(2026, 3, 1, tzinfo=UTC), open_ledger(f"sqlite:///{tmp_path / '.junbi/ledger.db'}")
    for label in ("v1", "v2"):
        revision = Revision(f"rev-{label}", "digits", label, "b", f"digits/{label}/", {}, "d", 1, 1, now, now)
        with ledger.transaction():
            ledger.revisions.add(revision)
            ledger.revisions.put_head(revision)
    return junbi


def test_a_launch_by_hand_and_the_same_again(launched: Junbi) -> None:
    """It is made once, told with its versions; again it exits with 1 and names that one; --dry-run makes none."""
    dry = launched("launch", "train", "--set", "lr=1", "--dry-run", "--json")
    assert launched("launches", json.loads(dry.stdout)["launch"]).returncode == 1
    made = launched("launch", "train", "--pin", "digits=v1", "--set", "lr=1")
    assert (made.returncode, made.stderr) == (0, "")
    assert "train with lr=1.0 is launched as l-" in made.stdout
    assert made.stdout.endswith(", on digits v1.\n")
    again = launched("launch", "train", "--pin", "digits=v1", "--set", "lr=1.0", "--json")
    assert again.returncode == 1
    reason = json.loads(again.stdout)["reason"]
    assert reason["code"] == "AlreadyLaunched"
    assert reason["facts"]["launch"] in made.stdout


def test_what_has_no_version_in_pai_is_told_in_words(launched: Junbi, tmp_path: Path) -> None:
    """An image that nobody wanted registered is not registered; a dataset version that was there is gone."""
    from datetime import UTC, datetime

    from junbi.core.facts import CreateState, InputKind, Revision
    from junbi.ledger.ledger import open_ledger

    now, ledger = datetime(2026, 3, 1, tzinfo=UTC), open_ledger(f"sqlite:///{tmp_path / '.junbi/ledger.db'}")
    image = Revision("rev-i", "torch", "latest", "r", "torch", {}, "sha256:d", 0, 0, now, now, InputKind.IMAGE)
    with ledger.transaction():
        ledger.revisions.add(image)
        for revision, known_as in (("rev-i", "sha256:d"), ("rev-v1", "")):
            before = ledger.revisions.registration(revision)
            ledger.revisions.save_registration(replace(before, state=CreateState.DONE, dataset_id=known_as))
    told = launched("inputs").stdout.splitlines()
    (torch,) = (line for line in told if line.startswith("torch"))
    (first,) = (line for line in told if " v1 " in line)
    assert ("not registered" in torch, " gone " in first) == (True, True)


def test_a_value_that_does_not_fit_is_named(launched: Junbi) -> None:
    """The parameter, what it takes, what it got, and that nothing was launched."""
    refused = launched("launch", "train", "--set", "lr=fast")
    assert refused.returncode == 1
    assert refused.stderr == "junbi: lr: Expected a finite number, got 'fast'. Nothing was launched.\n"


def test_a_dataset_that_exists_is_shown(launched: Junbi, tmp_path: Path) -> None:
    """'diff' tells its version, 'inputs' which plans mount it, and 'launches' that this launch does."""
    corpus = "  corpus: {id: d-k1x2y3z4, version: v7, mount: /mnt/corpus}\n"
    text = FILE.replace("images:\n", f"{corpus}images:\n").replace("datasets: [digits]", "datasets: [digits, corpus]")
    (tmp_path / "junbi.yaml").write_text(text, "utf-8")
    assert "+ dataset corpus" in launched("diff").stdout
    assert launched("apply").returncode == 0
    (tmp_path / "junbi.yaml").write_text(text.replace("v7", "v8"), "utf-8")
    assert 'version: "v7" -> "v8"' in launched("diff").stdout
    told = launched("inputs").stdout
    assert [line.split() for line in told.splitlines() if "corpus" in line] == [["corpus", "d-k1x2y3z4", "v7", "train"]]
    launch = json.loads(launched("launch", "train", "--json").stdout)["launch"]
    assert "trains on digits v2, corpus v7" in launched("launches", launch).stdout
    assert json.loads(launched("launches", launch, "--json").stdout)["mounts"]["corpus"]["dataset_id"] == "d-k1x2y3z4"


def test_cancel_and_rerun(launched: Junbi) -> None:
    """A waiting launch is cancelled, cannot be cancelled twice, and is run again."""
    launch = json.loads(launched("launch", "train", "--json").stdout)["launch"]
    assert launched("rerun", launch).returncode == 1
    assert launched("cancel", launch).stdout == f"Launch {launch} is cancelled.\n"
    done = launched("cancel", launch)
    assert (done.returncode, done.stderr.startswith("HasEnded: ")) == (1, True)
    again = json.loads(launched("rerun", launch, "--json").stdout)
    assert (again["rerun"], again["pins"]) == (1, {"digits": "rev-v2"})
    shown = json.loads(launched("launches", again["launch"], "--json").stdout)
    assert shown["made_by"]
    assert shown["made_by"] in shown["story"][0]["message"]


def test_freeze_and_thaw(launched: Junbi) -> None:
    """A freeze is told once, and ends with what becomes of what it held."""
    assert launched("freeze", "train").stdout == "Plan train is frozen.\n"
    assert launched("freeze", "train").stdout == "Plan train is frozen already.\n"
    assert launched("thaw").returncode == 1
    done = launched("thaw", "train", "--meanwhile", "skip")
    assert done.stdout == "Plan train: thawed. Launches that waited: 0 to go on, 0 let go by.\n"


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("cancel", "l-none"), 1, "There is no launch l-none"),
        (("rerun", "l-none"), 1, "There is no launch l-none"),
        (("approve", "l-none"), 1, "There is no launch l-none"),
        (("launch", "none"), 1, "There is no plan 'none'"),
        (("freeze", "none"), 1, "There is no plan 'none'"),
        (("launch", "train", "--pin", "digits"), 2, "--pin takes NAME=VALUE"),
        (("launch", "train", "--pin", "digits=v9"), 1, "no version 'v9'"),
        (("launch", "train", "--set", "lr=fast"), 1, "Nothing was launched"),
        (("thaw", "--meanwhile", "all"), 2, "'all' is not one of"),
    ],
)
def test_what_cannot_be(launched: Junbi, arguments: tuple[str, ...], code: int, said: str) -> None:
    """Something that is not there exits with 1, a wrong command line with 2, each with a message."""
    done = launched(*arguments)
    assert (done.returncode, said in done.stderr) == (code, True), done.stderr
