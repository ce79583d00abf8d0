"""PAI's events about its jobs, as EventBridge passes them on: hints which jobs to look at now."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from junbi.events.document import load
from junbi.events.eventbridge import is_bridged, job_hints
from junbi.events.parsed import Ignored, IgnoredCode, Parsed


@dataclass(frozen=True, slots=True)
class JobHints(Parsed[Any]):
    """What called ``job_change``.

    Attributes:
        jobs: the ids of the jobs that events name; None for a timer, which asks for all.
    """

    jobs: frozenset[str] | None = None


def parse(raw: bytes) -> JobHints:
    """A tick of the timer, or events that EventBridge passed on, of which some may name a job.

    Raises:
        MalformedPayload: it is no JSON, or EventBridge passed on what is no event.
    """
    document = load(raw or b"null")
    if not is_bridged(document):
        return JobHints()
    jobs = job_hints(document)
    ignored = () if jobs else (Ignored("event", IgnoredCode.NO_JOB, "No job of PAI is named: nothing to look at."),)
    return JobHints(ignored=ignored, jobs=jobs)
