"""MountCollision: two mounts on, or nested in, one path."""

from __future__ import annotations

import pytest

from junbi.core.model import State
from junbi.core.plan import JobTemplate, Output, PlanSpec, Resource, Workers
from junbi.core.reasons import Code
from junbi.core.rules.mount_collision import check


def plan(mounts: dict[str, str], outputs: dict[str, str]) -> PlanSpec:
    """A plan with these mounts."""
    return PlanSpec(
        name="train",
        on=tuple(mounts),
        datasets=tuple(mounts),
        mounts=mounts,
        image="r/i:1",
        resource=Resource(name="cpu", public="ecs.g7.large"),
        job=JobTemplate(type="PyTorchJob", workers=Workers(), command="true"),
        outputs=tuple(Output(name=name, uri="oss://out/{launch}/", mount=mount) for name, mount in outputs.items()),
    )


@pytest.mark.parametrize(
    ("mounts", "outputs"),
    [
        ({}, {}),
        ({"a": "/mnt/a", "b": "/mnt/b"}, {"o": "/mnt/out"}),
        ({"a": "/mnt/a", "b": "/mnt/ab"}, {"o": "/mnt/a-b"}),
    ],
)
def test_ready(mounts: dict[str, str], outputs: dict[str, str]) -> None:
    """Paths that only begin alike do not collide."""
    assert check(plan(mounts, outputs)).state is State.READY


@pytest.mark.parametrize(
    ("mounts", "outputs", "message"),
    [
        ({"a": "/mnt/a", "b": "/mnt/a/"}, {}, "dataset a and dataset b are both mounted at /mnt/a."),
        ({"a": "/mnt/a"}, {"o": "/mnt/a"}, "dataset a and output o are both mounted at /mnt/a."),
        ({"a": "/mnt/a"}, {"o": "/mnt/a/out"}, "output o at /mnt/a/out lies inside dataset a at /mnt/a."),
        ({"a": "/mnt/a/in"}, {"o": "/mnt/a"}, "dataset a at /mnt/a/in lies inside output o at /mnt/a."),
        ({"a": "/"}, {"o": "/mnt"}, "output o at /mnt lies inside dataset a at /."),
        (
            {"a": "/m", "b": "/m", "c": "/m/c"},
            {},
            (
                "dataset a and dataset b are both mounted at /m; dataset c at /m/c lies inside dataset a at /m; "
                "dataset c at /m/c lies inside dataset b at /m."
            ),
        ),
    ],
)
def test_blocked(mounts: dict[str, str], outputs: dict[str, str], message: str) -> None:
    """Equal and nested paths block, whichever of the two is the outer one, and every pair is named."""
    found = check(plan(mounts, outputs))
    assert found.state is State.BLOCKED
    assert found.reason is not None
    assert (found.reason.code, found.reason.message) == (Code.MOUNT_COLLISION, message)
    assert found.reason.fix
    assert found.reason.wakes
