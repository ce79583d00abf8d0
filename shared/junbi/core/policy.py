"""What a plan says about when, how often and how long it may run; part of its compiled form. Times in seconds."""

from __future__ import annotations

from enum import StrEnum
from typing import Literal

from pydantic import BaseModel, ConfigDict


class FailureClass(StrEnum):
    """Why a job ended badly, as far as it matters for trying again."""

    PREEMPTED = "preempted"  #: PAI took its resources for something else
    INFRASTRUCTURE = "infrastructure"  #: a node, the network, the scheduler or the storage failed under it
    TIMEOUT = "timeout"  #: it ran longer than it may
    USER_CODE = "user_code"  #: its own command failed


class _Spec(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Retries(_Spec):
    """New attempts after a job ended badly: ``max`` beside the first, for these classes only."""

    max: int = 0
    on: tuple[FailureClass, ...] = (FailureClass.PREEMPTED, FailureClass.INFRASTRUCTURE)
    backoff: float = 60.0


class Limit(_Spec):
    """The longest time in a phase, and what happens then."""

    after: float
    then: Literal["notify", "stop", "retry"] = "notify"


class Limits(_Spec):
    """The limits of each phase; ``total`` counts from the attempt's submission to its end."""

    queued: Limit | None = None
    preparing: Limit | None = None
    running: Limit | None = None
    total: Limit | None = None


class Window(_Spec):
    """When jobs may begin: on these days (``mon`` … ``sun``; those on which it opens) from ``start`` to ``end``.

    ``HH:MM`` in ``timezone``. Where ``end`` is not after ``start`` the window ends on the next day.
    """

    start: str
    end: str
    days: tuple[str, ...]
    timezone: str


class Policy(_Spec):
    """When, how often and how long a plan's launches may run. Without anything said, all run, at once and for ever.

    Attributes:
        overlap: what happens while another run of the plan is under way.
        spare: ``replace`` leaves runs alone that are older than this.
        waiting: whether a newer launch takes the place of those that still wait.
        per_hour: submissions of the plan in any hour.
        mode: ``shadow`` decides and records, and submits nothing.
        priority: PAI's, from 1 to 9.
        retry_budget: new attempts of all plans together in any hour.
    """

    overlap: Literal["queue", "replace", "skip", "allow"] = "allow"
    spare: float | None = None
    waiting: Literal["newest", "every"] = "every"
    retries: Retries = Retries()
    limits: Limits = Limits()
    per_hour: int | None = None
    window: Window | None = None
    approve: bool = False
    mode: Literal["live", "shadow"] = "live"
    priority: int | None = None
    retry_budget: int = 60
