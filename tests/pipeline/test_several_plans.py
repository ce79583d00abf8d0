"""Several plans on one dataset, some of which are broken, applied again or removed: each stands for itself."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import pytest
from tests.pipeline.test_policies import arrive, code

from junbi.core.facts import LaunchState
from junbi.core.policy import Policy
from junbi.pipeline import acts, launch_views

if TYPE_CHECKING:
    from pathlib import Path

    from tests.pipeline.conftest import World

THREE = ("eval", "sweep", "train")


def declare(world: World, *names: str, ghost: str = "", priority: int | None = None) -> None:
    """Put plans in force that each new version of the digits starts; the ``ghost`` counts on an input it has not."""
    plans = [world.plan(name, policy=Policy(overlap="allow", priority=priority)) for name in names]
    broken = [one.model_copy(update={"on": ("digits", "nothing")}) if one.name == ghost else one for one in plans]
    world.apply(world.generation([world.dataset()], broken))


def spoil(directory: Path, plan: str) -> None:
    """Make a plan's row one that this version cannot read."""
    with closing(sqlite3.connect(directory / "ledger.db")) as connection, connection:
        assert connection.execute("UPDATE plan SET spec = '{\"name\": 7}' WHERE name = ?", (plan,)).rowcount == 1


def started(world: World) -> list[tuple[str, str]]:
    """Plan and version of each launch."""
    revisions = world.ledger.revisions
    return sorted((one.plan, revisions.get(one.pins["digits"]).label) for one in world.launches)


def test_bc_5_one_event_starts_every_plan_it_concerns(world: World) -> None:
    """BC-5: a version that three plans train on starts all three."""
    declare(world, *THREE)
    arrive(world, "v1")
    assert started(world) == [(name, "v1") for name in THREE]


@pytest.mark.parametrize("bad", THREE)
def test_bc_5_a_plan_that_cannot_be_read_costs_no_other(world: World, tmp_path: Path, bad: str) -> None:
    """BC-5: the others are launched, wherever it stands; it is told, and launched once it was applied again."""
    declare(world, *THREE)
    spoil(tmp_path, bad)
    arrive(world, "v1")
    others = [name for name in THREE if name != bad]
    assert started(world) == [(name, "v1") for name in others]
    (told,) = [entry["message"] for entry in world.ledger.stories() if entry["code"] == "EvaluationFailed"]
    assert told.startswith(f"{bad} could not be evaluated for digits v1 (ValidationError: ")
    world.settle(ticks=6)
    assert world.codes().count("EvaluationFailed") == 1, "told once, however often it is tried"
    declare(world, *THREE, priority=2)
    world.settle(ticks=4)
    assert started(world) == [(name, "v1") for name in THREE]
    assert len(world.jobs) == 3


def test_bc_35_a_plan_whose_evaluation_fails_costs_no_other(world: World) -> None:
    """BC-35: the reaction of one plan raises; those of the others are committed, then and at the next version."""
    declare(world, *THREE, ghost="sweep")
    arrive(world, "v1", "v2")
    assert started(world) == [("eval", "v1"), ("eval", "v2"), ("train", "v1"), ("train", "v2")]
    told = [entry["message"] for entry in world.ledger.stories() if entry["code"] == "EvaluationFailed"]
    assert len(told) == 2, "once for each version"
    world.settle(ticks=4)
    assert world.codes().count("EvaluationFailed") == 2
    assert len(world.jobs) == 4
    declare(world, *THREE)
    world.settle(ticks=4)
    assert ("sweep", "v2") in started(world)


def test_bc_35_a_launch_that_fails_costs_no_other(world: World, tmp_path: Path) -> None:
    """BC-35: a waiting launch whose plan cannot be read is looked at again, while the others are submitted."""
    declare(world, *THREE)
    for name in THREE:
        acts.freeze(world.ledger, name, "li")
    arrive(world, "v1")
    spoil(tmp_path, "sweep")
    for name in ("eval", "train"):
        acts.thaw(world.ledger, name, "li")
    world.settle(ticks=3)
    states = {one.plan: one.state for one in world.launches}
    assert states == {"eval": LaunchState.SUBMITTED, "sweep": LaunchState.WAITING, "train": LaunchState.SUBMITTED}
    (bad,) = [one for one in launch_views.launches(world.ledger)["launches"] if one["plan"] == "sweep"]
    assert "Plan sweep is stored in a way that this version of junbi cannot read" in bad["next_look"]["problem"]


def test_bc_4_applying_again_multiplies_nothing(world: World) -> None:
    """BC-4: the same file applied while events flow starts each plan once for each version, and never again."""
    for version in ("v1", "v2"):
        for _ in range(3):
            declare(world, "eval", "train")
        world.deliver(world.upload(version))
        declare(world, "train", "eval")
        world.reconcile()
        declare(world, "eval", "train")
        world.settle(ticks=2)
    wanted = [(plan, version) for plan in ("eval", "train") for version in ("v1", "v2")]
    assert started(world) == sorted(wanted)
    assert len(world.jobs) == 4
    for _ in range(3):
        declare(world, "eval", "train")
        world.settle(ticks=2)
    assert len(world.jobs) == 4


def test_bc_43_what_waits_for_a_removed_plan_says_so(world: World) -> None:
    """BC-43: a plan that was removed launches nothing any more, and what it left behind is listed with the reason."""
    declare(world, "eval", "train")
    acts.freeze(world.ledger, "train", "li")
    arrive(world, "v1")
    declare(world, "eval")
    acts.thaw(world.ledger, "", "li")
    world.settle(ticks=3)
    arrive(world, "v2")
    world.settle(ticks=3)
    left = [one for one in world.launches if one.plan == "train"]
    assert [(one.state, code(one)) for one in left] == [(LaunchState.WAITING, "PlanRemoved")]
    assert {job.request["Settings"]["Tags"]["junbi.launch"] for job in world.jobs}.isdisjoint({left[0].id})
    assert started(world) == [("eval", "v1"), ("eval", "v2"), ("train", "v1")]
    (shown,) = [one for one in launch_views.launches(world.ledger)["launches"] if one["plan"] == "train"]
    assert (shown["held_by"], shown["reason"]["code"]) == ("Blocked", "PlanRemoved")


def test_bc_43_what_settled_for_a_removed_plan_says_so(world: World) -> None:
    """BC-43: what was to be merged for it is told, and starts nothing."""
    settling = world.plan(settle=600)
    world.apply(world.generation([world.dataset()], [settling]))
    arrive(world, "v1")
    world.apply(world.generation([world.dataset()], []))
    world.advance(601)
    world.reconcile()
    assert world.launches == []
    assert world.codes()[-1] == "PlanRemoved"
