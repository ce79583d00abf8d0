"""``make chaos SEED=n``: workers and clients on one PostgreSQL, killed, paused, cut off; then everything is judged."""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.conftest import PostgresServer

#: Lines of the workers' log that a failure shows.
SHOWN = 40


def main() -> int:
    """Exits 1 where anything is wrong."""
    parser = argparse.ArgumentParser(prog="make chaos")
    parser.add_argument("--seed", type=int)
    parser.add_argument("--short", action="store_true", help="as 'make test' runs it")
    parser.add_argument("--seconds", type=float, help="how long the chaos lasts")
    parser.add_argument("--variant", default="Sound", help="a class of broken.py: workers without one protection")
    chosen = parser.parse_args()
    # Whoever the workers are forked from loads this module too, so everything heavy waits.
    from tests.processes.plan import FULL, SHORT, draw

    seed = random.SystemRandom().randrange(10**6) if chosen.seed is None else chosen.seed
    profile = SHORT if chosen.short else FULL
    plan = draw(seed, replace(profile, seconds=chosen.seconds) if chosen.seconds else profile)
    size = plan.profile
    print(
        f"seed {seed}: {size.workers} workers, {size.clients} clients, {len(plan.uploads)} uploads, "
        f"{len(plan.strikes)} strikes in {size.seconds:g} s",
        flush=True,
    )
    with tempfile.TemporaryDirectory(prefix="junbi-processes-") as folder, _server() as server:
        return _run(plan, Path(folder), server, chosen.variant)


def _run(plan: object, folder: Path, server: PostgresServer, variant: str) -> int:
    from tests.processes.conductor import Conductor
    from tests.processes.history import problems

    begun = time.monotonic()
    conductor = Conductor(plan, folder, server, variant)  # type: ignore[arg-type]
    history = conductor.run()
    found = problems(history)
    print(", ".join(f"{number} {what}" for what, number in sorted(conductor.counted.items())))
    tables = ", ".join(f"{len(rows)} {name}" for name, rows in history.tables.items())
    print(f"{tables}, {len(history.jobs)} jobs, in {time.monotonic() - begun:.0f} s: {len(found)} problems")
    for problem in found:
        print(f"  {problem}")
    if found:
        print("The end of the log:", *conductor.log.read_text().splitlines()[-SHOWN:], sep="\n  ")
    return int(bool(found))


@contextmanager
def _server() -> Iterator[PostgresServer]:
    from tests.conftest import serve

    yield from serve()


if __name__ == "__main__":
    sys.exit(main())
