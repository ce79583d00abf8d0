"""Between a port and its service: pauses, what gets lost, and what the gateway refuses by nonce and date."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, TypeVar

from junbi.clients.outcome import Phase, classify
from junbi.errors import NotDone, OutcomeUnknown

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.simulation.world import World

    from junbi.clients.signing import Stamp
    from junbi.errors import CallFailed

T = TypeVar("T")

#: A read without an answer, among those of which there is one: status and code.
TIMEOUT = (0, "timeout")

#: How reads of Alibaba Cloud's APIs may fail.
_FAILURES = ((429, "Throttling"), (500, "InternalError"), (503, "ServiceUnavailable"), (403, "Forbidden"))

#: How long the gateway takes a signature for valid, to either side of its date.
VALIDITY = timedelta(minutes=15)

#: The longest that something new may be missing in listings.
LONGEST_LAG = 60.0

#: Seconds that a slow call takes: within a client's deadline.
SLOW = (1.0, 4.0, 19.0)


def answered(operation: str, status: int, code: str, retry_after: float | None = None) -> CallFailed:
    """The error that our clients raise for an answer."""
    kind = classify(Phase.ANSWERED, status, code)
    assert kind is not None
    return kind(operation, code, "simulated", status=status, retry_after=retry_after)


class Network:
    """Every call of every port passes here."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._nonces: set[str] = set()

    def read(self, operation: str, look: Callable[[], T], failures: tuple[tuple[int, str], ...] = _FAILURES) -> T:
        """A read: it may fail, and others may run before it is made and before its answer is seen."""
        world = self._world
        world.before_call(operation)
        if world.chance("read"):
            raise self._failed_read(operation, failures)
        answer = look()
        if world.chance("slow"):
            world.hold_up(world.rng.choice(SLOW))
        world.after_call(operation)
        return answer

    def create(self, operation: str, stamp: Stamp, effect: Callable[[], str]) -> str:
        """A create: any of ``profile.CREATE_FAULTS`` may befall it."""
        world = self._world
        world.before_call(operation)
        kind = world.rng.choice(world.profile.creates) if world.chance("create") else "well"
        world.note(operation, kind)
        before = {
            "unopened": lambda: NotDone(operation, "unreachable", "simulated"),
            "throttled": lambda: answered(operation, 429, "Throttling.User", world.rng.choice((None, 1.0, 40.0))),
            "refused": lambda: answered(operation, 400, "InvalidParameter"),
            "credentials": lambda: answered(operation, 400, "InvalidSecurityToken.Expired"),
            "error_before": lambda: answered(operation, 500, "InternalError"),
            "lost": lambda: self._timeout(operation),
            "late": lambda: self._later(operation, stamp, effect),
        }.get(kind)
        if before is not None:
            failure = before()
            world.after_call(operation)
            raise failure
        created = self._arrive(operation, stamp, effect)
        if world.chance("slow"):
            world.hold_up(world.rng.choice(SLOW))
        if kind in {"copied", "copied_lost"}:
            self._copy(operation, stamp, effect)
        world.after_call(operation)
        if kind == "error_after":
            raise answered(operation, 500, "InternalError")
        if kind in {"answer_lost", "copied_lost"}:
            raise self._timeout(operation)
        world.answered(created)
        return created

    def visible_at(self) -> datetime:
        """From when on listings show what is created now."""
        world = self._world
        lag = world.rng.choice((1.0, 20.0, 59.0, LONGEST_LAG)) if world.chance("lag") else 0.0
        return world.time.after(lag)

    def _arrive(self, operation: str, stamp: Stamp, effect: Callable[[], str]) -> str:
        """What the gateway does with a request that reaches it: the date first, then the nonce, then the service."""
        date = datetime.strptime(stamp.date, "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=UTC)
        if abs(self._world.time.now - date) > VALIDITY:
            raise answered(operation, 400, "InvalidTimeStamp.Expired")
        if stamp.nonce in self._nonces:
            raise answered(operation, 400, "SignatureNonceUsed")
        self._nonces.add(stamp.nonce)
        return effect()

    def _later(self, operation: str, stamp: Stamp, effect: Callable[[], str]) -> CallFailed:
        self._copy(operation, stamp, effect)
        return self._timeout(operation)

    def _copy(self, operation: str, stamp: Stamp, effect: Callable[[], str]) -> None:
        def arrive() -> None:
            try:
                self._arrive(operation, stamp, effect)
            except (NotDone, OutcomeUnknown) as error:
                self._world.note("late copy", error.code)
            else:
                self._world.note("late copy", f"{operation} carried out")

        rng = self._world.rng
        # Most around the moment at which its signature expires: there a late copy can do harm.
        delay = rng.uniform(880.0, 935.0) if rng.random() < 0.7 else rng.choice((1.0, 30.0, 200.0, 600.0, 1100.0))
        self._world.later(delay, f"a copy of {operation} arrives", arrive)

    def _timeout(self, operation: str) -> CallFailed:
        self._world.hold_up(self._world.rng.choice((1.0, 10.0, 30.0)))
        return OutcomeUnknown(operation, "timeout", "simulated")

    def _failed_read(self, operation: str, failures: tuple[tuple[int, str], ...]) -> CallFailed:
        status, code = self._world.rng.choice(failures)
        return answered(operation, status, code) if status else self._timeout(operation)
