"""``initial``, ``backfill``: what was there before the first apply, and what arrives later than something newer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from junbi.core.facts import ArrivalState

if TYPE_CHECKING:
    from tests.pipeline.conftest import World


def declare(world: World, versions: tuple[str, ...], **more: Any) -> None:
    """Versions that are there, and then a watch on them."""
    for version in versions:
        world.upload(version, name="older")
    world.records.clear()
    world.advance(10)
    dataset = world.dataset("older").model_copy(update=more)
    world.apply(world.generation([dataset], [world.plan(on=("older",), job=_job(world))]))


def _job(world: World) -> Any:
    return world.plan().job.model_copy(update={"command": "echo {older.version}"})


def trained(world: World) -> list[str]:
    """What the jobs were launched for."""
    return [job.request["UserCommand"] for job in world.jobs]


@pytest.mark.parametrize("versions", [("v1", "v2", "v10"), ("v10", "v2", "v1")])
def test_adopt_registers_all_and_launches_the_newest(world: World, versions: tuple[str, ...]) -> None:
    """BC-41: however they lie there, each is a dataset version, and only the newest has a job."""
    declare(world, versions, initial="adopt")
    world.settle(ticks=4)
    assert sorted(one.label for one in world.ledger.revisions.newest()) == ["v1", "v10", "v2"]
    assert trained(world) == ["echo v10"]


def test_adopt_does_not_wait_for_what_is_incomplete(world: World) -> None:
    """A folder without its marker was looked at; it holds nothing up."""
    world.upload("v3", name="older", marker=None)
    declare(world, ("v1", "v2"), initial="adopt")
    world.settle(ticks=4)
    assert trained(world) == ["echo v2"]


def test_ignore_is_what_happens_unless_it_is_said(world: World) -> None:
    """Without 'initial: adopt' nothing is registered and nothing launched."""
    declare(world, ("v1", "v2"))
    world.settle(ticks=2)
    assert {one.state for one in world.ledger.arrivals.newest()} == {ArrivalState.IGNORED}
    assert trained(world) == []


def test_backfill_launches_what_arrives_late(world: World) -> None:
    """With 'backfill: launch' an older version that comes after a newer one has a job of its own."""
    declare(world, (), backfill="launch")
    for version in ("v2", "v1"):
        world.deliver(world.upload(version, name="older"))
        world.settle(ticks=2)
    assert sorted(trained(world)) == ["echo v1", "echo v2"]


def test_backfill_registers_only_unless_it_is_said(world: World) -> None:
    """Else it is registered and says OlderVersion."""
    declare(world, ())
    for version in ("v2", "v1"):
        world.deliver(world.upload(version, name="older"))
        world.settle(ticks=2)
    assert trained(world) == ["echo v2"]
    assert "OlderVersion" in world.codes()
