"""Whether a job that ended badly is tried again, and when. DLC's own restarts are over by then: the job has ended."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from junbi.core.backoff import drawn
from junbi.core.policy import FailureClass

if TYPE_CHECKING:
    from junbi.core.facts import Launch

#: What PAI's reason codes mean for another attempt. The list is open: nobody publishes it. ``JobFailed`` and
#: ``ResourceAllocateFailed`` were seen; the others are assumed. A code that is not here is never tried again, and the
#: launch says so, so that it can be added.
CLASSES: dict[str, FailureClass] = {
    "JobFailed": FailureClass.USER_CODE,
    "ResourceAllocateFailed": FailureClass.INFRASTRUCTURE,
    "EnvPrepareFailed": FailureClass.INFRASTRUCTURE,
    "NodeFailed": FailureClass.INFRASTRUCTURE,
    "PodEvicted": FailureClass.INFRASTRUCTURE,
    "JobPreempted": FailureClass.PREEMPTED,
    "JobTimeout": FailureClass.TIMEOUT,
}

#: The longest pause before an attempt, without its jitter.
LONGEST = timedelta(hours=1)


def class_of(status: str, code: str) -> FailureClass | None:
    """Why a job ended; None where nobody knows, or where somebody stopped it."""
    found = CLASSES.get(code)
    # Preemption may be told as a stop; any other stop is somebody's will.
    return found if status == "Failed" or found is FailureClass.PREEMPTED else None


def is_tried_again(launch: Launch, status: str, code: str) -> bool:
    """Whether a launch whose job ended has another attempt."""
    retries = launch.spec.policy.retries
    if status == "Succeeded" or launch.attempt > retries.max:
        return False
    if launch.stop is not None:
        return launch.stop.retry
    return class_of(status, code) in retries.on


def why_not(launch: Launch, status: str, code: str) -> str:
    """Why there is no other attempt, for people; empty where nobody would expect one."""
    retries = launch.spec.policy.retries
    if not retries.max or launch.stop is not None or status != "Failed":
        return ""
    failure = class_of(status, code)
    if failure is None:
        return f" It is not tried again: junbi does not know the reason code {code or '(none)'}."
    if failure not in retries.on:
        return f" It is not tried again: {failure} is not in retries.on."
    return f" It is not tried again: this was attempt {launch.attempt} of {retries.max + 1}."


def pause(launch: Launch) -> timedelta:
    """How long the attempt after the present one waits: doubling, plus up to as much again.

    The addition is drawn from the launch's id, so that launches which failed together come back apart, and a decision
    made twice is the same twice.
    """
    grown = launch.spec.policy.retries.backoff * 2.0 ** min(launch.attempt - 1, 20)
    plain = min(timedelta(seconds=grown), LONGEST)
    return plain * (1 + drawn(f"{launch.id}:{launch.attempt}"))
