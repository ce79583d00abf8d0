"""Sightings: what the timer saw of a watch that no event told of, one row for each dataset."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

from junbi.ledger.rows import from_time, to_time

if TYPE_CHECKING:
    from datetime import datetime

    from junbi.ledger.database import Database

#: A dataset that was heard of so short ago is not written down again.
HEARD_LATELY = timedelta(minutes=1)


@dataclass(frozen=True, slots=True)
class Stray:
    """Objects in no folder of a version: the key of the last one, how many there are, when the last one came."""

    bucket: str
    key: str
    times: int
    last_at: datetime


@dataclass(frozen=True, slots=True)
class Hearing:
    """When an event came last (None: never), and how many changes since were found by the timer alone."""

    heard_at: datetime | None
    missed: int


class Sightings:
    """Stores strays, and whether events of a dataset come."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._heard: dict[str, datetime] = {}  # by this process: a burst of events reads nothing

    def stray(self, dataset: str) -> Stray | None:
        """What lies in no folder of a version; None where nothing does."""
        row = self._database.row("stray", dataset=dataset)
        return Stray(row["bucket"], row["key"], row["times"], from_time(row["last_at"])) if row else None

    def put_stray(self, dataset: str, stray: Stray | None) -> None:
        """Keep what lies in no folder of a version now, in the place of what did before."""
        if stray is None:
            self._database.run("drop_stray", dataset=dataset)
        else:
            self._database.run("put_stray", **asdict(stray) | {"dataset": dataset, "last_at": to_time(stray.last_at)})

    def hearing(self, dataset: str) -> Hearing | None:
        """Whether events of a dataset come; None where neither an event nor the timer told of it."""
        row = self._database.row("hearing", dataset=dataset)
        if row is None:
            return None
        return Hearing(from_time(row["heard_at"]) if row["heard_at"] else None, row["missed"])

    def heard(self, dataset: str, now: datetime) -> None:
        """An event came. A process writes it at most once a minute: doors wait for nobody."""
        if now - self._heard.get(dataset, now - HEARD_LATELY) >= HEARD_LATELY:
            self._database.run("heard", dataset=dataset, now=to_time(now))
            self._heard[dataset] = now

    def missed(self, dataset: str, now: datetime) -> None:
        """The timer found a change that no event told of."""
        self._database.run("missed", dataset=dataset, now=to_time(now))
