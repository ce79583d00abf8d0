"""Function invocations as tasks of which one runs at a time, from one of its pauses to the next."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from greenlet import getcurrent, greenlet

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime


class Killed(BaseException):
    """The invocation's process is gone: nothing in it runs on, and no 'except Exception' sees it."""


@dataclass(eq=False)
class Task:
    """One invocation of a function.

    Attributes:
        name: for the trace, such as ``reconcile3``.
        resume_at: it runs on then, at the earliest.
        point: where it stands.
        fate: what is raised in it when it runs on.
        listed: by prefix, the digest of each whole listing that it made since it last claimed something.
        answers: what creates answered it with.
        looks_since: when it claimed what it looks at.
        resolved: by watched line, when it asked last where that is.
    """

    name: str
    work: Callable[[], Any]
    resume_at: datetime
    done: Callable[[Task, Any, BaseException | None], None]
    point: str = "start"
    fate: BaseException | None = None
    listed: dict[str, str] = field(default_factory=dict)
    answers: list[str] = field(default_factory=list)
    memory: dict[str, Any] = field(default_factory=dict)
    looks_since: datetime | None = None
    resolved: dict[str, datetime] = field(default_factory=dict)
    dying: bool = False
    thread: greenlet | None = None


class Tasks:
    """Runs tasks. What they call pauses them, and the simulation decides who runs on."""

    def __init__(self) -> None:
        self.live: list[Task] = []
        self._by_thread: dict[greenlet, Task] = {}
        self._main = getcurrent()
        #: The task that ran last.
        self.last: Task | None = None

    def start(self, task: Task) -> None:
        """Let a task wait for its first turn."""
        task.thread = greenlet(task.work, parent=self._main)
        self._by_thread[task.thread] = task
        self.live.append(task)

    @property
    def current(self) -> Task | None:
        """The task that runs now; None where the simulation itself does."""
        return self._by_thread.get(getcurrent())

    def pause(self, point: str) -> None:
        """Called by a task: let others run."""
        task = self.current
        if task is None:
            return
        if task.dying:
            raise Killed
        task.point = point
        self._main.switch()
        if task.fate is not None:
            fate, task.fate = task.fate, None
            raise fate

    def run(self, task: Task) -> None:
        """Let a task run until its next pause or its end."""
        thread = task.thread
        self.last = task
        try:
            answer = thread.switch()
        except BaseException as error:  # noqa: BLE001 - whatever ended it is for the simulation to judge
            self._end(task, None, error)
        else:
            if thread.dead:
                self._end(task, answer, None)

    def kill(self, task: Task) -> None:
        """End a task where it stands."""
        task.dying = True
        task.fate = Killed()
        self.run(task)

    def end_all(self) -> None:
        """Kill whatever still lives, so that nothing outlives the simulation."""
        for task in list(self.live):
            task.done = lambda *_: None
            self.kill(task)

    def _end(self, task: Task, answer: Any, error: BaseException | None) -> None:
        self.live.remove(task)
        del self._by_thread[task.thread]
        task.done(task, answer, error)
