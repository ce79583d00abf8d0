"""What ``reconcile`` does: claims what is due, looks at it, and goes on until nothing is due or its time is up."""

from __future__ import annotations

import time
from collections import Counter
from datetime import timedelta
from importlib import import_module
from typing import TYPE_CHECKING, Any

from junbi import log
from junbi.errors import CallFailed, LedgerUnavailable, Stale
from junbi.pipeline import balance
from junbi.pipeline.discover import discover
from junbi.pipeline.sweep import sweep
from junbi.pipeline.wiring import Ports

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from datetime import datetime

    from junbi.events.parsed import Parsed
    from junbi.ledger.worklist import Item, Kind
    from junbi.pipeline.invocation import Invocation

_log = log.logger("reconcile")

#: Seconds before the function's deadline at which nothing new is begun. Longer than one look's calls may take.
RESERVE = 15.0

#: Seconds that something may be due before a tick says that it falls behind.
LATE = 120.0

#: The longest pause after looks that failed in a row; the first is two seconds, and each doubles.
LONGEST_PAUSE = timedelta(minutes=5)


def work(parsed: Parsed[Any], invocation: Invocation) -> Mapping[str, object]:  # noqa: ARG001 - a tick has no payload
    """One tick of ``reconcile``."""
    return tick(Ports(invocation))


def tick(ports: Ports) -> Mapping[str, object]:
    """Due rows first, then folders that no event told of, then a few that have ended; and what became due by these."""
    ports.ledger.worklist.poke_arrived()
    done: Counter[str] = Counter()
    _work_off(ports, done)
    now = ports.ledger.now()
    if _time_left(ports.invocation) and ports.ledger.worklist.may_discover(now):
        done["discovered"] = discover(ports, now)
        _work_off(ports, done)
    now = ports.ledger.now()
    if _time_left(ports.invocation) and ports.ledger.worklist.may_sweep(now):
        done["swept"] = sweep(ports, now)
        _work_off(ports, done)
    if _time_left(ports.invocation):
        _keep_house(ports, done)
    return {"looked_at": dict(done), **_backlog(ports)}


def _keep_house(ports: Ports, done: Counter[str]) -> None:
    worklist, now = ports.ledger.worklist, ports.ledger.now()
    if worklist.may_audit(now):
        done["woken"] = balance.audit(ports.ledger, now)
    if worklist.may_prune(now):
        done["forgotten"] = balance.prune(ports.ledger, now)


def _backlog(ports: Ports) -> dict[str, object]:
    """How much is still due, and since how long: a tick that falls behind says so."""
    due, behind = ports.ledger.worklist.backlog(ports.ledger.now())
    lag = behind.total_seconds()
    if lag > LATE:
        _log.warning("reconcile falls behind", due=due, lag=lag)
    return {"still_due": due, "lag": lag}


def _work_off(ports: Ports, done: Counter[str]) -> None:
    worklist = ports.ledger.worklist
    while _time_left(ports.invocation):
        items = worklist.claim(ports.ledger.now(), most=1)
        if not items:
            return
        for item in items:
            _look(ports, item)
            done[item.kind] += 1


def _time_left(invocation: Invocation) -> bool:
    return time.monotonic() < invocation.deadline - RESERVE


def _look(ports: Ports, item: Item) -> None:
    """Look at one thing. Whatever goes wrong with it stays with it: others are looked at all the same."""
    try:
        next_look = _room(item.kind)(ports, item.id)
    except Stale:
        ports.ledger.worklist.again(item, ports.ledger.now())
    except LedgerUnavailable:
        raise
    except CallFailed as error:
        _failed(ports, item, error, error.retry_after)
    except Exception as error:  # noqa: BLE001 - a fault of ours in one row must not stop the rest of the worklist
        _log.exception("a look failed for a reason nobody foresaw", kind=item.kind, id=item.id)
        _failed(ports, item, error, None)
    else:
        if next_look is None:
            ports.ledger.worklist.finish(item, ports.ledger.now())
        else:
            ports.ledger.worklist.again(item, next_look)


#: Where each kind of thing is looked at.
_ROOMS: dict[Kind, str] = {
    "arrival": "close",
    "revision": "register",
    "launch": "launch",
    "plan": "trigger",
    "audit": "audit",
    "expectation": "expect",
    "proof": "proof",
    "code": "resolve",
    "image": "resolve_image",
    "quota": "admission",
}


def _room(kind: Kind) -> Callable[[Ports, str], datetime | None]:
    """Who looks at a kind of thing: takes an id and answers when to look again, None for never.

    Loaded when needed: the models of PAI's APIs cost a tick that only closes an upload more than the upload.
    """
    look: Callable[[Ports, str], datetime | None] = import_module(f"junbi.pipeline.{_ROOMS[kind]}").look
    return look


def _failed(ports: Ports, item: Item, error: Exception, retry_after: float | None) -> None:
    pause = min(timedelta(seconds=2 ** min(item.failures + 1, 10)), LONGEST_PAUSE)
    if retry_after is not None:
        pause = max(pause, timedelta(seconds=retry_after))
    _log.warning(
        "a look failed and is repeated", kind=item.kind, id=item.id, error=str(error), again_in=pause.total_seconds()
    )
    due_at = ports.ledger.now() + pause
    ports.ledger.worklist.again(item, due_at, failures=item.failures + 1, problem=str(error))
