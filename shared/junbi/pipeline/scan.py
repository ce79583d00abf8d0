"""Lists a prefix in memory that does not grow with it, and goes on in the next look where the time was up."""

from __future__ import annotations

import time
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Protocol

from junbi.core.digest import Listing, Member
from junbi.ledger.rows import from_time, to_time

if TYPE_CHECKING:
    from collections.abc import Sequence

    from junbi.clients.objects import ObjectInfo
    from junbi.pipeline.wiring import Ports

#: Seconds that one look lists for at most. With the longest call it stays below the lease of a claimed row.
LOOK = 20.0

#: Seconds before the function's deadline at which a look ends. Longer than one call may take, shorter than
#: ``work.RESERVE``, so that a look which was begun in time always lists something.
RESERVE = 10.0


#: What was listed longer ago is listed anew: events may have been lost since.
LONGEST_PAUSE = timedelta(minutes=10)


class Taker(Protocol):
    """What is done with each member while it passes by, in key order.

    After a pause members that were taken already may come once more: it knows how far it came.
    """

    name: str

    def add(self, member: Member, give_up_at: float) -> bool:
        """Take a member; False where there was no time for it, so that it comes again. ``time.monotonic()`` seconds."""
        ...

    def keep(self) -> dict[str, Any]:
        """What it needs to go on, as JSON."""
        ...


def scan(
    ports: Ports,
    owner: str,
    token: str,
    place: tuple[str, str, str | None],
    takers: Sequence[Taker] = (),
    *,
    keep_ended: bool = False,
) -> Listing | None:
    """What a prefix holds now; None where time is up: then it is called again, and goes on.

    Args:
        ports: what it lists with, and how long.
        owner: whose listing it is, such as ``arrival:<key>``.
        token: the state of the owner; what was kept for another one is not gone on with.
        place: bucket, prefix, and the name of the marker below it.
        takers: what is done with the members besides; made from what ``kept`` gave.
        keep_ended: keep a listing that ended too, while another one of the same owner goes on.
    """
    bucket, prefix, marker = place
    found = _kept(ports, owner, token)
    listing = Listing(prefix, marker, found["listing"] if found else None)
    ended = _list(ports, listing, (bucket, prefix), takers)
    if not ended or keep_ended:
        state = {
            "listing": listing.keep(),
            "takers": {taker.name: taker.keep() for taker in takers},
            "kept_at": to_time(ports.ledger.now()),
        }
        ports.ledger.scans.put(owner, token, state)
    return listing if ended else None


def begin(ports: Ports, owner: str, token: str) -> None:
    """Write down that a listing is to be made for this state of its owner."""
    state: dict[str, Any] = {"listing": None, "takers": {}, "kept_at": to_time(ports.ledger.now())}
    ports.ledger.scans.put(owner, token, state)


def kept(ports: Ports, owner: str, token: str, taker: str) -> dict[str, Any] | None:
    """What a taker kept of a listing that is gone on with; None at its beginning."""
    found = _kept(ports, owner, token)
    return found["takers"].get(taker) if found else None


def _kept(ports: Ports, owner: str, token: str) -> dict[str, Any] | None:
    found = ports.ledger.scans.get(owner, token)
    if found is None or ports.ledger.now() - from_time(found["kept_at"]) > LONGEST_PAUSE:
        return None
    return found


def give_up_at(ports: Ports) -> float:
    """When a look that begins now has to end (``time.monotonic()`` seconds)."""
    return min(time.monotonic() + LOOK, ports.invocation.deadline - RESERVE)


def _list(ports: Ports, listing: Listing, place: tuple[str, str], takers: Sequence[Taker]) -> bool:
    """Fold page after page until the end, or until the time is up and something was folded that can be kept."""
    ends, begun = give_up_at(ports), listing.after
    after = begun
    while True:
        page = ports.objects.list_page(*place, after)
        for info in page.objects:
            member = _member(info)
            if listing.counts(member) and not all(taker.add(member, ends) for taker in takers):
                return False
            listing.add(member)
        if page.next is None:
            return True
        after = page.next
        if time.monotonic() >= ends and listing.after != begun:
            return False


def _member(info: ObjectInfo) -> Member:
    return Member(info.key, info.size, info.etag, info.last_modified, info.kind)
