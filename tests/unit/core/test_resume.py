"""A listing that is kept and gone on with says what one that was made in one go says."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta

from hypothesis import given, settings
from hypothesis import strategies as st

from junbi.core.digest import BLOCK, Listing, Member

THEN = datetime(2026, 3, 1, tzinfo=UTC)


def members(number: int, marker_at: int, placeholders: int) -> list[Member]:
    """So many objects in key order, with the marker and some folder placeholders among them."""
    found = [Member(f"p/{i:06}", i, f"E{i}", THEN + timedelta(seconds=i % 777)) for i in range(number)]
    found += [Member(f"p/{i * 37:06}d/", 0, "D", THEN + timedelta(days=9)) for i in range(placeholders)]
    found.append(Member(f"p/{marker_at:06}m", 0, "M", THEN + timedelta(hours=1)))
    return sorted(found, key=lambda one: one.key)


def facts(listing: Listing) -> tuple[object, ...]:
    """All that a listing says."""
    return listing.digest, listing.members, listing.size, listing.newest_at, listing.marker_at


@settings(max_examples=60, deadline=None)
@given(
    number=st.integers(0, 3 * BLOCK + 7),
    marker_at=st.integers(0, 3 * BLOCK),
    placeholders=st.integers(0, 40),
    stops=st.lists(st.integers(1, 2 * BLOCK), max_size=4),
)
def test_it_goes_on_behind_the_last_full_block(
    number: int, marker_at: int, placeholders: int, stops: list[int]
) -> None:
    """Stopped anywhere, written as JSON and read back, the fold ends with the same digest, totals and times."""
    objects = members(number, marker_at, placeholders)
    marker = f"{marker_at:06}m"
    whole = Listing("p/", marker)
    for one in objects:
        whole.add(one)
    listing = Listing("p/", marker)
    for stop in stops:
        rest = [one for one in objects if listing.after is None or one.key > listing.after]
        for one in rest[:stop]:
            listing.add(one)
        listing = Listing("p/", marker, json.loads(json.dumps(listing.keep())))
    for one in objects:
        if listing.after is None or one.key > listing.after:
            listing.add(one)
    assert facts(listing) == facts(whole)


def test_what_is_kept_is_small() -> None:
    """Of a million members less than 64 KiB are kept: 32 bytes for each block."""
    listing = Listing("p/")
    for number in range(1_000_000):
        listing.add(Member(f"p/{number:07}", 1, "0123456789ABCDEF0123456789ABCDEF", THEN))
    kept = json.dumps(listing.keep())
    assert listing.after == "p/0999999"
    assert len(kept) < 64 * 1024
