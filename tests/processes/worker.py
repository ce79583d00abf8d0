"""A worker: one process that does what ``reconcile`` and ``job_change`` do, again and again, until it is killed."""

from __future__ import annotations

import ctypes
import importlib
import os
import pkgutil
import signal
import sys
import time
from multiprocessing import forkserver

from tests.processes.broken import VARIANTS

from junbi import clients, pipeline
from junbi.clients.credentials import Credentials
from junbi.errors import JunbiError
from junbi.ledger.clock import LedgerClock, SharedClock
from junbi.ledger.postgres import PostgresDatabase
from junbi.ledger.statements import statements
from junbi.pipeline import follow, work
from junbi.pipeline.invocation import Invocation

# What a tick loads when it needs it is loaded here, once, by the process that all others are forked from.
for package in (clients, pipeline):
    for found in pkgutil.iter_modules(package.__path__):
        importlib.import_module(f"{package.__name__}.{found.name}")
importlib.import_module("oss2")
statements("postgres")

#: Seconds: what a tick may take (it begins nothing in its last 15), and between two ticks.
TICK, REST = 25.0, 0.1


def work_on(environment: dict[str, str], log: str, variant: str) -> None:
    """Tick for ever. What the house logs goes to a file, and so does what nobody foresaw."""
    begin(environment, log)
    kind = VARIANTS[variant]()
    url = environment["JUNBI_LEDGER"]
    clock = SharedClock(PostgresDatabase(url).seconds, LedgerClock.from_environment())
    ledger = kind.ledger(url, clock)
    while True:
        for tick in (work.tick, follow.tick):
            try:
                tick(kind.ports(_invocation(environment), ledger))
            except JunbiError as error:
                print(f"a tick ended: {error}", flush=True)
        time.sleep(REST)


def _invocation(environment: dict[str, str]) -> Invocation:
    credentials = Credentials(environment["KEY_ID"], environment["KEY_SECRET"])
    return Invocation("reconcile", "1", credentials, time.monotonic() + TICK, "cn-hangzhou")


def begin(environment: dict[str, str], log: str) -> None:
    """Begin as a process of the run: it ends with the conductor, even while it is paused; its output goes to a file."""
    # The process that all are forked from ends when nobody holds this end of its pipe: only the conductor may.
    os.close(forkserver._forkserver._forkserver_alive_fd)  # type: ignore[attr-defined]
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the conductor's
    descriptor = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    os.dup2(descriptor, 1)
    os.dup2(descriptor, 2)
    os.environ.update(environment)
