"""The states of a launch and how PAI's word for a job's status moves it. The picture is in the README: change both."""

from __future__ import annotations

from junbi.core.facts import LaunchState

#: How a launch's last job ends.
ENDED = frozenset({LaunchState.SUCCEEDED, LaunchState.FAILED, LaunchState.STOPPED})

#: How a launch ends that has no job.
DROPPED = frozenset({LaunchState.CANCELLED, LaunchState.SUPERSEDED, LaunchState.SKIPPED})

#: Nothing moves a launch out of these.
FINAL = ENDED | DROPPED

#: The job exists and may still change: ``job_change`` asks for it.
ACTIVE = frozenset({LaunchState.SUBMITTED, LaunchState.QUEUED, LaunchState.PREPARING, LaunchState.RUNNING})

#: A job of it exists, or may.
LIVE = ACTIVE | {LaunchState.SUBMITTING, LaunchState.SUBMIT_UNKNOWN}

#: Where a job leads: to another phase, to an end, or, when it has ended and is tried again, back to waiting.
_FROM_JOB = ACTIVE | ENDED | {LaunchState.WAITING}

#: The moves that exist. Anything else is a fault, not an event.
MOVES: dict[LaunchState, frozenset[LaunchState]] = {
    LaunchState.WAITING: frozenset({LaunchState.WAITING, LaunchState.SUBMITTING}) | DROPPED,
    LaunchState.SUBMITTING: frozenset(
        {LaunchState.SUBMITTED, LaunchState.SUBMIT_UNKNOWN, LaunchState.REFUSED, LaunchState.WAITING}
    ),
    LaunchState.SUBMIT_UNKNOWN: frozenset({LaunchState.SUBMIT_UNKNOWN, LaunchState.SUBMITTED, LaunchState.WAITING}),
    LaunchState.REFUSED: frozenset({LaunchState.WAITING}) | DROPPED,
    **dict.fromkeys(ACTIVE, _FROM_JOB),
    **dict.fromkeys(FINAL, frozenset()),
}

#: PAI's 13 words for a job's status. Source: DLC SDK 1.11. The reserving states come after the processes ended,
#: but the job still holds its resources, so it counts as running.
_JOB_STATUS = {
    "Creating": LaunchState.QUEUED,
    "Queuing": LaunchState.QUEUED,
    "Bidding": LaunchState.QUEUED,
    "EnvPreparing": LaunchState.PREPARING,
    "SanityChecking": LaunchState.PREPARING,
    "Running": LaunchState.RUNNING,
    "Restarting": LaunchState.RUNNING,
    "Stopping": LaunchState.RUNNING,
    "SucceededReserving": LaunchState.RUNNING,
    "FailedReserving": LaunchState.RUNNING,
    "Succeeded": LaunchState.SUCCEEDED,
    "Failed": LaunchState.FAILED,
    "Stopped": LaunchState.STOPPED,
}


def may_move(old: LaunchState, new: LaunchState) -> bool:
    """Whether a launch may go from one state to the other."""
    return new in MOVES[old]


def after_job_status(state: LaunchState, status: str) -> LaunchState:
    """Where a launch stands once PAI calls its job ``status``; an unknown word changes nothing.

    Neither does any word while the launch has no job, or once it has ended.
    """
    return _JOB_STATUS.get(status, state) if state in ACTIVE else state
