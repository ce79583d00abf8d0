"""What the simulation saw and junbi cannot know: which events were taken, what a task's listings really held."""

from __future__ import annotations

from typing import TYPE_CHECKING

from junbi.core.digest import Listing, Member

if TYPE_CHECKING:
    from datetime import datetime

    from tests.simulation.world import World

    from junbi.clients.objects import ObjectInfo


class Observed:
    """Notes of one seed."""

    def __init__(self, world: World) -> None:
        self._world = world
        #: By prefix: when the door began to take the newest event of a new object that it took.
        self.taken: dict[str, datetime] = {}

    def told(self, prefix: str, started: datetime) -> None:
        """The door took an event."""
        self.taken[prefix] = max(started, self.taken.get(prefix, started))

    def claimed(self) -> None:
        """The current task begins a new look."""
        task = self._world.tasks.current
        if task is not None:
            task.listed.clear()

    def listed(self, prefix: str, page: tuple[ObjectInfo, ...], *, first: bool, last: bool) -> None:
        """The current task was given a page."""
        task = self._world.tasks.current
        if task is None:
            return
        if first:
            marker = self._world.people.datasets[prefix.split("/", maxsplit=1)[0]].complete.marker
            task.memory[prefix] = Listing(prefix, marker)
        listing: Listing = task.memory[prefix]
        for info in page:
            listing.add(Member(info.key, info.size, info.etag, info.last_modified))
        if last:
            task.listed[prefix] = listing.digest

    def answered(self, created: str) -> None:
        """The current task was told what its create made."""
        task = self._world.tasks.current
        if task is not None:
            task.answers.append(created)
