"""One upload, 64 clients on PostgreSQL: the note path beside a plain upsert for each event."""

from __future__ import annotations

import json
import multiprocessing
import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import psycopg
from tests.conftest import serve
from tests.performance.ledgers import BATCH, digits, payload
from tests.performance.result import Result

from junbi.events import oss
from junbi.ledger.ledger import open_ledger
from junbi.pipeline.apply import apply
from junbi.pipeline.note import note_events

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

PROCESSES, THREADS = 8, 8
ROUNDS, SECONDS = 3, 2.0
BUDGET = 10.0
#: For calls of one event each, where nothing can be folded: never worse than the plain way.
WORST = 1.0

#: What a commit said is on disk, as on every server that one would keep a ledger on; the tests' own keeps nothing.
DURABLE = {"fsync": "on", "full_page_writes": "on"}

TABLE = "CREATE TABLE upload (key TEXT PRIMARY KEY, noted_at TIMESTAMPTZ NOT NULL, objects BIGINT NOT NULL)"
UPSERT = """
INSERT INTO upload VALUES (%s, now(), 1)
ON CONFLICT (key) DO UPDATE SET noted_at = excluded.noted_at, objects = upload.objects + 1
"""


def note(address: str) -> Callable[[bytes], object]:
    """Takes a payload as the door does."""
    ledger = open_ledger(address)
    return lambda body: note_events(ledger, oss.parse(body))


def upsert(address: str) -> Callable[[bytes], object]:
    """Takes a payload as one would write it at first: each event is a committed upsert of the upload's row."""
    held = threading.local()

    def take(body: bytes) -> None:
        if not hasattr(held, "connection"):
            held.connection = psycopg.connect(address, autocommit=True)
        for event in json.loads(body)["events"]:
            held.connection.execute(UPSERT, (event["oss"]["object"]["key"].rpartition("/")[0],))

    return take


KINDS = {"note": note, "upsert": upsert}


def taken(take: Callable[[bytes], object], body: bytes, seconds: float) -> int:
    """How often the threads of this process, all at once, hand a body over in that time."""
    together, counts = threading.Barrier(THREADS), []

    def client() -> None:
        take(body)  # connects
        together.wait()
        calls, ends = 0, time.monotonic() + seconds
        while time.monotonic() < ends:
            take(body)
            calls += 1
        counts.append(calls)

    clients = [threading.Thread(target=client) for _ in range(THREADS)]
    for one in clients:
        one.start()
    for one in clients:
        one.join()
    return sum(counts)


def instance(address: str, orders: Any) -> None:
    """One process: takes an order (kind, events in a call), answers how many events it took a second."""
    while order := orders.recv():
        kind, batch = order
        orders.send(taken(KINDS[kind](address), payload(0, batch), SECONDS) * batch / SECONDS)


@contextmanager
def instances(address: str) -> Iterator[Callable[..., float]]:
    """The processes; gives what has them all take events at once, and answers how many they took in a second."""
    context = multiprocessing.get_context("fork")
    pipes = [context.Pipe() for _ in range(PROCESSES)]
    started = [context.Process(target=instance, args=(address, there), daemon=True) for _, there in pipes]
    for one in started:
        one.start()

    def rate(kind: str, batch: int) -> float:
        for here, _ in pipes:
            here.send((kind, batch))
        return float(sum(here.recv() for here, _ in pipes))

    yield rate
    for here, _ in pipes:
        here.send(None)
    for one in started:
        one.join()


def measure() -> Iterator[Result]:
    """Calls of one event and of many, each kind in turns."""
    for server in serve(**DURABLE):
        address = server.blank()
        ledger = open_ledger(address, migrate=True)
        apply(ledger, digits())
        with psycopg.connect(address) as connection:
            connection.execute(TABLE)
        with instances(address) as rate:
            for batch, budget in ((1, WORST), (BATCH, BUDGET)):
                yield _result(rate, batch, budget)


def _result(rate: Callable[..., float], batch: int, budget: float) -> Result:
    rates: dict[str, list[float]] = {kind: [] for kind in KINDS}
    for _ in range(ROUNDS):
        for kind, taken in rates.items():
            taken.append(rate(kind, batch))
    noted, plain = max(rates["note"]), max(rates["upsert"])
    what = f"one upload, {PROCESSES * THREADS} clients on PostgreSQL, {batch} events a call, beside an upsert for each"
    how = f"{noted:,.0f} events/s beside {plain:,.0f}, the best of {ROUNDS} rounds of {SECONDS:.0f} s, in turns"
    return Result(what, noted / plain, budget, how, at_least=True)


if __name__ == "__main__":
    for result in measure():
        print(result.line(60))
