"""What stories of the simulation begin with."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.simulation import webhooks
from tests.simulation.house import House
from tests.simulation.simulation import ledger_file
from tests.simulation.stage import Stage

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def stage() -> Iterator[Stage]:
    """An open stage."""
    with ledger_file() as path:
        made = Stage(0, path, House(), None)
        made.open()
        yield made
        made.database.close()


@pytest.fixture
def secret(monkeypatch: pytest.MonkeyPatch) -> None:
    """The doors know what deliveries are proved with."""
    monkeypatch.setenv(f"JUNBI_SECRET_{webhooks.SECRET_NAME}", webhooks.SECRET)
