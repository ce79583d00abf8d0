"""An image registry as the pipeline sees it: tags that name one digest after another."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from tests.simulation.history import History
from tests.simulation.network import TIMEOUT, answered

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.simulation.network import Network
    from tests.simulation.world import World

    from junbi.core.plan import ImageSpec

T = TypeVar("T")

#: What registries say now and then of images that are there. Codes: ``junbi.clients.registry``.
_FAILURES = (TIMEOUT, (429, "TOOMANYREQUESTS"), (500, "http_500"), (503, "http_503"), (401, "CredentialRefused"))


class Registry:
    """The one repository of a registry."""

    def __init__(self, world: World, network: Network) -> None:
        self._world, self._network = world, network
        #: By tag, its digest.
        self.history = History(world)

    def source(self, line: ImageSpec) -> Source:
        """See ``junbi.pipeline.wiring.Ports.registry``."""
        return Source(self, line.name)

    def read(self, line: str, operation: str, look: Callable[[dict[str, str]], T | None]) -> T:
        """A question, answered from the tags that there are at some moment; None stands for "no such image"."""

        def found() -> T:
            answer = look(self.history.now)
            self._world.observed.resolved(line)
            if self._world.chance("meddle"):
                self._world.people.pushes.meddle(line)
            if answer is None:
                raise answered(operation, 404, "ImageNotFound")
            return answer

        return self._network.read(operation, found, _FAILURES)


class Source:
    """The port's methods, asked for one line; see ``junbi.pipeline.image_source.ImageSource``."""

    def __init__(self, registry: Registry, line: str) -> None:
        self._registry, self._line = registry, line

    def digest(self, tag: str) -> str:
        """What a tag names."""
        return self._registry.read(self._line, "GetManifest", lambda tags: tags.get(tag))

    def tags(self) -> list[str]:
        """Every tag there is; a repository without any is not there."""
        return self._registry.read(self._line, "ListTags", lambda tags: list(tags) or None)
