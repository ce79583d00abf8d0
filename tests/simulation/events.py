"""What clouds and hosts tell to the doors: lost, twice, late, and so in another order than it happened in."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.simulation.oss import prefix_of
from tests.simulation.tasks import Killed

from junbi.core.model import Event, EventKind, ObjectRef
from junbi.errors import LedgerUnavailable, Stale
from junbi.events.parsed import Parsed
from junbi.pipeline import note, receive

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.simulation.tasks import Task
    from tests.simulation.world import World

    from junbi.events.delivery import Delivery

#: FC calls a failing asynchronous invocation so often in all, and waits so many seconds longer each time.
ATTEMPTS, PATIENCE = 3, 60.0


class Events:
    """Carries the events of one seed."""

    def __init__(self, world: World) -> None:
        self._world = world
        self.told = 0

    def object(self, key: str, kind: EventKind) -> None:
        """OSS tells of an object."""
        event = Event(self._number(), kind, kind.value, ObjectRef("data", key), self._world.time.now)
        self._carry(key, lambda: self._note(event, 1))

    def webhook(self, door: receive.Door, label: str, delivery: Delivery) -> None:
        """A host tells of a push. It is told what became of it, and does not say it again."""
        self._carry(label, lambda: self._receive(door, delivery))

    def _carry(self, label: str, arrive: Callable[[], None]) -> None:
        world = self._world
        if world.chance("drop"):
            world.note("event dropped", label)
            return
        for _ in range(2 if world.chance("repeat") else 1):
            delay = world.rng.choice((3.0, 30.0, 100.0)) if world.chance("delay") else world.rng.random() * 0.3
            world.later(delay, f"event {label}", arrive)

    def _note(self, event: Event[ObjectRef], attempt: int) -> None:
        world, started = self._world, self._world.time.now

        def done(_: Task, answer: Any, error: BaseException | None) -> None:
            if error is None:
                if event.kind is EventKind.OBJECT_CREATED:
                    world.observed.told(prefix_of(event.subject.key), started)
                self._poke(due=answer[1])
            elif self._is_foreseen(error) and attempt < ATTEMPTS:
                again = f"event {event.subject.key}"
                world.later(PATIENCE * attempt, again, lambda: self._note(event, attempt + 1))

        world.start("oss_upload", lambda: note.note_events(world.ledger, Parsed((event,))), done)

    def _receive(self, door: receive.Door, delivery: Delivery) -> None:
        def done(_: Task, answer: Any, error: BaseException | None) -> None:
            if error is None:
                if answer[0].status != 200 and not self._world.people.pushes.was_away:  # where nobody knows a secret
                    self._world.violated(f"{door.ENDPOINT} refused a delivery: {answer[0].body}")
                self._poke(due=answer[1])
            else:
                self._is_foreseen(error)

        self._world.start(door.ENDPOINT, lambda: receive.receive(door, self._world.ledger, delivery), done)

    def _poke(self, *, due: bool) -> None:
        if due:
            self._world.later(0.05, "poke", lambda: self._world.invoke("reconcile"))

    def _is_foreseen(self, error: BaseException) -> bool:
        foreseen = isinstance(error, (Killed, LedgerUnavailable, Stale))
        if not foreseen:
            self._world.violated(f"a door failed: {error!r}")
        return foreseen

    def _number(self) -> str:
        self.told += 1
        return str(self.told)
