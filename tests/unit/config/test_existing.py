"""Datasets that exist already in PAI: how junbi.yaml names them, and what a plan may do with them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from junbi.config import load_generation
from junbi.core.plan import ExistingDataset, PlanSpec

if TYPE_CHECKING:
    from collections.abc import Callable

CORPUS = "  corpus: {id: d-k1x2y3z4, version: v7, mount: /mnt/corpus}\n"


def with_corpus(valid: str, **changes: str) -> str:
    """The valid file with the corpus beside its datasets, mounted by its plan."""
    text = valid.replace("images:\n", CORPUS + "images:\n", 1).replace("[digits, trainer]", "[digits, corpus, trainer]")
    for old, new in changes.items():
        assert old in text
        text = text.replace(old, new, 1)
    return text


def test_it_is_mounted_and_no_input(judge: Callable[..., list[str]], valid: str) -> None:
    """It is compiled with its id, version and mount, apart from what is watched; its placeholders are known."""
    text = with_corpus(valid, fast="'{corpus.version} of {corpus.id}'")
    assert judge(text) == []
    generation = load_generation(Path("junbi.yaml")).generation
    corpus = ExistingDataset(name="corpus", id="d-k1x2y3z4", version="v7", mount="/mnt/corpus")
    assert generation.existing == {"corpus": corpus}
    assert set(generation.datasets) == {"digits", "trainer"}
    plan = generation.plans["train"]
    assert (plan.datasets, plan.existing) == (("digits", "trainer"), (corpus,))
    assert set(plan.mounts) == {"digits", "trainer"}


def test_it_starts_no_plan(judge: Callable[..., list[str]], valid: str) -> None:
    """In 'on' it is a mistake, alone and in 'all', told at its place: it never changes."""
    said = "'corpus' is version v7 for good, so it can never start a plan: name a dataset that is watched"
    text = with_corpus(valid)
    assert judge(text.replace("on: [digits]", "on: [digits, corpus]")) == [
        f"junbi.yaml:21:18: plans.train.on[1]: {said}"
    ]
    assert judge(text.replace("on: [digits]", "on: {all: [corpus, digits]}")) == [
        f"junbi.yaml:21:16: plans.train.on.all[0]: {said}"
    ]


def test_its_mount_is_its_own(judge: Callable[..., list[str]], valid: str) -> None:
    """A mount on or inside another one's is told as it is between watched datasets."""
    (problem,) = judge(with_corpus(valid).replace("mount: /mnt/corpus", "mount: /mnt/digits/more"))
    assert "MountCollision: dataset corpus at /mnt/digits/more lies inside dataset digits at /mnt/digits" in problem


def test_only_its_id_and_version_are_placeholders(judge: Callable[..., list[str]], valid: str) -> None:
    """What it cannot tell is a mistake that names what there is."""
    (problem,) = judge(with_corpus(valid, fast="'{corpus.verison}'"))
    assert "{corpus.verison} names nothing (did you mean 'corpus.version'?)" in problem


def test_joins_go_by_what_is_watched(judge: Callable[..., list[str]], valid: str) -> None:
    """An existing dataset has no placeholders to agree in, and keeps nobody else from being checked."""
    text = with_corpus(valid)
    assert judge(text.replace("on: [digits]", "on: [digits]\n    join: [version]")) == []
    (problem,) = judge(text.replace("on: [digits]", "on: [digits]\n    join: [day]"))
    assert "no input's watch has {day}; they have: version" in problem


def test_what_was_stored_before_is_readable() -> None:
    """A plan that an earlier version stored names no existing datasets."""
    row = (
        '{"name": "train", "on": ["digits"], "datasets": ["digits"], "mounts": {"digits": "/mnt/digits"}, "image": "i",'
        '"resource": {"name": "cpu", "public": "ecs.g7.large"}, "job": {"type": "PyTorchJob", "workers": {}, '
        '"command": "true"}}'
    )
    assert PlanSpec.model_validate_json(row).existing == ()
