"""One seed: the real pipeline in several invocations at once, over a real ledger, in a cloud that misbehaves."""

from __future__ import annotations

import random
from datetime import timedelta
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from tests.simulation import profile as profiles
from tests.simulation.acting import has_acts
from tests.simulation.code_sources import CodeSources
from tests.simulation.dlc import Dlc
from tests.simulation.events import Events
from tests.simulation.git import Git
from tests.simulation.images import Images
from tests.simulation.invariants import Invariants
from tests.simulation.network import Network
from tests.simulation.observed import Observed
from tests.simulation.oss import Oss
from tests.simulation.pai_studio import PaiStudio
from tests.simulation.people import People
from tests.simulation.placing import has_quotas
from tests.simulation.pushes import has_lines
from tests.simulation.registry import Registry
from tests.simulation.tasks import Killed, Task, Tasks
from tests.simulation.time import START, SkewedClock, VirtualTime
from tests.simulation.workspace import Workspace

from junbi.core.model import EventKind
from junbi.errors import CallFailed, LedgerUnavailable
from junbi.pipeline import follow, quotas, work
from junbi.pipeline.apply import apply

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime
    from pathlib import Path

    from tests.simulation.house import House

    from junbi.core.plan import Generation

#: Seconds between the ticks of the timers.
TIMER = 60.0

#: Invocations of reconcile that run at once, at most.
WORKERS = 3

#: What each function does when its timer comes round.
_TICKS = {"reconcile": work.tick, "job_change": follow.tick, "quota_change": quotas.tick}

#: Where a pause does most harm: it comes more often there.
CRITICAL = frozenset(
    {"clock", "begin", "commit done", "save_try", "ListJobs answered", "ListDatasets answered", "CreateJob"}
    | {"ListDatasetVersions answered", "CreateDataset", "CreateDatasetVersion"}
    | {"ListCodeSources answered", "CreateCodeSource", "GetImage answered", "AddImage"}
    | {"git ls-remote answered", "GetManifest answered"}
)

#: How long a paused process may be away: within a lease, past it, and around the settling time.
PAUSES = (2.0, 20.0, 61.0, 130.0, 600.0, 1000.0, 1025.0, 1300.0)

#: What a process may be about to send when it is away for so long that others have settled it and sent it themselves.
CREATES = frozenset({"CreateJob", "CreateDataset", "CreateDatasetVersion", "CreateCodeSource", "AddImage"})
STALLS = (1100.0, 1300.0, 1500.0)


class World:
    """Everything of one seed. All that is random comes from ``rng``; all time is ``time``."""

    def __init__(self, seed: int, path: Path, house: House, trace: list[str] | None) -> None:
        self.rng = random.Random(seed)
        self.time = VirtualTime()
        self.profile = profiles.draw(self.rng, house.themes)
        self.violation: str | None = None
        self._trace = trace
        self.tasks = Tasks()
        self._happenings: list[tuple[datetime, int, str, Callable[[], None]]] = []
        self._count = 0
        # A signer may be 30 s off the cloud, and the ledger may drift by 30 s: together what settling allows for.
        self.ledger_clock = SkewedClock(self.time, timedelta(seconds=self.rng.choice((-15, 0, 15))))
        self.instances = [SkewedClock(self.time, timedelta(seconds=self.rng.uniform(-30, 30))) for _ in range(3)]
        network = Network(self)
        self.oss, self.workspace, self.dlc = Oss(self, network), Workspace(self, network), Dlc(self, network)
        self.git, self.registry = Git(self, network), Registry(self, network)
        self.pai = PaiStudio(self, network)
        self.code_sources, self.images = CodeSources(self, network), Images(self, network)
        self.events = Events(self)
        self._house = house
        self.has_acts, self.has_lines = has_acts(seed), has_lines(seed)
        self.has_quotas = house.in_quotas or has_quotas(seed)
        self.database = house.database(path, self)
        self.ledger = house.ledger(self)
        self.people = People(self)
        self.observed = Observed(self)
        self.invariants = Invariants(self)
        self.claimed, self.listed, self.answered = self.observed.claimed, self.observed.listed, self.observed.answered
        self.profile_before = self.profile
        if trace is not None:
            trace.append(profiles.shown(self.profile))

    # What happens and when

    def begin(self) -> None:
        """The first apply, people's plans, the timers."""
        apply(self.ledger, self.people.generation())
        self.people.plan_ahead()
        self._timer(5.0, "reconcile")
        self._timer(7.0, "job_change")
        if self.has_quotas:
            self._timer(9.0, "quota_change")

    def later(self, seconds: float, label: str, action: Callable[[], None]) -> None:
        """Have something happen in so many seconds."""
        self._count += 1
        self._happenings.append((self.time.after(seconds), self._count, label, action))

    def step(self) -> None:
        """One thing happens: somebody runs on to the next pause, an event arrives, or time passes."""
        now = self.time.now
        ready = [task for task in self.tasks.live if task.resume_at <= now]
        due = [one for one in self._happenings if one[0] <= now]
        if not ready and not due:
            coming = [task.resume_at for task in self.tasks.live] + [one[0] for one in self._happenings]
            self.time.until(min(coming))
            return
        which = self.rng.randrange(len(ready) + len(due))
        if which < len(ready):
            self._run(ready[which])
        else:
            self._happen(due[which - len(ready)])
        self.time.pass_(self.rng.random() * 0.03)
        if self.chance("hurry"):
            self.time.pass_(self.rng.choice((5.0, 30.0, 61.0)))
        if self.chance("jump"):
            self._jump()
        if self.has_quotas:
            self.pai.dequeue()
        self.invariants.check()

    @property
    def at_rest(self) -> bool:
        """Whether nobody runs and nothing but timers is to come."""
        return not self.tasks.live and all(one[2].startswith("timer") for one in self._happenings)

    def chance(self, kind: str) -> bool:
        """Whether a kind of fault strikes here."""
        likely: float = getattr(self.profile, kind)
        return likely > 0.0 and self.rng.random() < likely

    def note(self, what: str, more: object = "") -> None:
        """A line of the trace, where one is wanted."""
        if self._trace is not None:
            task = self.tasks.current
            seconds = (self.time.now - START).total_seconds()
            self._trace.append(f"{seconds:10.3f} {task.name if task else '-':<14} {what} {more}")

    def violated(self, what: str) -> None:
        """An invariant does not hold: the first one is kept."""
        self.violation = self.violation or what
        self.note("VIOLATED", what)

    def table(self, name: str) -> list[dict[str, Any]]:
        """Every row of a table, looked at by nobody's clock."""
        return self.database.table(name)

    # What people and clouds do

    def put(self, key: str, content: str) -> None:
        """An upload of one object."""
        self.oss.put(key, content)
        self.events.object(key, EventKind.OBJECT_CREATED)

    def delete(self, key: str) -> None:
        """A deletion of one object."""
        if self.oss.delete(key):
            self.events.object(key, EventKind.OBJECT_REMOVED)

    def apply(self, generation: Generation) -> None:
        """Somebody runs 'junbi apply', again and again until it works."""

        def done(task: Task, answer: Any, error: BaseException | None) -> None:
            del task, answer
            if isinstance(error, (LedgerUnavailable, Killed)):
                self.later(5.0, "apply once more", lambda: self.apply(self.people.generation()))
            elif error is not None:
                self.violated(f"apply failed: {error!r}")
            elif generation != self.people.generation():
                self.later(5.0, "apply what it is by now", lambda: self.apply(self.people.generation()))

        self.start("apply", lambda: apply(self.ledger, generation), done)

    # What the ports and the ledger call

    def before_statement(self, name: str) -> None:
        """The ledger is asked for something."""
        if self.tasks.current is None:
            return
        self._pause(name)
        if self.chance("unavailable"):
            self.note(name, "unavailable")
            raise LedgerUnavailable("simulated: the ledger did not answer")

    def after_write(self, name: str) -> None:
        """The ledger changed, and the answer is on its way."""
        if self.tasks.current is None:
            return
        self._pause(f"{name} done")
        if self.chance("unsure"):
            self.note(name, "done, and its answer lost")
            raise LedgerUnavailable("simulated: the ledger's answer was lost")

    def before_call(self, operation: str) -> None:
        """A request leaves."""
        self._pause(operation)

    def after_call(self, operation: str) -> None:
        """An answer comes."""
        self._pause(f"{operation} answered")

    def hold_up(self, seconds: float) -> None:
        """The current task waits."""
        if self.tasks.current is not None:
            self.tasks.current.resume_at = self.time.after(seconds)
            self.tasks.pause("waiting")

    # Inside

    def _pause(self, point: str) -> None:
        task = self.tasks.current
        if task is None:
            return
        seconds = 0.0
        if self.chance("pause") or (point in CRITICAL and self.chance("pause")):
            seconds = self.rng.choice(PAUSES)
        if point in CREATES and self.chance("stall"):
            seconds = self.rng.choice(STALLS)
        if seconds:
            self.note(point, f"paused for {seconds} s")
            task.resume_at = self.time.after(seconds)
        self.tasks.pause(point)

    def _run(self, task: Task) -> None:
        if self.chance("kill"):
            self.note(f"killed {task.name} at", task.point)
            self.tasks.kill(task)
            return
        if self._trace is not None:
            self._trace.append(f"{'':10} {task.name:<14} goes on at {task.point}")
        self.tasks.run(task)

    def _happen(self, one: tuple[datetime, int, str, Callable[[], None]]) -> None:
        self._happenings.remove(one)
        self.note(one[2])
        one[3]()

    def _jump(self) -> None:
        clock = self.rng.choice((self.ledger_clock, *self.instances))
        most = 15 if clock is self.ledger_clock else 30
        offset = timedelta(seconds=self.rng.uniform(-most, most))
        clock.offset = max(clock.offset, offset) if clock is self.ledger_clock else offset

    def start(self, name: str, action: Callable[[], Any], done: Any) -> Task:
        """Begin a task; ``done`` hears how it ended."""
        self._count += 1
        task = Task(f"{name}{self._count}", action, self.time.now, done)
        self.tasks.start(task)
        return task

    def _timer(self, seconds: float, function: str) -> None:
        def tick() -> None:
            self._timer(TIMER, function)
            self.invoke(function)

        self.later(seconds, f"timer {function}", tick)

    def invoke(self, function: str) -> None:
        """Function Compute calls a function, unless enough of it run."""
        if sum(task.name.startswith(function) for task in self.tasks.live) >= WORKERS:
            return
        ports = self._house.ports(self, self.rng.choice(self.instances))
        tick = _TICKS[function]
        self.start(function, lambda: tick(ports), self._ticked)

    def _ticked(self, task: Task, answer: Any, error: BaseException | None) -> None:
        del answer
        if error is None:
            self.invariants.answers_are_written_down(task)
        elif isinstance(error, CallFailed) and task.name.startswith(("job_change", "quota_change")):
            self.note(f"{task.name} failed", error)
        elif not isinstance(error, (Killed, LedgerUnavailable)):
            self.violated(f"{task.name} ended with {error!r}")

    def due_first(self) -> list[str]:
        """What is to come, soonest first, for the trace."""
        return [one[2] for one in sorted(self._happenings, key=itemgetter(0, 1))]
