"""A world in which a test says what happens, and when; and ports that hold up or interrupt who calls them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.simulation.house import House
from tests.simulation.people import MARKER, dataset, plan
from tests.simulation.profile import Profile
from tests.simulation.pushes import CODE, TORCH, code, image, trained_with
from tests.simulation.world import World

from junbi.core.model import Event, EventKind, ObjectRef
from junbi.errors import OutcomeUnknown
from junbi.events.parsed import Parsed
from junbi.pipeline import note, work
from junbi.pipeline.apply import apply

if TYPE_CHECKING:
    from collections.abc import Callable

    from junbi.pipeline.wiring import Ports


class Stage(World):
    """A world without faults in which a test says what happens, and when. What it calls itself pauses for nobody."""

    def open(self) -> None:
        """One dataset and one plan, applied half a minute ago."""
        self.profile = Profile()
        self.people.datasets = {"digits": dataset("digits", "version", marker=MARKER)}
        self.people.plans = {"train": plan("train", ("digits",), ("digits",))}
        apply(self.ledger, self.people.generation())
        self.time.pass_(30.0)

    def watch(self, line: str, ports: Ports | None = None, **more: Any) -> None:
        """The plan trains with watched code or a watched image too, which was looked at; and with an upload."""
        self.people.pushes.code = {CODE: code(**more)} if line == CODE else {}
        self.people.pushes.images = {TORCH: image(**more)} if line == TORCH else {}
        self.people.plans = {"train": trained_with(self.people.plans["train"], (line,), ("digits", line))}
        apply(self.ledger, self.people.generation())
        work.tick(ports or self.ports())
        self.upload()

    def trained_with(self, line: str) -> list[str]:
        """The last figure of each commit or digest that a launch was made for, in that order."""
        pins = [one.pins[line] for one in reversed(self.ledger.launches.newest())]
        return [self.ledger.revisions.get(one).digest[-1] for one in pins]

    def put(self, name: str) -> None:
        """One object of v1, and its event."""
        self.oss.put(f"digits/v1/{name}", name)
        self._tell(name, f"digits/v1/{name}")

    def upload(self, version: str = "v1") -> None:
        """A whole upload, and the event of its marker."""
        for name, content in (("part-0", version), (MARKER, "")):
            self.oss.put(f"digits/{version}/{name}", content)
        self._tell(version, f"digits/{version}/{MARKER}")

    def _tell(self, name: str, key: str) -> None:
        subject = ObjectRef("data", key)
        event = Event(name, EventKind.OBJECT_CREATED, "ObjectCreated:PutObject", subject, self.time.now)
        note.note_events(self.ledger, Parsed((event,)))

    def ports(self, **replaced: Any) -> Ports:
        """The ports of one tick, some replaced."""
        ports = House().ports(self, self.instances[0])
        vars(ports).update(replaced)
        return ports

    def settle(self) -> None:
        """Tick until nothing is open any more."""
        for _ in range(30):
            self.time.pass_(61.0)
            work.tick(self.ports())


class Held:
    """A port whose creates are held up in the network: nobody hears of them until the test lets them arrive."""

    def __init__(self, port: Any, *operations: str) -> None:
        self._port, self._operations = port, operations
        self.requests: list[tuple[Callable[..., str], tuple[Any, ...]]] = []

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._port, name)
        return self._hold(found) if name in self._operations else found

    def _hold(self, create: Callable[..., str]) -> Callable[..., str]:
        def held(*request: Any) -> str:
            self.requests.append((create, request))
            raise OutcomeUnknown("create", "timeout", "held up")

        return held

    def arrive(self) -> None:
        """The first request arrives."""
        create, request = self.requests[0]
        create(*request)


class Interrupted:
    """A port whose caller is paused behind one read, while the test does something."""

    def __init__(self, port: Any, operation: str, meanwhile: Callable[[], None]) -> None:
        self.port, self._operation, self._meanwhile = port, operation, meanwhile

    def __getattr__(self, name: str) -> Any:
        found = getattr(self.port, name)
        if name != self._operation:
            return found

        def interrupted(*args: Any, **kwargs: Any) -> Any:
            answer = found(*args, **kwargs)
            self._meanwhile()
            return answer

        return interrupted
