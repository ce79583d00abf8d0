"""Moves the jobs of the emulated DLC on: by the clock until their pods start, then by what the pods do.

    Creating -> Queuing -> EnvPreparing -> Running -> Succeeded | Failed
         any of these, by StopJob: -> Stopping -> Stopped

Everything it needs to know is in Records and with the executor, so that after a crash it goes on where it was.
"""

from __future__ import annotations

import logging
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING

from junbi.emulator.dlc.pod_specs import Unmountable, max_seconds, pod_spec
from junbi.emulator.dlc.requested import workload
from junbi.emulator.quota.dequeue import Decision, dequeue

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from junbi.emulator.clock import Clock
    from junbi.emulator.dlc.job import Job
    from junbi.emulator.dlc.jobs import Jobs
    from junbi.emulator.dlc.pods import Executor, PodState
    from junbi.emulator.quota.state import Quotas

_log = logging.getLogger(__name__)

_ENDED = frozenset({"Succeeded", "Failed"})


@dataclass(frozen=True)
class Pace:
    """How many emulated seconds a job stays in each phase before its pods start.

    Attributes:
        give_up: how long pods may be kept from starting by a problem, such as a missing bucket, before the job
            fails. Source: none; the real service gives up after minutes.
    """

    creating: float = 0.5
    queuing: float = 0.5
    preparing: float = 1.0
    give_up: float = 30.0


class Scheduler:
    """Moves jobs on, one step at a time.

    Args:
        jobs: all of them.
        executor: runs the pods.
        clock: emulated time decides how long a phase lasts.
        pace: how long that is.
        quotas: a job in one of them leaves its queue only when there is room.
    """

    def __init__(self, jobs: Jobs, executor: Executor, clock: Clock, pace: Pace, quotas: Quotas) -> None:
        self._jobs, self._executor, self._clock, self._pace = jobs, executor, clock, pace
        self._quotas = quotas
        self._lock = threading.Lock()
        self._given: set[str] = set()  # pods handed over by this process; the executor knows the earlier ones
        self._closing = threading.Event()
        self._thread: threading.Thread | None = None
        self._troubles: dict[str, str] = {}

    def start(self, every: float = 0.2) -> None:
        """Step in a thread of its own, every so many real seconds."""
        self._thread = threading.Thread(target=self._run, args=(every,), name="dlc-scheduler", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """End that thread; pods run on."""
        self._closing.set()
        if self._thread:
            self._thread.join()

    def step(self) -> None:
        """Move every job on by at most one status."""
        with self._lock:
            active = self._jobs.active()
            decision = self._decide(active)
            for job in active:
                try:
                    self._advance(job, decision)
                except Exception as error:  # noqa: BLE001 - one job's trouble must not stop the others: told, tried again
                    self._tell_trouble(job, error)
                else:
                    self._troubles.pop(job.job_id, None)

    def _run(self, every: float) -> None:
        while not self._closing.wait(every):
            self.step()

    def _tell_trouble(self, job: Job, error: Exception) -> None:
        text = f"{type(error).__name__}: {error}"
        if self._troubles.get(job.job_id) != text:
            self._troubles[job.job_id] = text
            _log.error("job %s does not move on and will be tried again", job.job_id, exc_info=error)

    def _decide(self, active: list[Job]) -> Decision:
        workloads = [workload(job) for job in active if job.request.get("ResourceId")]
        if not any(one.queued for one in workloads):
            return Decision(frozenset(), {})
        return dequeue(self._quotas.by_id(), workloads)

    def _advance(self, job: Job, decision: Decision) -> None:
        now = self._clock.now()
        elapsed = (now - job.since).total_seconds()
        if job.status == "Creating" and elapsed >= self._pace.creating:
            self._move(job, "Queuing")
        elif job.status == "Queuing" and elapsed >= self._pace.queuing:
            self._leave_queue(job, decision)
        elif job.status == "EnvPreparing" and elapsed >= self._pace.preparing:
            self._prepare(job, elapsed)
        elif job.status == "Running":
            self._watch(job, elapsed)
        elif job.status == "Stopping":
            self._end(job)

    def _leave_queue(self, job: Job, decision: Decision) -> None:
        """On public resources at once; in a quota when it is this job's turn, and until then its events say why not."""
        if not job.request.get("ResourceId") or job.job_id in decision.go:
            self._move(job, "EnvPreparing")
            return
        wait = decision.waits.get(job.job_id)
        text = f"Job {job.job_id} waits in its queue: {wait.reason}" if wait else ""
        if text and job.events[-1][1] != text:
            self._tell(job, text)

    def _prepare(self, job: Job, elapsed: float) -> None:
        try:
            self._hand_over(job)
        except (Unmountable, ValueError) as error:
            self._fail(job, "EnvPrepareFailed", str(error))
            return
        states = self._look(job)
        problem = next((state.message for state in states.values() if state.status == "Pending" and state.message), "")
        failed = _first_failed(states)
        if failed and failed[1].started is None:
            self._fail(job, "EnvPrepareFailed", f"Pod {failed[0]} did not start: {failed[1].message}")
        elif all(state.status != "Pending" for state in states.values()):
            self._move(job, "Running")
        elif problem and elapsed > self._pace.give_up:
            self._fail(job, "EnvPrepareFailed", f"The environment could not be prepared: {problem}")

    def _hand_over(self, job: Job) -> None:
        specs = [pod_spec(job, pod, self._clock.scale) for pod in job.pods if pod.pod_id not in self._given]
        for spec in specs:
            self._executor.prepare_and_start(spec)
            self._given.add(spec.pod_id)

    def _watch(self, job: Job, elapsed: float) -> None:
        states = self._look(job)
        failed = _first_failed(states)
        if failed:
            self._fail(job, "JobFailed", f"Pod {failed[0]}: {failed[1].message}")
        elif all(state.status == "Succeeded" for state in states.values()):
            self._move(job, "Succeeded")
        elif elapsed > max_seconds(job):
            self._fail(job, "JobFailed", "JobMaxRunningTimeMinutes is over.")

    def _end(self, job: Job) -> None:
        """Stop the pods that may run; the job is Stopped once none does."""
        if job.began("EnvPreparing"):
            states = self._look(job)
            running = [pod_id for pod_id, state in states.items() if state.status not in _ENDED]
            for pod_id in running:
                self._executor.stop(pod_id)
            if running:
                return
        self._move(job, "Stopped", "JobStoppedByUser", "The job was stopped by StopJob.")

    def _fail(self, job: Job, code: str, message: str) -> None:
        for pod in job.pods:
            if self._executor.state(pod.pod_id).status not in _ENDED:
                self._executor.stop(pod.pod_id)
        self._move(job, "Failed", code, message)

    def _move(self, job: Job, status: str, code: str = "", message: str = "") -> None:
        """Unless somebody moved it since it was read: StopJob comes in between."""
        now = self._clock.now()

        def move(current: Job) -> None:
            if current.status == job.status:
                current.move(status, now, code, message)

        self._jobs.change(job.job_id, move)

    def _tell(self, job: Job, text: str) -> None:
        """Unless somebody moved it, as above."""
        now = self._clock.now()

        def tell(current: Job) -> None:
            if current.status == job.status:
                current.tell(now, text)

        self._jobs.change(job.job_id, tell)

    def _look(self, job: Job) -> dict[str, PodState]:
        """Where the pods stand; what changed is written into the job."""
        states = {pod.pod_id: self._executor.state(pod.pod_id) for pod in job.pods}
        changed = {
            pod_id: state
            for pod_id, state in states.items()
            if state.status != job.pod_times.get(pod_id, {}).get("Status", "Pending")
        }
        if changed:
            self._jobs.change(job.job_id, _note_pods(changed, self._clock.now()))
        return states


def _note_pods(changed: dict[str, PodState], now: datetime) -> Callable[[Job], None]:
    def note(job: Job) -> None:
        for pod_id, state in changed.items():
            times = job.pod_times.setdefault(pod_id, {})
            times["Status"] = state.status
            if state.status != "Pending" and (state.started or state.status == "Running"):
                times.setdefault("Started", now.isoformat())
            if state.status in _ENDED:
                times.setdefault("Finished", now.isoformat())

    return note


def _first_failed(states: dict[str, PodState]) -> tuple[str, PodState] | None:
    return next(((pod_id, state) for pod_id, state in states.items() if state.status == "Failed"), None)
