"""10,000 forged pushes within a minute: they cost the ledger nothing, and a genuine one hardly any time."""

from __future__ import annotations

import json
import statistics
import tempfile
import threading
import time
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

from tests.conftest import serve
from tests.fixtures.declared import SECRET, TRAINER, push
from tests.fixtures.fc import FC
from tests.performance.ledgers import digits, rows, size
from tests.performance.result import Result
from tests.performance.served import function, post

from junbi.core.model import Reason
from junbi.ledger.deliveries import RING, RefusedDelivery
from junbi.ledger.ledger import open_ledger
from junbi.pipeline.apply import apply

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.performance.served import Served

    from junbi.ledger.ledger import Ledger

#: One half alone, as fast as they are taken; the other evenly, at three times the pace of 10,000 a minute.
FORGED, PACE, SENDERS = 10_000, 500.0, 4
#: Genuine pushes, in quiet and in the midst of the second half.
GENUINE = 150
#: The median of a genuine push in the flood, beside its median in quiet: who pushes notices no difference.
BUDGET = 2.0

_numbers = count(1)


def fresh(secret: str = SECRET) -> tuple[bytes, dict[str, str]]:
    """A push that was not sent before, as FC hands it to the function: its body and headers."""
    body, headers = push(next(_numbers), secret)
    return body, {**FC, "x-fc-control-path": "/http-invoke", **headers}


def forge(door: Served, number: int, pace: float | None) -> None:
    """Send forged pushes over several connections; each must be refused."""
    answers: list[int] = []

    def send() -> None:
        connection, began = door.connect(), time.monotonic()
        for sent in range(number // SENDERS):
            if pace:
                time.sleep(max(0.0, began + sent * SENDERS / pace - time.monotonic()))
            answers.append(post(connection, *fresh("guessed"))[0])

    senders = [threading.Thread(target=send) for _ in range(SENDERS)]
    for one in senders:
        one.start()
    for one in senders:
        one.join()
    if answers != [401] * (number // SENDERS * SENDERS):
        raise AssertionError(f"forged pushes were answered with {set(answers)}")


def genuine(door: Served, every: float) -> list[float]:
    """Send genuine pushes; how many seconds each took until it was answered."""
    taken = []
    for _ in range(GENUINE):
        body, headers = fresh()
        start = time.perf_counter()
        status, answer = door.post(body, headers)
        taken.append(time.perf_counter() - start)
        if status != 200 or json.loads(answer)["noted"] != [TRAINER.name]:
            raise AssertionError(f"{status}: {answer!r}")
        time.sleep(every)
    return taken


def flooded(door: Served) -> list[float]:
    """Genuine pushes while the second half of the forged ones comes."""
    half = FORGED // 2
    flood = threading.Thread(target=forge, args=(door, half, PACE))
    flood.start()
    taken = genuine(door, half / PACE / GENUINE / 1.5)
    if not flood.is_alive():
        raise AssertionError("the flood ended first: the genuine pushes were not in its midst")
    flood.join()
    return taken


@contextmanager
def ledgers() -> Iterator[dict[str, str]]:
    """A new ledger of each engine, by its name: its address."""
    for server in serve():
        with tempfile.TemporaryDirectory() as folder:
            yield {"SQLite": f"sqlite:///{Path(folder, 'ledger.db')}", "PostgreSQL": server.blank()}


def fill_ring(ledger: Ledger) -> None:
    """What the ring of refused deliveries can hold at most, as it is after the first minute."""
    now = ledger.now()
    for _ in range(RING):
        ledger.deliveries.refuse(
            "git_push", {"WrongSecret": 1}, RefusedDelivery(now, "git_push", Reason("WrongSecret", "x" * 400), "f"), now
        )


def measure() -> Iterator[Result]:
    """On both engines."""
    with ledgers() as addresses:
        for engine, address in addresses.items():
            ledger = open_ledger(address, migrate=True)
            apply(ledger, digits().model_copy(update={"code": {TRAINER.name: TRAINER}}))
            fill_ring(ledger)
            with function("git_push", address, JUNBI_SECRET_HOOK=SECRET) as door:
                yield from _measure(door, ledger, engine)


def _measure(door: Served, ledger: Ledger, engine: str) -> Iterator[Result]:
    half = FORGED // 2
    genuine(door, 0.0)  # warms up
    rows_before, size_before, start = rows(ledger), size(ledger), time.monotonic()
    forge(door, half, None)
    grown, bytes_grown, seconds = rows(ledger) - rows_before, size(ledger) - size_before, time.monotonic() - start
    how = f"{half:,} as fast as they were taken, in {seconds:.1f} s over {SENDERS} connections; all rows counted"
    yield Result(f"rows that forged pushes add, {engine}", grown, 0.0, how, unit="rows")
    said = f"{bytes_grown:,} bytes of {size_before:,}" + ("" if engine == "SQLite" else "; dead rows until a vacuum")
    budget = 0.0 if engine == "SQLite" else None
    yield Result(f"bytes that forged pushes add, {engine}", bytes_grown, budget, said, unit="bytes")
    quiet, loud = genuine(door, 0.01), flooded(door)
    one, other = statistics.median(quiet), statistics.median(loud)
    how = (
        f"median {other * 1e3:.1f} ms beside {one * 1e3:.1f} in quiet, of {GENUINE} each, while {half:,} forged ones "
        f"come at {PACE:.0f}/s; the 95th of 100: {_late(loud) * 1e3:.1f} beside {_late(quiet) * 1e3:.1f} ms"
    )
    yield Result(f"a genuine push amidst forged ones, {engine}", other / one, BUDGET, how)


def _late(taken: list[float]) -> float:
    return statistics.quantiles(taken, n=20)[-1]
