"""What the timer sees of a watch that no event can tell: events that do not come, objects in no version's folder."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from junbi.pipeline import input_views

if TYPE_CHECKING:
    from tests.pipeline.conftest import World


def findings(world: World) -> list[dict[str, Any]]:
    """What people are shown."""
    (watched,) = input_views.watched(world.ledger)
    found: list[dict[str, Any]] = watched["findings"]
    return found


def rounds(world: World, minutes: int = 3) -> None:
    """Ticks for so long."""
    for _ in range(minutes):
        world.reconcile()
        world.advance(60)
    world.reconcile()


def test_bc_8_bc_13_no_events_and_yet_objects_changed(world: World) -> None:
    """BC-8, BC-13: an upload that the timer alone found says so, and which trigger to look at, until an event comes."""
    world.upload()
    rounds(world)
    (found,) = findings(world)
    assert (found["code"], "never any before" in found["message"]) == ("NoEvents", True)
    assert "oss_upload" in found["fix"]
    world.deliver(world.upload("v2"))
    assert findings(world) == []
    world.advance(120)
    world.upload("v3")
    rounds(world)
    assert "none came since" in findings(world)[0]["message"]


def test_an_upload_that_events_tell_of_is_no_finding(world: World) -> None:
    """However late the timer looks, what an event told of first is in order."""
    world.deliver(world.upload())
    rounds(world)
    assert findings(world) == []


def test_objects_in_no_folder_are_shown_with_the_last_one(world: World) -> None:
    """A file beside the version folders is trained on by nobody, and says so until it is gone: one row for all."""
    for number in range(3):
        world.put(f"digits/loose-{number}.csv", b"x")
        world.advance(1)
    world.put("digits/", b"")  # a folder's placeholder is no stray
    rounds(world, 1)
    (found,) = [one for one in findings(world) if one["code"] == "NotWatched"]
    assert ("3 object(s)" in found["message"], "digits/loose-2.csv" in found["message"]) == (True, True)
    for number in range(3):
        world.delete(f"digits/loose-{number}.csv")
    rounds(world, 1)
    assert [one for one in findings(world) if one["code"] == "NotWatched"] == []
