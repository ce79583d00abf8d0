"""Clients: threads of one process that hand object events to the door, each on its own connection to the ledger."""

from __future__ import annotations

import queue
import threading
import time
import traceback
from typing import TYPE_CHECKING

from tests.processes.worker import begin

from junbi.errors import JunbiError
from junbi.events import oss
from junbi.ledger.clock import LedgerClock, SharedClock
from junbi.ledger.ledger import Ledger
from junbi.ledger.postgres import PostgresDatabase
from junbi.pipeline import note

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

#: Seconds after which an event that could not be noted is sent again, as FC does.
AGAIN = 0.2


def note_for(environment: dict[str, str], log: str, deliveries: Connection, clients: int) -> None:
    """Note whatever comes in, and answer its number with what was wrong with it, which should be nothing."""
    begin(environment, log)
    database = PostgresDatabase(environment["JUNBI_LEDGER"])
    ledger = Ledger(database, SharedClock(database.seconds, LedgerClock.from_environment()))
    waiting: queue.SimpleQueue[tuple[int, bytes]] = queue.SimpleQueue()
    answering = threading.Lock()

    def serve() -> None:
        while True:
            number, body = waiting.get()
            wrong = _note(ledger, body)
            with answering:
                deliveries.send((number, wrong))

    for _ in range(clients):
        threading.Thread(target=serve, daemon=True).start()
    while True:
        waiting.put(deliveries.recv())


def _note(ledger: Ledger, body: bytes) -> str:
    """Note one event, however often it takes; what was wrong with it."""
    while True:
        try:
            answer, _ = note.note_events(ledger, oss.parse(body))
        except JunbiError as error:
            print(f"an event is sent again: {error}", flush=True)
            time.sleep(AGAIN)
        except Exception:  # noqa: BLE001 - whatever it is, the checker will name it
            return traceback.format_exc()
        else:
            taken = answer["noted"], answer["folded"]
            return "" if sum(map(int, map(str, taken))) == 1 else f"an event was not taken: {answer}"
