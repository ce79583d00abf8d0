"""A migrated ledger on the shared server, open."""

from __future__ import annotations

from typing import Any

import pytest

from junbi.ledger.clock import LedgerClock
from junbi.ledger.ledger import Ledger, open_ledger
from junbi.ledger.postgres import Limits, PostgresDatabase

#: Impatient enough for a test.
SHORT = Limits(idle=300, lock=400, statement=600)


@pytest.fixture
def address(postgres: Any) -> str:
    """A migrated ledger on the shared server."""
    found: str = postgres.blank()
    open_ledger(found, migrate=True)
    return found


@pytest.fixture
def ledger(address: str) -> Ledger:
    """It, open."""
    return open_ledger(address)


@pytest.fixture
def impatient(address: str) -> Ledger:
    """It, with short limits."""
    return Ledger(PostgresDatabase(address, SHORT), LedgerClock())
