"""Several function instances in a cloud that misbehaves: nothing that must hold is ever violated."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.simulation.on_postgres import OnPostgres
from tests.simulation.simulation import run

if TYPE_CHECKING:
    from tests.conftest import PostgresServer

ROOT = Path(__file__).parents[2]

#: Seeds in all, and parts that run beside each other.
SEEDS, PARTS = 1000, 20
POSTGRES_SEEDS, POSTGRES_PARTS = 40, 4

_DIGEST = "from tests.simulation.test_simulation import digest; print(digest(11))"


def digest(seed: int) -> str:
    """A seed's whole course in one word."""
    result = run(seed, trace=True)
    return hashlib.sha256("\n".join([*result.trace, str(result.violation)]).encode()).hexdigest()


@pytest.mark.parametrize("part", range(PARTS))
def test_no_seed_violates_anything(part: int) -> None:
    """Whatever is lost, late, repeated, killed, paused or refused: every invariant holds after every step, and rest
    is reached with everything registered and launched once. Replay a seed with 'make simulate SEED=n'.
    """
    for seed in range(part, SEEDS, PARTS):
        result = run(seed)
        assert result.violation is None, f"make simulate SEED={seed}: {result.violation}"


@pytest.mark.parametrize("part", range(POSTGRES_PARTS))
def test_no_seed_violates_anything_on_postgres(postgres: PostgresServer, part: int) -> None:
    """The same on the engine that functions share: its statements, transactions and row versions are others."""
    house = OnPostgres(postgres)
    for seed in range(part, POSTGRES_SEEDS, POSTGRES_PARTS):
        result = run(seed, house)
        assert result.violation is None, f"make simulate LEDGER=postgres SEED={seed}: {result.violation}"


def test_a_seed_replays_exactly() -> None:
    """The same seed takes the same course in another process, whatever the order of hashes and the wall clock."""
    digests = set()
    for hashes in ("1", "2"):
        environment = os.environ | {"PYTHONHASHSEED": hashes}
        command = [sys.executable, "-c", _DIGEST]
        done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True)
        digests.add(done.stdout)
    assert len(digests) == 1
