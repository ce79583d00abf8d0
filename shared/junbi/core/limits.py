"""How long a launch may stay in a phase, and what is done once it has been there too long."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from junbi.core import lifecycle
from junbi.core.facts import Launch, LaunchState, Stop
from junbi.core.model import Reason
from junbi.core.reasons import Code

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from junbi.core.policy import Limit

_CODES = {
    "queued": Code.QUEUED_TOO_LONG,
    "preparing": Code.PREPARING_TOO_LONG,
    "running": Code.RUNNING_TOO_LONG,
    "total": Code.RUNNING_TOO_LONG,
}
#: A job that was just created is queued for all that anybody knows.
_PHASES = {
    LaunchState.SUBMITTED: "queued",
    LaunchState.QUEUED: "queued",
    LaunchState.PREPARING: "preparing",
    LaunchState.RUNNING: "running",
}
_LIKELY = {
    "queued": "The resources are not free: see the quota's jobs, or choose others.",
    "preparing": "Images that are pulled from another region, and mounts that cannot be reached, are the usual causes.",
    "running": "Compare its log with that of an earlier launch.",
    "total": "Compare its log with that of an earlier launch.",
}
#: Lines of PAI's events that a reason carries.
_EVIDENCE = 5


@dataclass(frozen=True, slots=True)
class Deadline:
    """The end of the time in one phase."""

    phase: str
    limit: Limit
    at: datetime

    @property
    def code(self) -> Code:
        """What being past it is called."""
        return _CODES[self.phase]


def deadlines(launch: Launch, begun_at: datetime | None) -> list[Deadline]:
    """The deadlines of a launch's present phase and attempt, the earliest first. ``begun_at``: of the attempt."""
    return sorted(_deadlines(launch, begun_at), key=lambda one: one.at)


def _deadlines(launch: Launch, begun_at: datetime | None) -> Iterator[Deadline]:
    if launch.state not in lifecycle.ACTIVE:
        return
    limits, phase = launch.spec.policy.limits, _PHASES[launch.state]
    begins = begun_at if phase == "queued" else launch.since
    for name, start in ((phase, begins), ("total", begun_at)):
        limit: Limit | None = getattr(limits, name)
        if limit is not None and start is not None:
            yield Deadline(name, limit, start + timedelta(seconds=limit.after))


def passed(launch: Launch, deadline: Deadline, events: Sequence[str], now: datetime) -> Launch:
    """The launch past a deadline: with the reason to show, and the wish to stop its job where that is declared.

    Args:
        launch: which is still in that phase.
        deadline: that passed.
        events: PAI's lines about the job, oldest first: the evidence.
        now: the ledger's time.
    """
    limit = deadline.limit
    told = " ".join(f"[{line}]" for line in events[-_EVIDENCE:])
    phase = "under way" if deadline.phase == "total" else deadline.phase
    reason = Reason(
        deadline.code,
        f"Job {launch.job_id} has been {phase} for more than {timedelta(seconds=limit.after)}."
        + (f" PAI's last events: {told}" if told else " PAI tells no events."),
        fix=f"{_LIKELY[deadline.phase]} To end it: junbi cancel {launch.id}",
        facts={"job": launch.job_id, "phase": deadline.phase, "then": limit.then},
    )
    if limit.then == "notify":
        return replace(launch, reason=reason, updated_at=now)
    stop = Stop(reason, now, retry=limit.then == "retry")
    return replace(launch, reason=reason, stop=stop, updated_at=now)


def is_told(launch: Launch, deadline: Deadline) -> bool:
    """Whether being past a deadline was said already."""
    reason = launch.reason
    return reason is not None and reason.code == deadline.code and reason.facts.get("phase") == deadline.phase
