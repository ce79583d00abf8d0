"""junbi with one protection taken away each, as far as it lies in watched code and images."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any

from tests.simulation.broken_ledger import WithPart
from tests.simulation.broken_ports import Port
from tests.simulation.house import House

from junbi.errors import NotDone, OutcomeUnknown
from junbi.ledger.code_lines import CodeLines
from junbi.ledger.image_lines import ImageLines
from junbi.ledger.worklist import Worklist

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from datetime import datetime

    from tests.simulation.time import SkewedClock
    from tests.simulation.world import World

    from junbi.core.plan import CodeSpec
    from junbi.ledger.worklist import Item
    from junbi.pipeline.wiring import Ports


class PushIsTruth(House):
    """What a push says is taken for where its branch is, and the repository is asked where no push came."""

    def ports(self, world: World, own_clock: SkewedClock) -> Ports:
        """Ports that know the refs by hearsay."""
        ports = super().ports(world, own_clock)
        ask: Callable[[CodeSpec], Mapping[str, str]] = ports.refs

        def refs(line: CodeSpec) -> Mapping[str, str]:
            return {**ask(line), **{push.ref: push.commit for push in ports.ledger.code_lines.pushes(line)}}

        vars(ports)["refs"] = refs
        return ports


class _CreatesAgain(Port):
    def create(self, request: Any, stamp: Any) -> str:
        return self._again(self._port.create, request, stamp)

    def add(self, request: Any, stamp: Any) -> str:
        return self._again(self._port.add, request, stamp)

    def _again(self, create: Callable[[Any, Any], str], request: Any, stamp: Any) -> str:
        try:
            return create(request, stamp)
        except OutcomeUnknown as error:
            raise NotDone(error.operation, error.code, error.message) from error


class CodeSourceAgain(House):
    """A code source of which nobody knows whether it was created is created again."""

    themes = ("settling",)
    port = "code_sources_in"

    def ports(self, world: World, own_clock: SkewedClock) -> Ports:
        """Ports that take an unknown outcome for "not done"."""
        ports = super().ports(world, own_clock)
        found = getattr(ports, self.port)
        vars(ports)[self.port] = lambda region: _CreatesAgain(found(region), world)
        return ports


class ImageAgain(CodeSourceAgain):
    """An image of which nobody knows whether it was registered is registered again."""

    port = "images_in"


class _NeverByItself(Worklist):
    def again(self, item: Item, due_at: datetime, failures: int = 0, problem: str = "") -> None:
        if item.kind in {"code", "image"} and not failures:
            due_at += timedelta(days=1)
        super().again(item, due_at, failures, problem)


class NotPolled(WithPart):
    """Repositories and registries are looked at when pushes tell of them, and at no other time."""

    name, part = "worklist", _NeverByItself


class _SameAsBefore:
    """Gives each look the same answers as at its beginning, so that nothing seems to have changed meanwhile."""

    world: World

    def get(self, name: str) -> Any:
        return self._first("line", super().get, name)  # type: ignore[misc]

    def state(self, name: str) -> Any:
        return self._first("state", super().state, name)  # type: ignore[misc]

    def _first(self, what: str, read: Callable[[str], Any], name: str) -> Any:
        task = self.world.tasks.current
        return task.memory.setdefault((type(self), what), read(name)) if task else read(name)


class _SameCode(_SameAsBefore, CodeLines):
    pass


class _SameImages(_SameAsBefore, ImageLines):
    pass


class CodeUnversioned(WithPart):
    """Where code is said to be is saved whatever another look has found since, and whatever is watched by now."""

    themes = ("pausing",)
    name, part = "code_lines", _SameCode


class ImageUnversioned(WithPart):
    """The same of images."""

    themes = ("pausing",)
    name, part = "image_lines", _SameImages


#: Every variant of this kind.
VARIANTS: tuple[type[House], ...] = (
    PushIsTruth,
    CodeSourceAgain,
    ImageAgain,
    NotPolled,
    CodeUnversioned,
    ImageUnversioned,
)
