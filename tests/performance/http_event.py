"""An OSS event over HTTP: processor time of our server beside those of servers that do nothing with it."""

from __future__ import annotations

import json
import sqlite3
import tempfile
import time
from contextlib import ExitStack
from functools import partial
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

from tests.fixtures.fc import FC
from tests.performance.ledgers import digits, ledger_in, payload
from tests.performance.result import Result
from tests.performance.runtime import PYTHON
from tests.performance.served import PEERS, function, served

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.performance.served import Served

ROUNDS, EVENTS = 31, 120
OVER_FRAMEWORK, UNDER_FLASK = 1.2, 2.5

FLASK = """
import sys
from flask import Flask, request
from waitress import serve

app = Flask("empty")

@app.post("/")
def take():
    request.get_data()
    return ""

serve(app, host="127.0.0.1", port=int(sys.argv[1]), threads=10)
"""
FRAMEWORK = """
import functions_framework

@functions_framework.cloud_event
def take(event):
    pass
"""
INVOKE = {**FC, "x-fc-control-path": "/invoke"}
CLOUD_EVENT = {
    **INVOKE,
    "content-type": "application/json",
    "ce-id": "1",
    "ce-source": "acs.oss",
    "ce-type": "oss:ObjectCreated:PutObject",
    "ce-specversion": "1.0",
}

_versions = count()


def per_event(server: Served, send: Callable[[], object]) -> float:
    """Seconds of processor time of one of many events."""
    before = server.cpu()
    for _ in range(EVENTS):
        send()
    return (server.cpu() - before) / EVENTS


def sent(server: Served, headers: dict[str, str], body: bytes) -> None:
    """Send one event, which must be taken."""
    status, answer = server.post(body, headers)
    if status not in {200, 204}:
        raise AssertionError(f"{status}: {answer!r}")


def written(server: Served) -> None:
    """Send the first event of an upload, which the door writes down."""
    status, answer = server.post(payload(0, 1, f"w{next(_versions)}"), INVOKE)
    if status != 200 or json.loads(answer)["noted"] != 1:
        raise AssertionError(f"{status}: {answer!r}")


def measure() -> Iterator[Result]:
    """All servers run at once and are asked in turns."""
    with tempfile.TemporaryDirectory() as folder, ExitStack() as running:
        directory = Path(folder)
        ledger_in(directory, digits())
        handler = directory / "main.py"
        handler.write_text(FRAMEWORK)
        ours = running.enter_context(function("oss_upload", f"sqlite:///{directory / 'ledger.db'}"))
        flask = running.enter_context(served([str(PYTHON), "-c", FLASK, "{port}"], {}))
        command = [f"{PEERS}/functions-framework", "--source", str(handler), "--target", "take", "--port", "{port}"]
        options = ["--signature-type", "cloudevent", "--host", "127.0.0.1"]
        framework = running.enter_context(served([*command, *options], {"WORKERS": "1"}))
        body = payload(0, 1)
        event = json.dumps(json.loads(body)["events"][0]).encode()
        least = _least(
            {
                "skip": (ours, partial(sent, ours, INVOKE, body)),
                "flask": (flask, partial(sent, flask, INVOKE, body)),
                "framework": (framework, partial(sent, framework, CLOUD_EVENT, event)),
                "write": (ours, partial(written, ours)),
            }
        )
        yield from _results(least)
        yield _beside_commits(ours, directory)


def _least(servers: dict[str, tuple[Served, Callable[[], object]]]) -> dict[str, float]:
    taken: dict[str, list[float]] = {name: [] for name in servers}
    for _ in range(ROUNDS):
        for name, (server, send) in servers.items():
            taken[name].append(per_event(server, send))
    return {name: min(several[1:]) for name, several in taken.items()}  # the first one warms up


def _results(least: dict[str, float]) -> Iterator[Result]:
    skip, flask, framework = (least[name] * 1e6 for name in ("skip", "flask", "framework"))
    how = f"the server's CPU per event, all with FC's headers; the least of {ROUNDS - 1} rounds of {EVENTS}, in turns"
    what = "OSS event over HTTP that needs no write"
    said = f"{framework:.0f} us beside our {skip:.0f}; {how}"
    yield Result(
        f"{what}: functions-framework's empty handler beside it", framework / skip, OVER_FRAMEWORK, said, at_least=True
    )
    yield Result(
        f"{what}, beside an empty Flask handler", skip / flask, UNDER_FLASK, f"{skip:.0f} us beside {flask:.0f}; {how}"
    )
    said = f"{least['write'] * 1e6:.0f} us beside {skip:.0f}; {how}"
    yield Result(
        "OSS event over HTTP that is written, beside one that needs no write", least["write"] / (skip / 1e6), None, said
    )


def _beside_commits(ours: Served, directory: Path) -> Result:
    """How long an event that is written takes, beside a bare commit of the same engine on the same disk."""
    connection = sqlite3.connect(directory / "floor.db", isolation_level=None)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("CREATE TABLE floor (key INTEGER PRIMARY KEY, value TEXT)")
    rounds = [(_wall(partial(written, ours)), _wall(partial(_commit, connection))) for _ in range(ROUNDS)]
    write, commit = (min(several) for several in zip(*rounds, strict=True))
    how = (
        f"{write * 1e6:.0f} us beside {commit * 1e6:.0f} us of wall time; the least of {ROUNDS} rounds, SQLite, synced"
    )
    return Result("OSS event over HTTP that is written, beside a bare commit", write / commit, None, how)


def _commit(connection: sqlite3.Connection) -> None:
    connection.execute("INSERT INTO floor (value) VALUES ('x')")


def _wall(do: Callable[[], object], times: int = 100) -> float:
    start = time.perf_counter()
    for _ in range(times):
        do()
    return (time.perf_counter() - start) / times
