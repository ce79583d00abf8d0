"""The worklist: what has to be looked at and when. Every accepted event ends in a row here or is finished."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from datetime import timedelta
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Literal

from junbi.ledger.rows import from_time, to_time

if TYPE_CHECKING:
    from datetime import datetime

    from junbi.ledger.database import Database

Kind = Literal["arrival", "revision", "launch", "plan", "audit", "expectation", "proof", "code", "image", "quota"]

#: How long a claimed row belongs to its worker. Longer than any one look takes; a worker that died in between
#: leaves its row to others after it.
LEASE = timedelta(seconds=60)

#: Workers that did not come back from a row, after which it is given out only so seldom; and how that is told.
PATIENCE, SELDOM = 3, timedelta(minutes=10)
DIED = "whoever looked at it last did not come back"

#: How often what nothing would look at is looked for, and how much of it is taken up at once.
AUDIT_INTERVAL, MOST_UNWATCHED = timedelta(minutes=1), 20

#: How often what is old is forgotten.
PRUNE_INTERVAL = timedelta(hours=1)

#: Doors poke ``reconcile`` at most once in this time.
POKE_INTERVAL = timedelta(seconds=2)

#: What says again what was said before is looked at after this time: it costs one look, whoever repeats it how often.
REPEATED = timedelta(seconds=20)

#: Folders that no event told of are looked for at most once in this time; and a few that have ended are compared.
DISCOVERY_INTERVAL = timedelta(seconds=15)

#: A round over all that have ended begins at most once in this time.
SWEEP_INTERVAL = timedelta(minutes=10)


@dataclass(frozen=True, slots=True)
class Item:
    """A claimed row. ``asked`` counts the calls for a look, ``failures`` the looks that failed in a row."""

    kind: Kind
    id: str
    asked: int
    failures: int
    lease: str


class Worklist:
    """Asks for looks, and hands them out to one worker at a time."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def ask(self, kind: Kind, key: str, due_at: datetime) -> None:
        """Have something looked at by then, at the latest."""
        self._database.run("ask", kind=kind, id=key, due_at=to_time(due_at))

    def ask_again(self, kind: Kind, key: str, now: datetime) -> None:
        """Have something looked at soon for what was said before: once in ``REPEATED``, however often it is said."""
        self._database.run("ask_again", kind=kind, id=key, due_at=to_time(now + REPEATED), now=to_time(now))

    def claim(self, now: datetime, most: int = 10) -> list[Item]:
        """Lease what is due, the longest due first; nobody else gets it until it is finished or the lease ran out."""
        lease = uuid.uuid4().hex
        found = self._database.rows(
            "claim",
            lease=lease,
            until=to_time(now + LEASE),
            now=to_time(now),
            seldom=to_time(now - SELDOM),
            patience=PATIENCE,
            died=DIED,
            most=most,
        )
        found.sort(key=itemgetter("due_at", "kind", "id"))  # RETURNING promises no order
        return [Item(row["kind"], row["id"], row["asked"], row["failures"], lease) for row in found]

    def finish(self, item: Item, now: datetime) -> None:
        """There is nothing more to do; if somebody asked meanwhile, it is looked at once more."""
        gone = self._database.run("finish", kind=item.kind, id=item.id, lease=item.lease, asked=item.asked)
        if not gone:
            self.again(item, now)

    def again(self, item: Item, due_at: datetime, failures: int = 0, problem: str = "") -> None:
        """Look again then, or at once if somebody asked meanwhile; ``problem`` is why the last look failed."""
        self._database.run(
            "again",
            kind=item.kind,
            id=item.id,
            lease=item.lease,
            asked=item.asked,
            due_at=to_time(due_at),
            failures=failures,
            problem=problem,
        )

    def release_all(self) -> None:
        """Take every lease back. Only for whoever knows that no worker is left (``junbi up`` at its start)."""
        self._database.run("release_all")

    def due(self, now: datetime) -> int:
        """How many rows wait for a worker."""
        return self.backlog(now)[0]

    def backlog(self, now: datetime) -> tuple[int, timedelta]:
        """How many rows wait for a worker, and how long the one that waits longest has been due."""
        seldom = to_time(now - SELDOM)
        (row,) = self._database.rows("due", now=to_time(now), seldom=seldom, patience=PATIENCE)
        lag = now - from_time(row["oldest"]) if row["oldest"] else timedelta(0)
        return int(row["due"]), lag

    def unwatched(self) -> list[tuple[Kind, str]]:
        """What is not at its end and that nothing would ever look at: there should be none, and it is asked for."""
        rows = self._database.rows("without_wake_up", most=MOST_UNWATCHED)
        return [(row["kind"], row["id"]) for row in rows]

    def may_audit(self, now: datetime) -> bool:
        """Whether it is time to look for what nothing would ever look at."""
        return self._take_turn("reconciled_at", now, AUDIT_INTERVAL)

    def may_prune(self, now: datetime) -> bool:
        """Whether it is time to forget what is old."""
        return self._take_turn("pruned_at", now, PRUNE_INTERVAL)

    def entry(self, kind: Kind, key: str) -> dict[str, Any] | None:
        """When something is looked at next (``due_at``), and why the last look failed, if it did (``problem``)."""
        return self._database.row("work_of", kind=kind, id=key)

    def may_poke(self, now: datetime) -> bool:
        """Whether this door should poke ``reconcile``: not if another did just now."""
        return self._take_turn("poked_at", now, POKE_INTERVAL)

    def poke_arrived(self) -> None:
        """``reconcile`` has begun: what is noted from now on calls for another poke."""
        self._database.run("set_setting", name="poked_at", value="")

    def may_discover(self, now: datetime) -> bool:
        """Whether it is time to look for folders that no event told of."""
        return self._take_turn("discovered_at", now, DISCOVERY_INTERVAL)

    def may_sweep(self, now: datetime) -> bool:
        """Whether it is time to compare the next few uploads that have ended."""
        return self._take_turn("swept_at", now, DISCOVERY_INTERVAL)

    def may_begin_sweep(self, now: datetime) -> bool:
        """Whether it is time to begin a round over the uploads that have ended."""
        return self._take_turn("sweep_begun_at", now, SWEEP_INTERVAL)

    def swept_until(self) -> str:
        """The key of the upload that the round came to; empty between two rounds."""
        row = self._database.row("setting", name="sweep_cursor")
        return row["value"] if row else ""

    def sweep_from(self, key: str) -> None:
        """The round goes on behind this key; empty where it is over."""
        self._database.run("set_setting", name="sweep_cursor", value=key)

    def _take_turn(self, name: str, now: datetime, interval: timedelta) -> bool:
        return self._database.run("take_turn", name=name, now=to_time(now), before=to_time(now - interval)) == 1
