"""A process that dies at one chosen moment: before or after any call to PAI, to OSS, or to the ledger."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.pipeline.conftest import World

    from junbi.ledger.ledger import Ledger


class Killed(BaseException):
    """The process is gone: nothing in it may run on, no 'except Exception' may see it."""


class Doomed:
    """Stands before a port and kills the process at its n-th call, before or after the call's effect."""

    def __init__(self, port: Any, plan: Plan) -> None:
        self._port, self._plan = port, plan

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._port, name)
        if not callable(found):
            return found

        def call(*args: Any, **kwargs: Any) -> Any:
            self._plan.step()
            answer = found(*args, **kwargs)
            self._plan.step()
            return answer

        return call


class Plan:
    """Counts the moments at which a process may die, and dies at one of them."""

    def __init__(self, fatal: int | None = None) -> None:
        self.fatal, self.moments = fatal, 0

    def step(self) -> None:
        """One moment."""
        self.moments += 1
        if self.moments == self.fatal:
            raise Killed


def doomed_ports(world: World, plan: Plan) -> Any:
    """The ports of an invocation in which every call to PAI and OSS, and every statement of the ledger, may kill."""
    ports = world.ports()
    replaced = {name: Doomed(getattr(ports, name), plan) for name in ("workspace", "dlc", "objects")}
    doomed = world.ports(**replaced)
    doomed.ledger = doomed_ledger(world, plan)
    return doomed


def doomed_ledger(world: World, plan: Plan) -> Ledger:
    """The ledger, every statement of which may kill."""
    return world.ledger_on(Doomed(world.database, plan))


def die(act: Callable[[Plan], object], fatal: int | None) -> int:
    """Do something that is killed at a moment; how many moments it came through."""
    plan = Plan(fatal)
    with contextlib.suppress(Killed):
        act(plan)
    return plan.moments


def run_and_die(world: World, fatal: int | None) -> int:
    """One tick that is killed at a moment; how many moments it came through."""
    return die(lambda plan: world.reconcile(doomed_ports(world, plan)), fatal)


def die_everywhere(flow: Callable[[int], int], shard: int, shards: int, *, least: int) -> None:
    """Let a flow die at one moment after the other, until it comes through; it has ``least`` moments for certain.

    Args:
        flow: does it anew and dies at a moment; how many moments it came through.
        shard: which of the shards this is.
        shards: among how many the moments are dealt out.
        least: fewer moments than this are a fault of the counting.
    """
    fatal = shard + 1
    while flow(fatal) == fatal:
        fatal += shards
    assert fatal > least, "the flow makes more calls than that; the counting is broken"
