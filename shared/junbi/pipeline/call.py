"""Closes an upload because somebody says that everything is there: by the API, or from the command line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from junbi.core import arrival as arrivals
from junbi.core import calling
from junbi.errors import JunbiError, Stale

if TYPE_CHECKING:
    from datetime import datetime

    from junbi.core.arrival import Place
    from junbi.core.facts import Arrival
    from junbi.core.plan import DatasetSpec
    from junbi.ledger.ledger import Ledger

#: How often a lost race is decided again.
RACES = 20


class NoSuchUpload(JunbiError):
    """What was named is under no watch."""


class NotClosedByCall(JunbiError):
    """The upload is there, and a call cannot close it."""


def close(ledger: Ledger, name: str, owner: str) -> Arrival:
    """Note that somebody says that an upload is complete; the arrival as it now stands.

    It is listed after this, like every upload, and what the listing shows decides. Calling twice has it listed again.

    Args:
        ledger: where it is noted.
        name: the arrival's key ``<dataset>:<bucket>/<prefix>``, or ``oss://bucket/prefix/``.
        owner: who says so.

    Raises:
        NoSuchUpload: no dataset watches that folder.
        NotClosedByCall: the dataset has another closing condition, or the folder's name is not acceptable.
    """
    dataset, spot = _place(ledger, name)
    if refusal := calling.refusal(dataset, spot):
        raise NotClosedByCall(refusal)
    for _ in range(RACES):
        now = ledger.now()
        known = ledger.arrivals.get(arrivals.key(dataset.name, dataset.watch.bucket, spot.prefix))
        called = calling.call(known, dataset, spot, now)
        try:
            _save(ledger, called, owner, now)
        except Stale:
            continue
        return called
    raise Stale(f"{name} changed {RACES} times while the call was noted. Nothing was changed; call again.")


def _place(ledger: Ledger, name: str) -> tuple[DatasetSpec, Place]:
    if name.startswith("oss://"):
        bucket, _, prefix = name.removeprefix("oss://").partition("/")
        datasets = ledger.generations.watching(bucket, prefix)
    else:
        named, _, where = name.partition(":")
        bucket, _, prefix = where.partition("/")
        watched = ledger.generations.watched(named)
        datasets = [watched.dataset] if watched and watched.dataset.watch.bucket == bucket else []
    for dataset in datasets:
        spot = arrivals.place(dataset.watch, prefix)
        if spot is not None and spot.prefix == prefix:
            return dataset, spot
    raise NoSuchUpload(
        f"No dataset watches {name!r} as the folder of a version. Nothing was changed. Name the upload as "
        "oss://bucket/path/version/ or as <dataset>:bucket/path/version/; 'junbi inputs' lists those that are known."
    )


def _save(ledger: Ledger, arrival: Arrival, owner: str, now: datetime) -> None:
    with ledger.transaction():
        ledger.arrivals.save(arrival)
        ledger.worklist.ask("arrival", arrival.key, now)
        said = f"{owner} said that everything of {arrival.uri} is there."
        ledger.tell(f"arrival:{arrival.key}", "ArrivalCalled", said, now)
