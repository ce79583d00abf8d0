"""What an upload is known by, what it holds now, and how often it is looked at."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from junbi.core.facts import ArrivalState, LaunchState

if TYPE_CHECKING:
    from tests.pipeline.conftest import World


def _put(world: World, bucket: str, key: str, content: bytes) -> None:
    import oss2  # warns when it is imported

    oss2.Bucket(oss2.Auth("emulator", "emulator-secret"), world.cloud.oss, bucket).put_object(key, content)


def test_the_same_path_in_another_bucket_is_another_upload(world: World) -> None:
    """After a watch moved to another bucket, an upload under a path known before becomes a version, events lost."""
    world.buckets.create_bucket("fresh")
    world.deliver(world.upload())
    world.reconcile()
    spec = world.dataset()
    moved = spec.model_copy(update={"watch": spec.watch.model_copy(update={"bucket": "fresh"})})
    world.apply(world.generation([moved], [world.plan()]))
    world.advance(2)
    for number in range(3):  # exactly what the other bucket holds
        _put(world, "fresh", f"digits/v1/part-{number:02}.csv", f"v1 {number} ".encode())
    _put(world, "fresh", "digits/v1/_SUCCESS", b"")
    world.settle(ticks=2, step=20)
    assert sorted(one.bucket for one in world.ledger.revisions.of("digits")) == ["data", "fresh"]
    head = world.ledger.revisions.head("digits")
    assert head is not None
    assert head.bucket == "fresh"


def test_what_came_back_is_the_newest_again(world: World) -> None:
    """Contents A, B and A again: a later launch pins A, which is there, also after the file was applied anew."""
    spec = world.dataset().model_copy(update={"newest": "time"})
    wanted = [spec, world.dataset("labels")]
    world.apply(world.generation(wanted, [world.plan(on=("labels",), datasets=("digits", "labels"))]))
    for text in ("A", "B", "A"):
        world.deliver(world.upload(text=text))
        world.reconcile()
        world.advance(10)
        world.reconcile()
    back = world.arrival().revision
    head = world.ledger.revisions.head("digits")
    assert head is not None
    assert head.id == back
    for newest in ("version", "semver", "time"):
        anew = [spec.model_copy(update={"newest": newest}), world.dataset("labels")]
        world.apply(world.generation(anew, [world.plan(on=("labels",), datasets=("digits", "labels"))]))
        head = world.ledger.revisions.head("digits")
        assert head is not None
        assert head.id == back
    world.deliver(world.upload(name="labels"))
    world.settle(ticks=2, step=10)
    assert world.launches[-1].state is LaunchState.SUBMITTED
    assert world.launches[-1].pins["digits"] == back


def test_a_late_duplicate_makes_nothing_newest(world: World) -> None:
    """An old event of a version that holds what it held changes no head."""
    world.apply(world.generation([world.dataset().model_copy(update={"newest": "time"})], [world.plan()]))
    first = world.upload("v1")
    world.deliver(first)
    world.settle(ticks=1, step=10)
    world.deliver(world.upload("v2"))
    world.settle(ticks=1, step=10)
    world.deliver(first)
    world.settle(ticks=1, step=10)
    head = world.ledger.revisions.head("digits")
    assert head is not None
    assert head.label == "v2"


def test_a_watch_that_was_away_for_one_apply_loses_no_upload(world: World) -> None:
    """An upload that was looked at while nothing watched it is launched once its watch is back, with no new event."""
    world.deliver(world.upload())
    world.apply(world.generation([], []))
    world.reconcile()
    assert world.arrival().state is ArrivalState.IGNORED
    world.apply(world.generation([world.dataset()], [world.plan()]))
    world.settle(ticks=2, step=10)
    assert world.arrival().state is ArrivalState.CLOSED
    assert len(world.launches) == 1


def test_an_upload_under_way_is_not_listed_with_each_event(world: World) -> None:
    """In a minute of steady events, each during a listing, an upload without its marker is listed some 12 times."""
    real = world.ports().objects
    listings = 0

    class Counting:
        def list_page(self, *place: Any, **how: Any) -> Any:
            nonlocal listings
            if how.get("delimiter") is None:
                listings += 1
                world.deliver(world.upload(marker=None, files=1, text=str(listings)))
            return real.list_page(*place, **how)

    world.deliver(world.upload(marker=None))
    for _ in range(60):
        world.reconcile(world.ports(objects=Counting()))
        world.advance(1)
    assert 6 <= listings <= 15
    world.deliver(world.upload(files=0))
    world.settle(ticks=1, step=10)
    assert world.arrival().state is ArrivalState.CLOSED
