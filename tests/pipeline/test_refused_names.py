"""Uploads whose folder has a name that is not acceptable, and what becomes of them when they are taken away."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from junbi.core.facts import ArrivalState

if TYPE_CHECKING:
    from tests.pipeline.conftest import World


@pytest.mark.parametrize("heard", [True, False])
def test_a_refused_folder_that_is_empty_again_is_shown_no_more(world: World, heard: bool) -> None:  # noqa: FBT001
    """Told by events or by none: it is ignored once the last object went away, and refused again with a new one."""

    def events() -> None:
        if heard:
            world.deliver(world.records)
        world.records.clear()
        for _ in range(25):
            world.reconcile()
            world.advance(60)

    world.upload("a b", files=2, marker=None)
    events()
    world.delete("digits/a b/part-00.csv")
    events()
    assert (world.arrival().state, world.arrival().dirty) == (ArrivalState.REFUSED, False)
    world.delete("digits/a b/part-01.csv")
    events()
    assert world.arrival().state is ArrivalState.IGNORED
    assert world.arrival().reason.code == "NoObjectYet"  # type: ignore[union-attr]
    world.upload("a b")
    events()
    assert world.arrival().state is ArrivalState.REFUSED
    assert world.arrival().reason.code == "CaptureRefused"  # type: ignore[union-attr]
    assert world.launches == []
    assert world.ledger.revisions.newest() == []


def test_many_removals_are_one_look(world: World) -> None:
    """However many objects go away under a refused name, the door writes once until it is looked at."""
    world.deliver(world.upload("a b"))
    world.delete("digits/a b/part-00.csv")
    before = world.arrival().row
    world.deliver(world.records[-1:] * 20)
    assert world.arrival().row == before + 1
