"""``make simulate SEEDS=n`` tries so many seeds; ``make simulate SEED=n`` replays one and prints its steps.

With ``LEDGER=postgres`` the ledger is on a PostgreSQL server of its own.
"""

from __future__ import annotations

import argparse
import contextlib
import itertools
import os
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import TYPE_CHECKING

from tests.conftest import serve
from tests.simulation.on_postgres import OnPostgres
from tests.simulation.simulation import Result, run

if TYPE_CHECKING:
    from tests.conftest import PostgresServer
    from tests.simulation.house import House

#: Seeds that one process is given at a time, and lines of a trace that a failure shows.
BATCH, SHOWN = 10, 150


def main() -> int:
    """Exits 1 where a seed violates anything."""
    parser = argparse.ArgumentParser(prog="make simulate")
    parser.add_argument("--seeds", type=int, default=1000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--seed", type=int)
    parser.add_argument("--ledger", choices=("sqlite", "postgres"), default="sqlite")
    chosen = parser.parse_args()
    serving = contextlib.contextmanager(serve)() if chosen.ledger == "postgres" else contextlib.nullcontext()
    with serving as server:
        if chosen.seed is not None:
            return replay(chosen.seed, sys.maxsize, server)
        return search(chosen.first, chosen.seeds, server)


def search(first: int, seeds: int, server: PostgresServer | None) -> int:
    """Try many seeds on every processor."""
    begun, steps, bad = time.monotonic(), 0, []
    batches = [range(start, min(start + BATCH, first + seeds)) for start in range(first, first + seeds, BATCH)]
    # Forked, so that each process knows the server, and makes a schema of its own there.
    with ProcessPoolExecutor(os.cpu_count(), get_context("fork"), begin, (server,)) as pool:
        for done in pool.map(batch, batches):
            steps += sum(one.steps for one in done)
            bad += [one for one in done if one.violation]
    took = time.monotonic() - begun
    print(f"{seeds:,} seeds, {steps:,} steps, {seeds / took:,.0f} seeds/s: {len(bad)} violations")
    for one in bad:
        print(f"  seed {one.seed}: {one.violation}")
    return replay(bad[0].seed, SHOWN, server) if bad else 0


#: What this process runs seeds with, where that is not the protocol on SQLite.
_houses: list[House] = []


def begin(server: PostgresServer | None) -> None:
    """Make this process ready."""
    if server is not None:
        server.number_from(os.getpid() * 1000)
        _houses.append(OnPostgres(server))


def batch(seeds: range) -> list[Result]:
    """Some seeds, in this process."""
    return [run(seed, *_houses) for seed in seeds]


def replay(seed: int, most: int, server: PostgresServer | None) -> int:
    """One seed, with what happened in it."""
    result = run(seed, OnPostgres(server) if server else None, trace=True)
    head, tail = result.trace[:1], result.trace[1:]
    left_out = max(len(tail) - most, 0)
    shown = itertools.islice(tail, left_out, None)
    print(
        "\n".join([*head, *([f"… {left_out} lines left out: make simulate SEED={seed}"] if left_out else []), *shown])
    )
    print(f"seed {seed}: {result.violation or 'nothing is violated'} ({result.steps} steps)")
    return int(result.violation is not None)


if __name__ == "__main__":
    sys.exit(main())
