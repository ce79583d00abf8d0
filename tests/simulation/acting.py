"""What people do to launches in every fourth seed, whose plans have policies: cancel, rerun, approve, freeze, thaw."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.simulation.tasks import Killed

from junbi.core.facts import LaunchState
from junbi.core.policy import FailureClass, Limit, Limits, Policy, Retries
from junbi.errors import LedgerUnavailable, Stale
from junbi.pipeline import acts, call

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random

    from tests.simulation.tasks import Task
    from tests.simulation.world import World

#: Seconds between the rounds of somebody who approves what waits for it; and before one who saw no answer asks again.
ROUND, PATIENCE = 100.0, 5.0

#: Which seeds have policies and acts in them: so that all others stay as they are.
EVERY = 4

_CLASSES = (FailureClass.PREEMPTED, FailureClass.INFRASTRUCTURE, FailureClass.USER_CODE)


def has_acts(seed: int) -> bool:
    """Whether a seed's plans have policies, and people act on its launches."""
    return seed % EVERY == EVERY - 1


def policy(rng: Random) -> Policy:
    """A seed's own policies."""
    retries = Retries(max=rng.choice((0, 1, 2)), on=_CLASSES, backoff=rng.choice((5.0, 60.0)))
    then = rng.choice((None, None, "notify", "stop", "retry"))
    return Policy(
        overlap=rng.choice(("allow", "queue", "queue", "replace", "skip")),
        waiting=rng.choice(("every", "newest")),
        spare=rng.choice((None, None, 60.0)),
        retries=retries,
        limits=Limits(running=Limit(after=45.0, then=then)) if then else Limits(),
        approve=rng.random() < 0.25,
    )


class Acting:
    """Decides what people do to launches, and does it when its time has come, again and again until it is answered."""

    def __init__(self, world: World, busy: tuple[float, float]) -> None:
        self._world, self._busy = world, busy
        #: By prefix: when somebody last said that everything is there, and was answered.
        self.called: dict[str, Any] = {}
        #: The launches that somebody set out to approve.
        self.approved: set[str] = set()

    def plan_ahead(self) -> None:
        """Decide everything that people will do to launches in this seed."""
        rng = self._world.rng
        for action in (self._cancel, self._cancel, self._rerun, self._rerun, self._freeze):
            if rng.random() < 0.5:
                self._world.later(rng.uniform(*self._busy) * 2, action.__name__.strip("_"), action)
        self._approve_all()

    def call(self, prefix: str) -> None:
        """Somebody says that everything below a prefix is there."""

        def called(_answer: Any) -> None:
            self.called[prefix] = begun
            self._world.observed.told(prefix, begun)

        begun = self._world.time.now
        self._do("close", lambda: call.close(self._world.ledger, f"oss://data/{prefix}", "Ada"), called)

    def _cancel(self) -> None:
        one = self._any()
        if one is not None:
            self._do("cancel", lambda: acts.cancel(self._world.ledger, one["id"], "Ada"))

    def _rerun(self) -> None:
        one = self._any()
        if one is not None:
            self._do("rerun", lambda: acts.rerun(self._world.ledger, one["id"], "Ada"))

    def _freeze(self) -> None:
        rng, ledger = self._world.rng, self._world.ledger
        which, meanwhile = rng.choice(("", "train")), rng.choice((None, "every", "newest", "skip"))
        lasts = rng.choice((40.0, 300.0, 900.0))

        def thaw() -> None:
            self._do("thaw", lambda: acts.thaw(ledger, which, "Ada", meanwhile))

        self._do("freeze", lambda: acts.freeze(ledger, which, "Ada"), lambda _: self._world.later(lasts, "thaw", thaw))

    def _approve_all(self) -> None:
        """What waits for approval gets it at some time; "timer" as it goes on for ever."""
        self._world.later(ROUND, "timer approve", self._approve_all)
        for row in self._world.table("launch"):
            if row["state"] == LaunchState.WAITING and "AwaitingApproval" in (row["reason"] or ""):
                self._approve(row["id"])

    def _approve(self, launch: str) -> None:
        self.approved.add(launch)
        self._do("approve", lambda: acts.approve(self._world.ledger, launch, "Ada"))

    def _any(self) -> dict[str, Any] | None:
        rows = self._world.table("launch")
        return self._world.rng.choice(rows) if rows else None

    def _do(self, name: str, act: Callable[[], Any], then: Callable[[Any], None] = lambda _: None) -> None:
        def done(task: Task, answer: Any, error: BaseException | None) -> None:
            if error is None:
                then(answer)
            elif isinstance(error, (LedgerUnavailable, Killed, Stale)):
                self._world.later(PATIENCE, f"{name} once more", lambda: self._do(name, act, then))
            elif not isinstance(error, acts.Unknown):
                self._world.violated(f"{task.name} ended with {error!r}")

        self._world.start(name, act, done)
