"""What comes after an upload was closed: late files, removals, names that became acceptable."""

from __future__ import annotations

from typing import TYPE_CHECKING

from junbi.core.facts import ArrivalState, LaunchState

if TYPE_CHECKING:
    from tests.pipeline.conftest import World


def closed(world: World, version: str = "v1") -> None:
    """A version that was uploaded, closed and launched; its events delivered."""
    world.deliver(world.upload(version))
    world.reconcile()
    world.records.clear()


def messages(world: World, code: str) -> list[str]:
    """What the story says under a code."""
    return [one["message"] for one in world.ledger.stories() if one["code"] == code]


def test_a_late_file_opens_the_next_round_and_says_so(world: World) -> None:
    """A file after the closing is told by name, and waits for a marker that speaks for it."""
    closed(world)
    world.advance(5)
    world.put("digits/v1/late.csv", b"late")
    world.deliver(world.records)
    world.settle(ticks=2)
    assert world.arrival().state is ArrivalState.OPEN
    assert world.arrival().reason.code == "MarkerStale"  # type: ignore[union-attr]
    (said,) = messages(world, "ArrivalReopened")
    assert "oss://data/digits/v1/late.csv came after it was closed" in said
    assert len(world.jobs) == 1


def test_a_removal_marks_a_closed_upload_changed(world: World) -> None:
    """A member that went away is found by comparing, told, and makes no revision and no launch."""
    closed(world)
    world.delete("digits/v1/part-00.csv")
    world.deliver(world.records)
    world.settle(ticks=2)
    arrival = world.arrival()
    assert (arrival.state, arrival.dirty) == (ArrivalState.CLOSED, False)
    assert arrival.reason is not None
    assert arrival.reason.code == "DatasetChanged"
    assert "3 objects then, 2 now" in arrival.reason.message
    assert len(world.ledger.revisions.newest()) == len(world.jobs) == 1


def test_a_late_event_of_an_old_removal_changes_nothing(world: World) -> None:
    """An event is a hint: a removal from before the closing, delivered after it, leaves the upload as it is."""
    world.put("digits/v1/part-99.csv", b"a slip")
    world.delete("digits/v1/part-99.csv")
    removal = world.records[-1:]
    closed(world)
    world.deliver(removal)
    assert world.arrival().dirty
    world.settle(ticks=2)
    assert (world.arrival().state, world.arrival().reason, world.arrival().dirty) == (ArrivalState.CLOSED, None, False)


def test_what_was_put_back_is_unchanged_again(world: World) -> None:
    """The same object put back closes as the same revision; nothing is launched a second time."""
    closed(world)
    world.delete("digits/v1/part-00.csv")
    world.deliver(world.records)
    world.settle(ticks=2)
    world.records.clear()
    world.deliver(world.upload())
    world.settle(ticks=2)
    assert (world.arrival().state, world.arrival().reason) == (ArrivalState.CLOSED, None)
    assert len(world.ledger.revisions.newest()) == len(world.jobs) == 1


def test_a_million_removals_are_one_doubt(world: World) -> None:
    """However many members go away, the door writes once until they are compared."""
    closed(world)
    for number in range(3):
        world.delete(f"digits/v1/part-{number:02}.csv")
    before = world.arrival().row
    world.deliver(world.records * 50)
    assert world.arrival().row == before + 1


def test_the_marker_s_removal_is_no_change(world: World) -> None:
    """The marker is no member: taking it away changes nothing that was trained on."""
    closed(world)
    world.delete("digits/v1/_SUCCESS")
    world.deliver(world.records)
    assert not world.arrival().dirty


def test_a_removal_while_it_is_compared_is_not_lost(world: World) -> None:
    """A member that goes away between the first page and the verdict starts the comparison anew."""
    closed(world)
    world.delete("digits/v1/part-00.csv")
    world.deliver(world.records)
    world.records.clear()

    class Late:
        def __init__(self, objects: object) -> None:
            self._objects, self.done = objects, False

        def list_page(self, *args: object, **more: object) -> object:
            page = self._objects.list_page(*args, **more)  # type: ignore[attr-defined]
            if not self.done and args[1] == "digits/v1/":
                self.done = True
                world.delete("digits/v1/part-01.csv")
                world.deliver(world.records)
            return page

    ports = world.ports()
    ports.objects = Late(ports.objects)  # type: ignore[assignment]
    world.reconcile(ports)
    world.settle(ticks=2)
    reason = world.arrival().reason
    assert reason is not None
    assert "3 objects then, 1 now" in reason.message


def test_a_launch_that_waits_hears_of_the_removal(world: World) -> None:
    """What makes a closed version no longer what it was wakes the launch that waits for it: DatasetChanged."""
    job = world.plan().model_copy(
        update={"resource": world.plan().resource.model_copy(update={"public": "ecs.no.large"})}
    )
    world.apply(world.generation([world.dataset()], [job]))
    closed(world)
    assert world.launches[0].state is LaunchState.WAITING
    due = world.ledger.worklist.entry("launch", world.launches[0].id)["due_at"]  # type: ignore[index]
    world.delete("digits/v1/part-00.csv")
    world.deliver(world.records)
    world.reconcile()
    looked = world.ledger.worklist.entry("launch", world.launches[0].id)["due_at"]  # type: ignore[index]
    assert looked > due


def test_apply_opens_what_a_wider_allow_accepts(world: World) -> None:
    """A folder that was refused for its name is closed and launched once 'allow' takes it, without a new event."""
    world.deliver(world.upload("a b"))
    world.settle(ticks=2)
    assert world.arrival().state is ArrivalState.REFUSED
    wider = world.dataset().watch.model_copy(update={"allow": "[a-z ]+"})
    world.apply(world.generation([world.dataset().model_copy(update={"watch": wider})], [world.plan()]))
    world.settle(ticks=2)
    assert world.arrival().state is ArrivalState.CLOSED
    assert [one.label for one in world.ledger.revisions.newest()] == ["a b"]
    assert len(world.jobs) == 1


def test_apply_leaves_refused_what_is_still_not_acceptable(world: World) -> None:
    """A name that the new 'allow' does not take either stays refused."""
    world.deliver(world.upload("a;b"))
    wider = world.dataset().watch.model_copy(update={"allow": "[a-z ]+"})
    world.apply(world.generation([world.dataset().model_copy(update={"watch": wider})], [world.plan()]))
    assert world.arrival().state is ArrivalState.REFUSED
