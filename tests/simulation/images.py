"""AIWorkSpace's images as the pipeline sees them. That an id is taken once is documented nowhere: it is not here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from junbi.wire import images as wire

if TYPE_CHECKING:
    from datetime import datetime

    from tests.simulation.network import Network
    from tests.simulation.world import World

    from junbi.clients.signing import Stamp


@dataclass
class KnownImage:
    """An image, and from when on it is shown."""

    request: wire.ImageFields
    visible_at: datetime


class Images:
    """The images of one workspace, and the port's methods over them."""

    def __init__(self, world: World, network: Network) -> None:
        self._world, self._network = world, network
        self.all: list[KnownImage] = []

    def find(self, image_id: str) -> wire.Image | None:
        """See ``junbi.clients.images.ImagesClient``."""

        def look() -> wire.Image | None:
            now = self._world.time.now
            shown = (one.request for one in self.all if one.request.image_id == image_id and one.visible_at <= now)
            return next((wire.Image(**one.model_dump()) for one in shown), None)

        return self._network.read("GetImage", look)

    def add(self, request: wire.ImageFields, stamp: Stamp) -> str:
        """See ``junbi.clients.images.ImagesClient``."""

        def effect() -> str:
            self.all.append(KnownImage(request, self._network.visible_at()))
            return request.image_id or ""

        return self._network.create("AddImage", stamp, effect)
