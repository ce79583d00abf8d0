"""Looks after a launch whose job exists: carries out our wish to stop it, and acts on phases that last too long."""

from __future__ import annotations

from typing import TYPE_CHECKING

from junbi.core import limits, refusals
from junbi.errors import Refused
from junbi.pipeline import create, turns

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from junbi.clients.dlc import DlcClient
    from junbi.core.facts import Launch
    from junbi.core.limits import Deadline
    from junbi.pipeline.wiring import Ports


def attend(ports: Ports, launch: Launch) -> datetime | None:
    """Do what is due for a launch with a job; when to look again."""
    if launch.stop is not None:
        return _stop(ports, launch)
    now = ports.ledger.now()
    due = limits.deadlines(launch, turns.begun_at(ports.ledger, launch))
    passed = [one for one in due if one.at <= now and not limits.is_told(launch, one)]
    if not passed:
        return turns.next_look(ports.ledger, launch, now)
    # The one that does most: where two passed together, stopping is not lost behind telling.
    return _too_long(ports, launch, max(passed, key=lambda one: ("notify", "retry", "stop").index(one.limit.then)))


def _too_long(ports: Ports, launch: Launch, deadline: Deadline) -> datetime | None:
    events = _events(ports, launch)
    ledger, now = ports.ledger, ports.ledger.now()
    after = limits.passed(launch, deadline, events, now)
    with ledger.transaction():
        ledger.launches.save(after)
        ledger.tell(f"launch:{launch.id}", deadline.code, after.reason.message if after.reason else "", now)
    return turns.next_look(ledger, after, now)


def _events(ports: Ports, launch: Launch) -> Sequence[str]:
    """PAI's events, the evidence; a refusal to tell them must not keep a job from being stopped."""
    try:
        return _dlc(ports, launch).job_events(launch.job_id)
    except Refused as error:
        return (f"PAI refused to tell the events: {error.code}",)


def _stop(ports: Ports, launch: Launch) -> datetime:
    """Ask PAI to stop the job, until ``job_change`` sees that it ended."""
    stop_job(_dlc(ports, launch), launch.job_id)
    return ports.ledger.now() + turns.STOP_AGAIN


def _dlc(ports: Ports, launch: Launch) -> DlcClient:
    return ports.dlc_in(create.sent_to(ports, launch.owner).region)


def stop_job(dlc: DlcClient, job_id: str) -> None:
    """Ask PAI to stop a job; one that has ended or is gone needs no stopping."""
    try:
        dlc.stop_job(job_id)
    except Refused as error:
        if error.code not in refusals.JOB_GONE | refusals.JOB_OVER:
            raise
