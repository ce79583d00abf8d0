"""The ledger: what was declared, what arrived, what was launched, and what has to be looked at when."""

from __future__ import annotations

import hashlib
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from junbi.errors import LedgerError, LedgerNotShared
from junbi.ledger.arrivals import Arrivals
from junbi.ledger.clock import LedgerClock, SharedClock
from junbi.ledger.code_lines import CodeLines
from junbi.ledger.deliveries import Deliveries
from junbi.ledger.expectations import Expectations
from junbi.ledger.generations import Generations
from junbi.ledger.image_lines import ImageLines
from junbi.ledger.launches import Launches
from junbi.ledger.member_lists import MemberLists
from junbi.ledger.notes import Notes
from junbi.ledger.overview import Overview
from junbi.ledger.policies import Policies
from junbi.ledger.quotas import Quotas
from junbi.ledger.reservations import Reservations
from junbi.ledger.returns import Returns
from junbi.ledger.revisions import Revisions
from junbi.ledger.rows import to_time
from junbi.ledger.scans import Scans
from junbi.ledger.sightings import Sightings
from junbi.ledger.tries import Tries
from junbi.ledger.worklist import Worklist

if TYPE_CHECKING:
    from collections.abc import Sequence
    from contextlib import AbstractContextManager
    from datetime import datetime, timedelta

    from junbi.ledger.clock import Clock
    from junbi.ledger.database import Database

#: Where the ledger is when JUNBI_LEDGER does not say.
DEFAULT_URL = "sqlite:///.junbi/ledger.db"


#: The statements that forget, each at most so many entries at once.
PRUNED = ("prune_stories", "prune_quarantine", "prune_deliveries")


class Ledger:
    """All that junbi remembers. Each part has one noun; ``transaction`` spans them."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock
        self.generations = Generations(database)
        self.arrivals = Arrivals(database)
        self.scans = Scans(database)
        self.sightings = Sightings(database)
        self.code_lines = CodeLines(database)
        self.image_lines = ImageLines(database)
        self.deliveries = Deliveries(database)
        self.expectations = Expectations(database)
        self.notes = Notes(database)
        self.member_lists = MemberLists(database)
        self.revisions = Revisions(database)
        self.returns = Returns(database)
        self.launches = Launches(database)
        self.tries = Tries(database)
        self.worklist = Worklist(database)
        self.policies = Policies(database)
        self.quotas = Quotas(database)
        self.reservations = Reservations(database)
        self.overview = Overview(database)

    def now(self) -> datetime:
        """The ledger's time, UTC: leases, deadlines and settling are judged by it."""
        return self._clock.now()

    def transaction(self, *, alone: bool = True) -> AbstractContextManager[None]:
        """Everything saved inside is saved together or not at all.

        What is read inside stays true until the end, unless ``alone`` is False: then only what is saved is proved, by
        its row version, and others do not wait.
        """
        return self._database.transaction(alone=alone)

    def migrate(self) -> None:
        """Bring the schema up to date."""
        self._database.migrate()

    def tell(self, subject: str, code: str, message: str, now: datetime) -> None:
        """Write down what happened to ``launch:<id>``, ``revision:<id>`` or ``arrival:<key>``, for people."""
        self._database.run("tell", subject=subject, code=code, message=message, now=to_time(now))

    def stories(self, after: int = 0, most: int = 1000) -> list[dict[str, Any]]:
        """What happened, oldest first, past the entry ``after``."""
        return self._database.rows("stories", after=after, most=most)

    def story_of(self, subject: str) -> list[dict[str, Any]]:
        """What happened to one thing, oldest first."""
        return self._database.rows("story_of", subject=subject)

    def quarantine(self, function: str, payload: bytes, problem: str, now: datetime) -> None:
        """Keep a payload that could not be read; the same one again only counts."""
        self._database.run(
            "quarantine",
            digest=hashlib.sha256(payload).hexdigest(),
            function=function,
            payload=payload[:65_536].decode("utf-8", "replace"),
            problem=problem,
            now=to_time(now),
        )

    def quarantined(self, most: int = 100) -> Sequence[dict[str, Any]]:
        """The payloads that could not be read, newest first."""
        return self._database.rows("quarantined", most=most)

    def prune(self, now: datetime, keep: timedelta, most: int = 1000) -> int:
        """Forget what is of no use to people any more; how many entries went, at most so many of each kind.

        That is: what happened to things that rest since longer than ``keep``, payloads that could not be read and did
        not come again since, and deliveries. Launches, revisions and tries are kept for ever. Call it again while it
        finds any.
        """
        before = to_time(now - keep)
        return sum(self._database.run(name, before=before, most=most) for name in PRUNED)

    def owner_of_token(self, token: str) -> str | None:
        """Who an API token belongs to; None for a token that was never issued. Only digests are stored."""
        row = self._database.row("token", digest=hashlib.sha256(token.encode()).hexdigest())
        return row["owner"] if row else None

    def issue_token(self, token: str, owner: str, now: datetime) -> None:
        """Make a token valid."""
        digest = hashlib.sha256(token.encode()).hexdigest()
        self._database.run("put_token", digest=digest, owner=owner, now=to_time(now))


def open_ledger(url: str | None = None, *, migrate: bool = False, make: bool = True) -> Ledger:
    """The ledger that ``url`` (or JUNBI_LEDGER) names.

    A SQLite file is made (unless ``make`` is false: who only reads would take an empty one for the answer) and
    migrated where it is missing or old; PostgreSQL only with ``migrate``, because functions
    of the version before may be at work on it.

    Raises:
        LedgerError: no address of a ledger.
        LedgerNotShared: a file, on Function Compute.
        LedgerUnavailable: it cannot be used now.
        LedgerUnknown: the schema is not one that this version can work with.
    """
    address = url or os.environ.get("JUNBI_LEDGER") or DEFAULT_URL
    scheme, _, place = address.partition("://")
    if scheme in {"postgresql", "postgres"}:
        return _open_postgres(address, migrate=migrate)
    if scheme == "sqlite" and len(place) > 1 and place[0] == "/":
        return _open_sqlite(Path(place[1:]), make=make)
    shown = re.sub(r"//.*@", "//***@", address)  # what stands there may be a password
    raise LedgerError(
        f"JUNBI_LEDGER is {shown!r}; it must be sqlite:///<path of a file> or postgresql://<user>@<host>/<database>."
    )


def _open_sqlite(path: Path, *, make: bool) -> Ledger:
    if not make and not path.exists():
        raise LedgerError(
            f"There is no ledger at {path}. Set JUNBI_LEDGER; for a house of 'junbi up': set -a; . .junbi/env; set +a"
        )
    # Each instance would have a file of its own, lost with it. A local FC says that it is one.
    if "FC_FUNCTION_NAME" in os.environ and os.environ.get("JUNBI_LOCAL") != "1":
        raise LedgerNotShared(
            f"The ledger {path} is a file, and instances of a function share no disk: each would know only its own "
            "events. Nothing was noted. Set JUNBI_LEDGER of every function to one postgresql:// address."
        )
    from junbi.ledger.sqlite import SqliteDatabase  # the engine is loaded where it is used

    ledger = Ledger(SqliteDatabase(path), LedgerClock.from_environment())
    ledger.migrate()
    return ledger


def _open_postgres(address: str, *, migrate: bool) -> Ledger:
    try:
        from junbi.ledger.postgres import PostgresDatabase  # the engine is loaded where it is used
    except ImportError as error:
        raise LedgerError(
            f"A ledger on PostgreSQL needs psycopg ({error}). Install it: pip install 'junbi[postgres]'."
        ) from error
    database = PostgresDatabase(address)
    if migrate:
        database.migrate()
    database.check()
    return Ledger(database, SharedClock(database.seconds, LedgerClock.from_environment()))
