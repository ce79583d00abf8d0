"""Claim, submit, record: one worker beside one of DBOS and one of procrastinate, on the same PostgreSQL."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

from tests.conftest import serve
from tests.performance.ledgers import digits
from tests.performance.one_row import DURABLE
from tests.performance.plans import plan, upload
from tests.performance.result import Result
from tests.performance.served import PEERS
from tests.performance.submission import LAUNCHES, ROUNDS, let_be_due, submitted

from junbi.ledger.ledger import open_ledger
from junbi.pipeline.apply import apply

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.conftest import PostgresServer

OTHERS = ("dbos", "procrastinate")
BUDGET = 1.5


def worked_off(server: PostgresServer, other: str, round_: int) -> float:
    """Seconds in which another's worker submits as many, in a database of its own."""
    name = f"{other}{round_}"
    server.execute(f"CREATE DATABASE {name}")
    script = Path(__file__).with_name(f"worker_{other}.py")
    command = [str(PEERS / "python"), str(script), server._address().replace("/postgres?", f"/{name}?"), str(LAUNCHES)]
    said = subprocess.run(command, check=True, capture_output=True, timeout=300).stdout.splitlines()
    return float(said[-1])


def measure() -> Iterator[Result]:
    """All three in turns."""
    for server in serve(**DURABLE):
        ledger = open_ledger(server.blank(), migrate=True)
        apply(ledger, digits(plan("train", "digits")))
        upload(ledger, "v1")
        taken: dict[str, list[float]] = {name: [] for name in ("junbi", *OTHERS)}
        for number in range(ROUNDS):
            let_be_due(ledger, LAUNCHES, number)
            taken["junbi"].append(submitted(ledger, LAUNCHES))
            for other in OTHERS:
                taken[other].append(worked_off(server, other, number))
    rates = {name: LAUNCHES / min(several) for name, several in taken.items()}
    told = ", ".join(f"{rates[other]:,.0f} of {other}" for other in OTHERS)
    how = (
        f"{rates['junbi']:,.0f} launches/s beside {told}, which store a try and its answer and check nothing; "
        f"the best of {ROUNDS} rounds of {LAUNCHES}, null PAI, synced"
    )
    ratio = rates["junbi"] / max(rates[other] for other in OTHERS)
    yield Result(
        "claim, submit, record: beside the better of DBOS and procrastinate", ratio, BUDGET, how, at_least=True
    )
