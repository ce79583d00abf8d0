"""``manifests``: the members of each version are written down while they are listed, outside every watch."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from tests.pipeline.test_long_listing import Huge, digest, look

from junbi.core.facts import ArrivalState
from junbi.pipeline import input_views

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.pipeline.conftest import World

PLACE = "oss://models/lists/"


def declare(world: World, **more: Any) -> None:
    """Put a dataset in force whose members are written down."""
    dataset = world.dataset(**more).model_copy(update={"manifests": PLACE})
    world.apply(world.generation([dataset], [world.plan()]))


def read(world: World, uri: str) -> bytes:
    """An object's content."""
    bucket, _, key = uri.removeprefix("oss://").partition("/")
    return b"".join(world.ports().objects.read(bucket, key))


def listed(world: World) -> list[dict[str, Any]]:
    """The members as written down, by what people are shown of the version."""
    (version,) = input_views.revisions(world.ledger)["revisions"]
    index = json.loads(read(world, version["members_at"]))
    assert index["digest"] == version["digest"]
    assert index["members"] == version["members"]
    return [json.loads(line) for part in index["parts"] for line in read(world, part).splitlines()]


def test_members_are_written_down(world: World) -> None:
    """Key, size and ETag of each member, and not of the marker, in key order."""
    declare(world)
    world.deliver(world.upload())
    world.settle(ticks=2)
    found = listed(world)
    assert [one["key"] for one in found] == [f"digits/v1/part-{number:02}.csv" for number in range(3)]
    assert all(one["size"] == 5 and len(one["etag"]) == 32 for one in found)


def test_nothing_is_written_for_what_cannot_close(world: World) -> None:
    """An upload without its marker is looked at, and nothing written of it."""
    declare(world)
    world.deliver(world.upload(marker=None))
    world.settle(ticks=3)
    assert not world.ports().objects.list_page("models", "lists/").objects


def test_without_a_place_none_are_written(world: World) -> None:
    """Where junbi.yaml names no place, the version says that its members are written down nowhere."""
    world.deliver(world.upload())
    world.settle(ticks=2)
    assert [one["members_at"] for one in input_views.revisions(world.ledger)["revisions"]] == [None]


class Written(Huge):
    """The huge store, that keeps what is put in the real one and knows its marker."""

    def __init__(self, world: World, members: int) -> None:
        super().__init__(members)
        self._real = world.ports().objects

    def head(self, bucket: str, key: str) -> Any:
        """The marker."""
        return self.list_page(bucket, "digits/v1/", f"digits/v1/m-{self.members - 1:07}").objects[-1] if key else None

    def put(self, bucket: str, key: str, data: bytes) -> None:
        """For good."""
        self._real.put(bucket, key, data)

    def read(self, bucket: str, key: str) -> Iterator[bytes]:
        """What was put."""
        return self._real.read(bucket, key)


def test_parts_go_on_in_the_next_look(world: World) -> None:
    """Listed over several looks, each member stands in the parts once."""
    declare(world, marker="z-0012500")
    world.deliver(world.upload(marker=None))
    objects = Written(world, 12_500)
    while world.arrival().state is not ArrivalState.CLOSED:
        look(world, objects)
    assert [one["key"] for one in listed(world)] == [f"digits/v1/m-{number:07}" for number in range(12_500)]
    assert world.ledger.revisions.newest()[0].digest == digest(12_500)
