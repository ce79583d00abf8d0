"""The sections of junbi.yaml about when, how often and how long jobs may run."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Discriminator, Field, Tag

from junbi.config.resources import Queue
from junbi.config.section import Section
from junbi.config.types import Duration, Name, TimeOfDay

Day = Literal["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
Failure = Literal["preempted", "infrastructure", "timeout", "user_code"]

#: What a key may hold in two ways is told apart by these, which stand in the places of errors as well.
MAPPING, PLAIN = "(mapping)", "(plain)"


def _kind(value: Any) -> str:
    return MAPPING if isinstance(value, dict | Section) else PLAIN


class Limit(Section):
    """The longest time in a phase."""

    after: Duration
    """How long."""
    then: Literal["notify", "stop", "retry"] = "notify"
    """It is told then, or the job is stopped, or it is stopped and tried again, which ``retries`` must allow."""


LimitOrTime = Annotated[Annotated[Limit, Tag(MAPPING)] | Annotated[Duration, Tag(PLAIN)], Discriminator(_kind)]


class Limits(Section):
    """The longest times: ``{after: 30m, then: stop}``, where ``then`` is notify, stop or retry.

    A duration alone stands for notify.
    """

    queued: LimitOrTime | None = None
    """From the submission until PAI prepares the job."""
    preparing: LimitOrTime | None = None
    """Until it runs."""
    running: LimitOrTime | None = None
    """While it runs."""
    total: LimitOrTime | None = None
    """From the submission of an attempt to its end."""


class Retries(Section):
    """New attempts after a job ended badly. DLC's own restarts are over by then."""

    max: Annotated[int, Field(ge=0, le=100)] = 0
    """How many beside the first."""
    on: list[Failure] = ["preempted", "infrastructure"]
    """Which failures are tried again. One whose reason junbi does not know is none of them."""
    backoff: Duration = 60.0
    """The pause before the second attempt. It doubles each time, up to an hour; up to as much again is added."""


class Window(Section):
    """When jobs may begin, by the time zone of the file."""

    start: TimeOfDay
    """When it opens."""
    end: TimeOfDay
    """When it closes: on the next day where that is not later than ``start``."""
    days: Annotated[list[Day], Field(min_length=1)] = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
    """On which days it opens."""


class Policy(Section):
    """When, how often and how long the jobs of a plan may run."""

    overlap: Literal["queue", "replace", "skip", "allow"] = "queue"
    """While another run of the plan is under way: wait for it, stop it, be skipped, or run beside it."""
    spare: Duration | None = None
    """With ``replace``: a run that is older than this is waited for instead."""
    waiting: Literal["newest", "every"] = "every"
    """Of the launches that wait: whether only the newest goes on, or every one."""
    retries: Retries = Retries()
    """New attempts."""
    limits: Limits = Limits()
    """The longest times."""
    per_hour: Annotated[int, Field(ge=1)] | None = None
    """So many submissions in any hour."""
    window: Window | None = None
    """When jobs may begin."""
    approve: bool = False
    """Whether each launch waits for ``junbi approve``."""
    mode: Literal["live", "shadow"] = "live"
    """With ``shadow`` everything is decided and recorded, and nothing submitted."""
    priority: Annotated[int, Field(ge=1, le=9)] | None = None
    """PAI's priority, which counts among the jobs of a quota, and here among the launches that wait for it."""
    quota: Queue | None = None
    """How its launches wait for their turn in a quota."""


class Together(Section):
    """Inputs that start a plan together."""

    all: list[Name]
    """Each of them has to be new: a version that the plan has not trained on yet."""


#: A list of inputs of which any starts a plan, or a mapping of those that do together.
On = Annotated[Annotated[Together, Tag(MAPPING)] | Annotated[list[Name], Tag(PLAIN)], Discriminator(_kind)]
