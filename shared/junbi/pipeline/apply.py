"""Puts a generation in force: what waits is evaluated against it, what was refused gets another chance."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from junbi.core import arrival as arrivals
from junbi.core import identity
from junbi.core.facts import ArrivalState, CreateState, LaunchState
from junbi.pipeline import expect

if TYPE_CHECKING:
    from datetime import datetime

    from junbi.core.plan import DatasetSpec, Generation
    from junbi.ledger.ledger import Ledger


def apply(ledger: Ledger, generation: Generation) -> int | None:
    """Store a generation and put it in force; its number, or None where it says nothing new.

    What was refused or waits is tried again in any case: what stood in its way need not stand in junbi.yaml.
    """
    now = ledger.now()
    if ledger.generations.latest() == generation:
        with ledger.transaction():
            _wake(ledger, now)
        return None
    with ledger.transaction():
        number = ledger.generations.apply(generation, now)
        ledger.code_lines.put(generation.code, now)
        for line in generation.code:
            ledger.worklist.ask("code", line, now)
        ledger.image_lines.put(generation.images, now)
        for line in generation.images:
            ledger.worklist.ask("image", line, now)
        for dataset in generation.datasets.values():
            head = identity.newest(ledger.returns.held(dataset.name, dataset.watch.bucket), dataset.newest)
            if head is not None:
                ledger.revisions.put_head(head)
            _reopen(ledger, dataset, now)
        expect.plan(ledger, generation, now)
        _wake(ledger, now)
    return number


def _reopen(ledger: Ledger, dataset: DatasetSpec, now: datetime) -> None:
    """Open the uploads that were refused for their name and are acceptable now that 'allow' is wider, and those that
    nothing watched for a while; and judge those anew that were given up: what was declared of them may be another now.
    """
    for arrival in ledger.arrivals.held_back(dataset.name):
        if arrival.state is ArrivalState.INCOMPLETE:
            ledger.arrivals.save(replace(arrival, dirty=True))
            ledger.worklist.ask("arrival", arrival.key, now)
            continue
        spot = arrivals.place(dataset.watch, arrival.prefix)
        if spot is None or (dataset.watch.bucket, spot.prefix) != (arrival.bucket, arrival.prefix):
            continue
        if arrivals.refused_captures(dataset.watch, spot.captures):
            continue
        again = arrivals.reopened(replace(arrival, captures=spot.captures), now, found=arrival.found)
        ledger.arrivals.save(again)
        ledger.worklist.ask("arrival", arrival.key, now)
        refused = arrival.state is ArrivalState.REFUSED
        said = f"The name of {arrival.uri} is acceptable now." if refused else f"{arrival.uri} is watched again."
        ledger.tell(f"arrival:{arrival.key}", "ArrivalReopened", said, now)


def _wake(ledger: Ledger, now: datetime) -> None:
    for launch in ledger.launches.standing({LaunchState.WAITING, LaunchState.REFUSED}):
        if launch.state is LaunchState.REFUSED:
            ledger.launches.save(launch.to(LaunchState.WAITING, now, launch.reason))
        ledger.worklist.ask("launch", launch.id, now)
    for registration in ledger.revisions.not_done():
        if registration.state is CreateState.REFUSED:
            ledger.revisions.save_registration(replace(registration, state=CreateState.PENDING))
        ledger.worklist.ask("revision", registration.revision, now)
