"""When a job has ended, its data is proved once more; what changed is noted and changes nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from junbi.core.facts import LaunchState
from junbi.pipeline import launch_views

if TYPE_CHECKING:
    from tests.pipeline.conftest import World


def notes(world: World) -> list[tuple[str, str]]:
    """What people are shown of the launch: input and code."""
    view = launch_views.launch(world.ledger, world.launches[0].id)
    assert view
    return [(note["subject"], note["reason"]["code"]) for note in view["notes"]]


def run(world: World, command: str, *, changes: bool) -> LaunchState:
    """A job that ends, its data changed meanwhile or not; its launch's state after the proof."""
    job = world.plan().job.model_copy(update={"command": command})
    world.apply(world.generation([world.dataset()], [world.plan(job=job)]))
    world.deliver(world.upload())
    world.reconcile()
    assert world.launches[0].state is LaunchState.SUBMITTED
    if changes:
        world.put("digits/v1/part-00.csv", b"something else")
    world.until(LaunchState.FAILED if command == "false" else LaunchState.SUCCEEDED)
    world.reconcile()
    return world.launches[0].state


@pytest.mark.parametrize("command", ["true", "false"])
def test_data_that_changed_is_noted(world: World, command: str) -> None:
    """However the job ended, its launch says so, and stays as it ended."""
    state = run(world, command, changes=True)
    assert state is (LaunchState.FAILED if command == "false" else LaunchState.SUCCEEDED)
    assert notes(world) == [("digits", "DataChangedDuringRun")]
    assert world.codes().count("DataChangedDuringRun") == 1


def test_data_that_stayed_is_not(world: World) -> None:
    """Nothing is noted where the prefix holds what the launch is pinned to, and nothing is left to look at."""
    run(world, "true", changes=False)
    assert notes(world) == []
    assert world.ledger.worklist.entry("proof", world.launches[0].id) is None
