"""A Git host as the pipeline sees it: refs that move, of which it is told or not."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.simulation.history import History
from tests.simulation.network import TIMEOUT

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tests.simulation.network import Network
    from tests.simulation.world import World

    from junbi.core.plan import CodeSpec

#: What hosts say now and then of repositories that are there. Codes: ``junbi.clients.git``.
_FAILURES = (TIMEOUT, (429, "http_429"), (503, "http_503"), (401, "CredentialRefused"), (404, "RepositoryNotFound"))


class Git:
    """The one repository of a host, and the port's function over it."""

    def __init__(self, world: World, network: Network) -> None:
        self._world, self._network = world, network
        #: By full ref, its commit.
        self.history = History(world)

    def refs(self, line: CodeSpec) -> Mapping[str, str]:
        """See ``junbi.pipeline.wiring.Ports.refs``."""

        def look() -> Mapping[str, str]:
            found = self.history.now
            self._world.observed.resolved(line.name)
            if self._world.chance("meddle"):
                self._world.people.pushes.meddle(line.name)
            return found

        return self._network.read("git ls-remote", look, _FAILURES)
