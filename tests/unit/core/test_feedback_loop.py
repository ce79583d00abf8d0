"""FeedbackLoop (BC-128): an output under a prefix that triggers the plan."""

from __future__ import annotations

import pytest

from junbi.core.model import State
from junbi.core.places import pattern_of, split
from junbi.core.plan import Complete, DatasetSpec, JobTemplate, Output, PlanSpec, Resource, Watch, Workers
from junbi.core.reasons import Code
from junbi.core.rules.feedback_loop import check, triggered


def dataset(name: str, uri: str) -> DatasetSpec:
    """A dataset that watches ``uri``."""
    bucket, path = split(uri)
    root, pattern, captures = pattern_of(path)
    watch = Watch(bucket=bucket, root=root, pattern=pattern, captures=captures)
    return DatasetSpec(name=name, watch=watch, complete=Complete(marker="_SUCCESS"), mount=f"/mnt/{name}")


DATASETS = {
    "digits": dataset("digits", "oss://data/digits/{version}/"),
    "trainer": dataset("trainer", "oss://code/trainer/{version}/"),
}


def plan(*uris: str) -> PlanSpec:
    """A plan started by digits that writes to these."""
    return PlanSpec(
        name="train",
        on=("digits",),
        datasets=("digits", "trainer"),
        mounts={},
        image="r/i:1",
        resource=Resource(name="cpu", public="ecs.g7.large"),
        job=JobTemplate(type="PyTorchJob", workers=Workers(), command="true"),
        outputs=tuple(Output(name=f"o{index}", uri=uri, mount="/mnt/out") for index, uri in enumerate(uris)),
    )


@pytest.mark.parametrize(
    "uri",
    [
        "oss://models/{launch}/",
        "oss://data/models/{launch}/",
        "oss://data/digits-models/{launch}/",
        "oss://code/trainer/x/",
    ],
)
def test_ready(uri: str) -> None:
    """Outputs elsewhere, and under datasets that do not start this plan, are no loop."""
    assert check(plan(uri), DATASETS).state is State.READY


@pytest.mark.parametrize(
    "uri",
    [
        "oss://data/digits/{launch}/",
        "oss://data/digits/v1/out/",
        "oss://data/digits/",
        "oss://data/{launch}/",
        "oss://data/",
        "oss://data/{params.x}/out/",
    ],
)
def test_bc_128_blocked(uri: str) -> None:
    """An output that can land under the watch, above it or below it, blocks and says which."""
    found = check(plan("oss://models/{launch}/", uri), DATASETS)
    assert found.state is State.BLOCKED
    assert found.reason is not None
    assert found.reason.code == Code.FEEDBACK_LOOP
    assert found.reason.message.startswith(f"output o1 ({uri}) lies under dataset digits, which starts plan train")
    assert found.reason.fix


def test_triggered() -> None:
    """Every dataset of the deployment that an output makes an arrival for is named."""
    output = Output(name="o", uri="oss://code/trainer/{launch}/", mount="/o")
    assert triggered(output, DATASETS) == ("trainer",)
