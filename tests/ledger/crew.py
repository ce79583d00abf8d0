"""Several processes that do one thing to one ledger at the same moment: ``crew.py TASK ADDRESS PROCESSES [ARGUMENT]``.

Each prints one line of JSON with what it found.
"""

from __future__ import annotations

import json
import multiprocessing
import sys
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from junbi.errors import JunbiError, Stale
from junbi.ledger.ledger import open_ledger

if TYPE_CHECKING:
    from collections.abc import Callable

NOW = datetime(2026, 3, 1, tzinfo=UTC)


def open_many(addresses: str, together: Callable[[], object], rounds: int) -> dict[str, Any]:
    """Open missing ledgers (one address a line), each at the same moment as the others; why any of them failed."""
    failed = []
    for address in addresses.split("\n")[:rounds]:
        together()
        try:
            open_ledger(address, migrate=True).worklist.due(NOW)
        except JunbiError as error:
            failed.append(str(error))
    return {"failed": failed}


def save_arrival(address: str, together: Callable[[], object], rounds: int) -> dict[str, Any]:
    """Save the arrival under the row that all have read, so many times; in which rounds this one won."""
    ledger, won, stale = open_ledger(address), [], 0
    for number in range(rounds):
        arrival = ledger.arrivals.get("digits:digits/v1/")
        assert arrival is not None
        together()
        try:
            with ledger.transaction():
                ledger.arrivals.save(replace(arrival, noted_at=NOW + timedelta(seconds=number)))
            won.append(number)
        except Stale:
            stale += 1
        together()
    return {"won": won, "stale": stale}


def claim_all(address: str, together: Callable[[], object], most: int) -> dict[str, Any]:
    """Claim until nothing is due; everything this one was given."""
    ledger, mine = open_ledger(address), []
    together()
    while items := ledger.worklist.claim(NOW, most):
        mine += [item.id for item in items]
    return {"mine": mine}


def ask_or_work(address: str, together: Callable[[], object], asks: int) -> dict[str, Any]:
    """Raise a counter and ask for a look, so many times; look meanwhile, and tell what was seen last."""
    ledger, seen = open_ledger(address), {}
    together()
    for number in range(asks):
        ledger.tell("launch:x", "Asked", str(number), NOW)
        ledger.worklist.ask("launch", "x", NOW)
        for item in ledger.worklist.claim(NOW):
            seen[item.id] = len(ledger.story_of("launch:x"))
            ledger.worklist.finish(item, NOW)
    return {"seen": seen.get("x", 0)}


TASKS = {task.__name__: task for task in (open_many, save_arrival, claim_all, ask_or_work)}


def member(task: str, address: str, barrier: Any, answers: Any, argument: int) -> None:
    """One process."""
    answers.put(TASKS[task](address, barrier.wait, argument))


def main(task: str, address: str, processes: int, argument: int) -> None:
    """Start them, and print what each found."""
    if address.startswith("postgresql"):
        import psycopg  # noqa: F401 - once, and not in every process
    context = multiprocessing.get_context("fork")
    barrier, answers = context.Barrier(processes, timeout=50), context.Queue()
    started = [
        context.Process(target=member, args=(task, address, barrier, answers, argument)) for _ in range(processes)
    ]
    for process in started:
        process.start()
    for _ in started:
        print(json.dumps(answers.get(timeout=50)))
    for process in started:
        process.join()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
