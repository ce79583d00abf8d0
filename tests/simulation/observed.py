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
        #: What was listed last of a prefix up to a key, by whomever.
        self._read: dict[tuple[str, str], tuple[ObjectInfo, ...]] = {}

    def told(self, prefix: str, started: datetime) -> None:
        """The door took an event."""
        self.taken[prefix] = max(started, self.taken.get(prefix, started))

    def claimed(self) -> None:
        """The current task begins a new look."""
        task = self._world.tasks.current
        if task is not None:
            task.listed.clear()
            task.memory.clear()
            task.resolved.clear()
            task.looks_since = self._world.time.now

    def resolved(self, line: str) -> None:
        """The current task is told where a watched line is."""
        task = self._world.tasks.current
        if task is not None:
            task.resolved[line] = self._world.time.now

    def listed(self, prefix: str, page: tuple[ObjectInfo, ...], *, after: str | None, last: bool) -> None:
        """The current task was given a page. It may go on with what another task listed up to there."""
        task = self._world.tasks.current
        if task is None:
            return
        before = () if after is None else task.memory.get(prefix) or self._read.get((prefix, after), ())
        members = (*before, *page)
        task.memory[prefix] = members
        if members:
            self._read[prefix, members[-1].key] = members
        if last:
            listing = Listing(prefix, self._world.people.datasets[prefix.split("/", maxsplit=1)[0]].complete.marker)
            for info in members:
                listing.add(Member(info.key, info.size, info.etag, info.last_modified))
            task.listed[prefix] = listing.digest

    def answered(self, created: str) -> None:
        """The current task was told what its create made."""
        task = self._world.tasks.current
        if task is not None:
            task.answers.append(created)
