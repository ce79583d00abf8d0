"""Runs seeds: faults for a while, then none, and judges what is left."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from tests.simulation import webhooks
from tests.simulation.house import House
from tests.simulation.liveness import Liveness
from tests.simulation.profile import Profile
from tests.simulation.world import World

from junbi.ledger.sqlite import SqliteDatabase

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

#: Virtual seconds for which faults strike, one of them by seed; and for which peace may last before rest is due.
STORMS = (450.0, 1300.0, 2600.0)
PEACE = 3 * 3600.0

#: Steps of one seed, at most: more means that something runs in circles. And of its storm, which then just ends.
STEPS, STORM_STEPS = 20_000, 5_000


@dataclass
class Result:
    """What became of one seed: the violation, None for none; and the trace, where one was asked for."""

    seed: int
    violation: str | None
    steps: int
    trace: list[str] = field(default_factory=list)


def run(seed: int, house: House | None = None, *, trace: bool = False) -> Result:
    """Run one seed from its beginning. The same seed does the same, always."""
    lines: list[str] = []
    with _quietly(), _secret(), ledger_file() as path:
        world = World(seed, path, house or House(), lines if trace else None)
        try:
            steps = _run(world)
        finally:
            world.tasks.end_all()
            world.database.close()
    return Result(seed, world.violation, steps, lines)


def first_violation(seeds: Iterable[int], house: House | None = None) -> Result | None:
    """The first seed that violates anything."""
    return next((one for one in (run(seed, house) for seed in seeds) if one.violation), None)


def _run(world: World) -> int:
    world.begin()
    steps = 0
    storm_ends = world.time.after(world.rng.choice(STORMS))
    while world.violation is None and world.time.now < storm_ends and steps < STORM_STEPS:
        world.step()
        steps += 1
    world.profile_before, world.profile = world.profile, Profile(lag=world.profile.lag)
    world.note("peace")
    liveness, peace_ends = Liveness(world), world.time.after(PEACE)
    earliest = world.time.after(130.0)
    while world.violation is None:
        world.step()
        steps += 1
        if world.time.now > peace_ends or steps > STEPS:
            waits = [f"{row['kind']} {row['id']} {row['due_at']} {row['problem']}" for row in world.table("work")]
            world.violated(next(liveness.problems(), "") or f"never came to rest: {waits}")
        elif world.time.now > earliest and liveness.quiet and not any(liveness.problems()):
            break
    return steps


class _Nowhere(TextIO):
    """Takes what the pipeline logs: the trace tells more."""

    def write(self, text: str) -> int:
        """Forget it."""
        return len(text)

    def flush(self) -> None:
        """Nothing to do."""


def _quietly() -> contextlib.AbstractContextManager[object]:
    return contextlib.redirect_stdout(_Nowhere())


@contextlib.contextmanager
def _secret() -> Iterator[None]:
    """The environment of functions whose doors know who may call them."""
    name, before = f"JUNBI_SECRET_{webhooks.SECRET_NAME}", dict(os.environ)
    os.environ[name] = webhooks.SECRET
    try:
        yield
    finally:
        os.environ.pop(name)
        os.environ.update({name: before[name]} if name in before else {})


@cache
def _memory() -> str | None:
    """A folder in memory where the machine has one; SQLite's files are as real there."""
    folder = Path("/dev/shm")
    return str(folder) if folder.is_dir() else None


@cache
def _empty_ledger() -> bytes:
    """The file of a ledger that holds nothing."""
    with tempfile.TemporaryDirectory(dir=_memory()) as folder:
        path = Path(folder) / "ledger.db"
        database = SqliteDatabase(path)
        database.migrate()
        connection = database._connection()
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        connection.close()
        return path.read_bytes()


@contextlib.contextmanager
def ledger_file() -> Iterator[Path]:
    """A new ledger that holds nothing, for as long as it is used."""
    folder = tempfile.mkdtemp(dir=_memory())
    path = Path(folder) / "ledger.db"
    path.write_bytes(_empty_ledger())
    try:
        yield path
    finally:
        shutil.rmtree(folder)
