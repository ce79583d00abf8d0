"""What junbi runs with in the simulation; a broken variant replaces one part of it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from tests.simulation.ledger import SimulatedDatabase, SimulatedPostgres, new_ledger
from tests.simulation.profile import THEMES

from junbi.clients.credentials import Credentials
from junbi.core.assumptions import Settling
from junbi.pipeline.invocation import Invocation
from junbi.pipeline.wiring import Ports

if TYPE_CHECKING:
    from pathlib import Path

    from tests.simulation.time import SkewedClock
    from tests.simulation.world import World

    from junbi.ledger.ledger import Ledger


class House:
    """The protocol as it is."""

    settling = Settling()

    #: What the seeds have in mind; a broken variant names where it can be found soonest.
    themes = THEMES

    #: Whether the plans of every seed run in quotas: a variant that is broken there is found sooner.
    in_quotas = False

    def database(self, path: Path, world: World) -> SimulatedDatabase | SimulatedPostgres:
        """The ledger's engine."""
        return SimulatedDatabase(path, world)

    def ledger(self, world: World) -> Ledger:
        """The ledger."""
        return new_ledger(world)

    def ports(self, world: World, own_clock: SkewedClock) -> Ports:
        """What one invocation reaches the outside with."""
        invocation = Invocation("simulated", "1", Credentials("key", "secret"), math.inf, "cn-hangzhou")
        ports = Ports(invocation, world.ledger, self.settling, own_clock)
        # What would be clients of real services, were these not here already.
        vars(ports).update(workspace=world.workspace, dlc=world.dlc, objects=world.oss)
        vars(ports).update(quotas=world.pai, refs=world.git.refs, registry=world.registry.source)
        vars(ports).update(code_sources_in=lambda _: world.code_sources, images_in=lambda _: world.images)
        return ports
