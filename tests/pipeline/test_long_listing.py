"""A prefix that takes longer to list than one look has time for is listed over several, with the same digest."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest

from junbi.clients.objects import ObjectInfo, Page
from junbi.core.digest import Listing, Member
from junbi.core.facts import ArrivalState
from junbi.pipeline import close, launch_facts, scan

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.pipeline.conftest import World

KEY = "digits:data/digits/v1/"
THEN = datetime(2026, 1, 1, tzinfo=UTC)


class Huge:
    """An object store with many members below ``digits/v1/`` and a marker, that counts its pages."""

    def __init__(self, members: int, after_page: Callable[[int], object] = lambda _: None) -> None:
        self.members, self.pages, self.largest, self._after_page = members, 0, 0, after_page

    def list_page(self, _bucket: str, prefix: str, after: str | None = None, **_: Any) -> Page:
        """The next thousand."""
        start = 0 if after is None else int(after.rpartition("-")[2]) + 1
        end = min(start + 1000, self.members)
        found = [ObjectInfo(f"{prefix}m-{i:07}", i, f"E{i}", THEN) for i in range(start, end)]
        more = end < self.members
        if not more:
            found.append(ObjectInfo(f"{prefix}z-{self.members:07}", 0, "M", datetime.now(UTC)))
        self.pages += 1
        self._after_page(self.pages)
        return Page(tuple(found), (), found[-1].key if more else None)


def digest(members: int) -> str:
    """What the digest is by its definition, folded in one go."""
    listing = Listing("digits/v1/", f"z-{members:07}")
    for i in range(members):
        listing.add(Member(f"digits/v1/m-{i:07}", i, f"E{i}", THEN))
    return listing.digest


@pytest.fixture
def huge(world: World) -> World:
    """A world with an upload that was noted."""
    world.apply(world.generation([world.dataset(marker="z-0012500")], [world.plan()]))
    world.deliver(world.upload(marker=None))
    return world


def look(world: World, objects: Huge) -> object:
    """One look whose time is up after its first page."""
    return close.look(world.ports(seconds=scan.RESERVE, objects=objects), KEY)


def test_it_goes_on_look_after_look(huge: World) -> None:
    """Each look lists a page and keeps what it folded; the last one closes with the digest of one go."""
    objects = Huge(12_500)
    looks = 0
    while huge.arrival().state is not ArrivalState.CLOSED:
        look(huge, objects)
        looks += 1
        assert looks <= objects.pages
    (revision,) = huge.ledger.revisions.newest()
    assert (revision.members, revision.digest) == (12_500, digest(12_500))
    assert looks == 13
    assert objects.pages == 13
    assert huge.ledger.scans.get(f"arrival:{KEY}", str(huge.arrival().row)) is None


@pytest.mark.parametrize("kind", ["created", "removed"])
def test_an_event_between_the_looks_begins_it_anew(huge: World, kind: str) -> None:
    """What was listed before the event counts no more: the first page is listed again."""
    objects = Huge(12_500)
    for _ in range(3):
        look(huge, objects)
    huge.records.clear()
    (huge.put if kind == "created" else lambda key, _: huge.delete(key))("digits/v1/part-00.csv", b"changed")
    huge.deliver(huge.records)
    assert huge.arrival().dirty
    pages = objects.pages
    while huge.arrival().state is not ArrivalState.CLOSED:
        look(huge, objects)
    assert objects.pages - pages == 13


def test_an_event_during_a_look_begins_it_anew(huge: World) -> None:
    """An event after a page was read and before the look kept it is not lost either."""
    records = huge.upload(marker=None, files=1)

    def late(page: int) -> None:
        if page == 4:
            huge.deliver(records)

    objects = Huge(12_500, late)
    while huge.arrival().state is not ArrivalState.CLOSED:
        look(huge, objects)
    assert objects.pages == 4 + 13


def test_what_was_listed_long_ago_is_listed_anew(huge: World) -> None:
    """A listing that nobody went on with for a while is begun again, for events may have been lost."""
    objects = Huge(12_500)
    for _ in range(3):
        look(huge, objects)
    huge.advance(3600)
    while huge.arrival().state is not ArrivalState.CLOSED:
        look(huge, objects)
    assert objects.pages == 3 + 13


def test_a_tick_with_time_goes_on_by_itself(huge: World) -> None:
    """Within one tick the looks follow each other until the listing ends, and the job is made."""
    huge.advance(6)
    huge.reconcile(huge.ports(objects=Huge(12_500)))
    assert huge.arrival().state is ArrivalState.CLOSED
    assert len(huge.jobs) == 1


def test_a_proof_goes_on_look_after_look(huge: World) -> None:
    """The listing before a submission is kept likewise; it says nothing until it ends."""
    huge.advance(6)
    huge.reconcile(huge.ports(objects=Huge(12_500)))
    (revision,) = huge.ledger.revisions.newest()
    objects = Huge(12_500)
    said = [
        launch_facts.prove(huge.ports(seconds=scan.RESERVE, objects=objects), revision, "launch:l-1:digits")
        for _ in range(13)
    ]
    assert said == [None] * 12 + [revision.digest]
    assert objects.pages == 13
