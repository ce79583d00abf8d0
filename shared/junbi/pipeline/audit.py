"""Looks for doubles: for a day after any submission whose answer was lost, and stops those that are ours."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from junbi.core.assumptions import TAG_ATTEMPT, TAG_DEPLOYMENT, TAG_LAUNCH
from junbi.core.doubles import Found, doubles
from junbi.core.reasons import Code
from junbi.pipeline import attend, create

if TYPE_CHECKING:
    from collections.abc import Sequence

    from junbi.core.doubles import Double
    from junbi.core.facts import Attempt, Launch
    from junbi.ledger.generations import Scope
    from junbi.ledger.ledger import Ledger
    from junbi.pipeline.wiring import Ports
    from junbi.wire.dlc import JobItem

#: How long doubles are looked for after the last try, and how often: more often while one may just have appeared.
AUDIT = timedelta(hours=24)
SOON, LATER, CLOSELY = timedelta(minutes=5), timedelta(hours=1), timedelta(hours=1)

#: How far around a try's time its job is looked for: the clocks of PAI and the ledger differ a little.
WINDOW = timedelta(hours=1)

_ENDED = frozenset({"Succeeded", "Failed", "Stopped"})


def begin(ledger: Ledger, launch: Launch, now: datetime) -> None:
    """Look for doubles of a launch from now on. Call it in the transaction in which an answer was found to be lost."""
    ledger.worklist.ask("audit", launch.id, now + SOON)


def look(ports: Ports, launch_id: str) -> datetime | None:
    """One look for doubles of every attempt of a launch; when to look again."""
    ledger = ports.ledger
    launch, now = ledger.launches.get(launch_id), ledger.now()
    if launch is None:
        return None
    attempts = ledger.policies.attempts(launch_id)
    for attempt in attempts:
        followed = launch.job_id if attempt.number == launch.attempt else attempt.job_id
        if followed:
            _attempt(ports, launch, attempt, followed)
    newest = max((tried for one in attempts for tried in _tried(ports, launch, one.number)), default=now - AUDIT)
    if now >= newest + AUDIT:
        return None
    return min(now + (SOON if now < newest + CLOSELY else LATER), newest + AUDIT)


def _attempt(ports: Ports, launch: Launch, attempt: Attempt, followed: str) -> None:
    tried = _tried(ports, launch, attempt.number)
    if not tried:
        return
    settling = ports.settling
    until = tried[-1] + settling.signature_validity + settling.skew
    for place in create.places(ports, launch.owner_of(attempt.number)):
        jobs = [_found(job) for job in _find_in(ports, launch, attempt.number, place)]
        for double in doubles(jobs, followed, tried[0] - settling.skew, until):
            _raise(ports, launch, double, followed, place.region)


def _raise(ports: Ports, launch: Launch, double: Double, followed: str, region: str) -> None:
    """Tell of a double, once, and stop it where it is ours."""
    ledger = ports.ledger
    subject, now = f"launch:{launch.id}", ledger.now()
    what = (
        "It was created by a submission of ours whose answer was lost, and is being stopped."
        if double.ours
        else "It is not known to be ours (another user, or another time), so it is left alone: look at it."
    )
    said = f"Job {double.job_id} carries the tags of this launch, which follows job {followed}. {what}"
    if not any(entry["message"] == said for entry in ledger.story_of(subject)):
        ledger.tell(subject, Code.DUPLICATE_JOB_FOUND, said, now)
    if double.ours:
        attend.stop_job(ports.dlc_in(region), double.job_id)


def find_jobs(ports: Ports, launch: Launch, attempt: int) -> Sequence[JobItem]:
    """The jobs that carry our tags of one attempt, wherever it was sent; oldest first in each place."""
    places = create.places(ports, launch.owner_of(attempt))
    return [job for place in places for job in _find_in(ports, launch, attempt, place)]


def _find_in(ports: Ports, launch: Launch, attempt: int, place: Scope) -> Sequence[JobItem]:
    tried = _tried(ports, launch, attempt)
    tags = {TAG_DEPLOYMENT: ports.scope.deployment, TAG_LAUNCH: launch.id}
    dlc, end = ports.dlc_in(place.region), ports.ledger.now() + WINDOW
    jobs = dlc.find_jobs(place.workspace, tags, tried[0] - WINDOW, end)
    return [job for job in jobs if _attempt_of(job) == str(attempt)]


def _attempt_of(job: JobItem) -> str:
    """Jobs of earlier versions carry no attempt: they had only one."""
    tags = (job.settings and job.settings.tags) or {}
    return tags.get(TAG_ATTEMPT, "1")


def _tried(ports: Ports, launch: Launch, attempt: int) -> list[datetime]:
    """When the tries of an attempt were stored, oldest first."""
    return [one.stored_at for one in ports.ledger.tries.of(launch.owner_of(attempt))]


def _found(job: JobItem) -> Found:
    created = datetime.fromisoformat(job.gmt_create_time or "1970-01-01T00:00:00Z")
    return Found(job.job_id or "", job.user_id or "", created, ended=job.status in _ENDED)
