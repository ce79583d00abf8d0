"""Looks for version folders that no event told of: with every event lost, the timer alone finds them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from junbi import log
from junbi.core import arrival as arrivals
from junbi.core.places import place_of
from junbi.errors import CallFailed, Stale
from junbi.ledger.sightings import Stray

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from junbi.clients.objects import ObjectInfo
    from junbi.core.arrival import Place
    from junbi.core.plan import DatasetSpec
    from junbi.pipeline.wiring import Ports

_log = log.logger("discover")


def discover(ports: Ports, now: datetime) -> int:
    """Open an arrival for each folder under a watch that has none; how many were opened.

    One watch that cannot be listed does not keep the others from being looked at.
    """
    opened = 0
    for watched in ports.ledger.generations.all_watched():
        try:
            opened += _discover_in(ports, watched.dataset, now)
        except CallFailed as error:
            _log.warning("a watch could not be listed for new folders", dataset=watched.dataset.name, error=str(error))
    return opened


def _discover_in(ports: Ports, dataset: DatasetSpec, now: datetime) -> int:
    below = len(place_of(dataset.watch).parts) - dataset.watch.root.count("/")
    loose: list[ObjectInfo] = []
    found = (
        _places(ports, dataset, dataset.watch.root, below, loose) if dataset.watch.captures else _root(ports, dataset)
    )
    places = {place.prefix: place for place in found}
    _note_stray(ports, dataset, loose)
    unknown = ports.ledger.arrivals.unknown(dataset.name, dataset.watch.bucket, places)
    if dataset.initial == "adopt":
        return _open_all(ports, dataset, [places[prefix] for prefix in unknown], now)
    return sum(_open_all(ports, dataset, [places[prefix]], now) for prefix in unknown)


def _root(ports: Ports, dataset: DatasetSpec) -> Iterator[Place]:
    """The watched folder itself, which has no placeholder, where anything lies in it."""
    watch = dataset.watch
    place = arrivals.place(watch, watch.root)
    page = ports.objects.list_page(watch.bucket, watch.root, None, delimiter="/")
    if place is not None and (page.objects or page.prefixes):
        yield place


def _note_stray(ports: Ports, dataset: DatasetSpec, loose: list[ObjectInfo]) -> None:
    """Keep what lies directly under the root, in no version's folder: nobody will ever train on it."""
    stray = None
    if loose:
        last = max(loose, key=lambda one: (one.last_modified, one.key))
        stray = Stray(dataset.watch.bucket, last.key, len(loose), last.last_modified)
    if stray != ports.ledger.sightings.stray(dataset.name):
        ports.ledger.sightings.put_stray(dataset.name, stray)


def _places(ports: Ports, dataset: DatasetSpec, prefix: str, below: int, loose: list[ObjectInfo]) -> Iterator[Place]:
    """The version folders ``below`` levels below a prefix, as delimiter listings show them.

    ``loose`` takes the objects beside the first level of folders.
    """
    for folder in _folders(ports, dataset.watch.bucket, prefix, loose if prefix == dataset.watch.root else []):
        place = arrivals.place(dataset.watch, folder)
        if place is not None:
            yield place
        elif below > 1:
            yield from _places(ports, dataset, folder, below - 1, loose)


def _folders(ports: Ports, bucket: str, prefix: str, loose: list[ObjectInfo]) -> Iterator[str]:
    after: str | None = None
    while True:
        page = ports.objects.list_page(bucket, prefix, after, delimiter="/")
        loose += [one for one in page.objects if not one.key.endswith("/")]
        yield from page.prefixes
        if page.next is None:
            return
        after = page.next


def _open_all(ports: Ports, dataset: DatasetSpec, places: list[Place], now: datetime) -> int:
    """Open arrivals together: what is adopted is known as a whole, for its newest alone is launched."""
    with ports.ledger.transaction():
        return sum(_open(ports, dataset, place, now) for place in places)


def _open(ports: Ports, dataset: DatasetSpec, place: Place, now: datetime) -> bool:
    arrival = arrivals.opened(dataset, place, now, found=True)
    ledger = ports.ledger
    try:
        ledger.arrivals.save(arrival)
    except Stale:
        return False  # an event was faster
    if arrival.reason is None:
        ledger.worklist.ask("arrival", arrival.key, now)
    code = arrival.reason.code if arrival.reason else "ArrivalFound"
    said = arrival.reason.message if arrival.reason else f"A listing found {arrival.uri}; no event told of it."
    ledger.tell(f"arrival:{arrival.key}", code, said, now)
    return True
