"""OSS as the pipeline sees it: strongly consistent listings in pages, times in whole seconds, events for changes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from junbi.clients.objects import ObjectInfo, Page
from junbi.core.digest import Listing, Member

if TYPE_CHECKING:
    from datetime import datetime

    from tests.simulation.network import Network
    from tests.simulation.world import World


class Oss:
    """The objects of one bucket, and the port's methods over them."""

    def __init__(self, world: World, network: Network) -> None:
        self._world, self._network = world, network
        self.objects: dict[str, ObjectInfo] = {}
        #: When something below a version's prefix changed last.
        self.changed: dict[str, datetime] = {}
        self.page_size = world.rng.choice((1, 2, 1000))

    def put(self, key: str, content: str) -> None:
        """A user's upload of one object."""
        now = self._world.time.now
        self.objects[key] = ObjectInfo(key, len(content), f"etag-{content}", now.replace(microsecond=0))
        self.changed[prefix_of(key)] = now

    def delete(self, key: str) -> bool:
        """A user's deletion; whether there was something."""
        self.changed[prefix_of(key)] = self._world.time.now
        return self.objects.pop(key, None) is not None

    def below(self, prefix: str) -> list[ObjectInfo]:
        """Everything under a prefix, in key order."""
        return [self.objects[key] for key in sorted(self.objects) if key.startswith(prefix)]

    def listing(self, prefix: str, marker: str | None) -> Listing:
        """What a whole listing at this moment comes to."""
        listing = Listing(prefix, marker)
        for info in self.below(prefix):
            listing.add(Member(info.key, info.size, info.etag, info.last_modified))
        return listing

    def list_page(
        self, bucket: str, prefix: str, after: str | None = None, limit: int = 1000, delimiter: str | None = None
    ) -> Page:
        """One page; see ``junbi.clients.objects.ObjectStore``."""
        del bucket, limit

        def look() -> Page:
            if delimiter is not None:
                rest = [key.removeprefix(prefix) for key in sorted(self.objects) if key.startswith(prefix)]
                folders = dict.fromkeys(
                    prefix + one.split(delimiter)[0] + delimiter for one in rest if delimiter in one
                )
                return Page((), tuple(folders), None)
            found = [info for info in self.below(prefix) if after is None or info.key > after]
            page = tuple(found[: self.page_size])
            more = len(found) > self.page_size
            self._world.listed(prefix, page, after=after, last=not more)
            if self._world.chance("meddle"):
                self._world.people.meddle(prefix)
            return Page(page, (), page[-1].key if more else None)

        return self._network.read("ListObjectsV2", look)


def prefix_of(key: str) -> str:
    """The version's prefix that a key lies under: ``digits/v1/``."""
    return key.rsplit("/", 1)[0] + "/"
