"""What no event told of is found by the timer, however deep a watch lies."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from junbi.core.places import pattern_of
from junbi.core.plan import Watch

if TYPE_CHECKING:
    from tests.pipeline.conftest import World


@pytest.mark.parametrize(
    ("path", "folder"),
    [
        ("deep/{version}/", "deep/v1/"),
        ("deep/{version}/data/final/", "deep/v1/data/final/"),
        ("deep/{site}/a/b/{version}/", "deep/tokyo/a/b/v1/"),
        ("a/b/c/{site}/{version}/", "a/b/c/tokyo/v1/"),
    ],
)
def test_a_folder_is_found_at_any_depth(world: World, path: str, folder: str) -> None:
    """With every event lost, a version folder is found where its watch says, and nothing above or below it."""
    root, pattern, captures = pattern_of(path)
    watch = Watch(bucket="data", root=root, pattern=pattern, captures=captures)
    spec = world.dataset("deep").model_copy(update={"watch": watch})
    job = world.plan().job.model_copy(update={"command": "true"})
    world.apply(world.generation([spec], [world.plan(on=("deep",), job=job)]))
    world.put(f"{folder}part", b"1")
    world.put(f"{folder}more/part", b"1")
    world.put(f"{folder}_SUCCESS", b"")
    world.settle(ticks=2)
    assert [one.prefix for one in world.ledger.arrivals.newest()] == [folder]
    assert len(world.launches) == 1


def test_a_watch_that_cannot_be_listed_stops_no_other(world: World) -> None:
    """With every event lost and the first watch's bucket gone, what lies in the others is found all the same."""
    gone = world.dataset("aaa")
    gone = gone.model_copy(update={"watch": gone.watch.model_copy(update={"bucket": "gone"})})
    job = world.plan().job.model_copy(update={"command": "true"})
    world.apply(world.generation([gone, world.dataset()], [world.plan(job=job)]))
    world.upload()
    world.settle(ticks=2)
    assert [one.prefix for one in world.ledger.arrivals.newest()] == ["digits/v1/"]
    assert len(world.launches) == 1
