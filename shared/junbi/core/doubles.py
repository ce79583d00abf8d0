"""Which of several jobs of one attempt are too many, and which of those are ours to stop."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime


@dataclass(frozen=True, slots=True)
class Found:
    """A job that carries our tags: ``user`` is who created it."""

    job_id: str
    user: str
    created_at: datetime
    ended: bool


@dataclass(frozen=True, slots=True)
class Double:
    """A job that its launch does not follow; ``ours`` is whether our own submission made it, so that we may stop it."""

    job_id: str
    ours: bool


def doubles(jobs: Sequence[Found], followed: str, begin: datetime, end: datetime) -> list[Double]:
    """The jobs beside the one that the launch follows.

    Tags can be copied: somebody may clone our job in the console, tags and all. So only a job that was created while
    we submitted, by the user who created the one we follow, is taken for ours.

    Args:
        jobs: all of one attempt.
        followed: the id of the job that the launch follows.
        begin: of the time in which our submissions could take effect.
        end: of it.
    """
    users = {job.user for job in jobs if job.job_id == followed}
    return [
        Double(job.job_id, ours=job.user in users and begin <= job.created_at <= end)
        for job in jobs
        if job.job_id != followed and not job.ended
    ]
