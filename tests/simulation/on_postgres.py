"""The same simulation with its ledger on PostgreSQL: ``make simulate SEEDS=n LEDGER=postgres``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import psycopg
from tests.ledger.conftest import EMPTY
from tests.simulation.house import House
from tests.simulation.ledger import SimulatedPostgres

from junbi.ledger.ledger import open_ledger

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import PostgresServer
    from tests.simulation.world import World


class OnPostgres(House):
    """The protocol as it is, on the other engine. One seed after another empties and uses the same schema."""

    def __init__(self, server: PostgresServer) -> None:
        self._address = server.blank()
        open_ledger(self._address, migrate=True)
        with psycopg.connect(self._address) as connection:
            self._settings = connection.execute("SELECT name, value FROM setting").fetchall()

    def database(self, path: Path, world: World) -> SimulatedPostgres:
        """An empty ledger of it."""
        del path
        with psycopg.connect(self._address) as connection:
            connection.execute(EMPTY)
            connection.cursor().executemany("INSERT INTO setting VALUES (%s, %s)", self._settings)
        return SimulatedPostgres(self._address, world)
