"""The digest of a dataset's members."""

from __future__ import annotations

import hashlib
import tracemalloc
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import islice, pairwise
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from junbi.core.digest import Listing, Member

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

NOW = datetime(2026, 3, 1, tzinfo=UTC)


def members(count: int) -> Iterator[Member]:
    """So many members in key order."""
    return (Member(f"d/v1/{number:08}", number, f"E{number}", NOW) for number in range(count))


def listing(found: Iterable[Member], marker: str | None = None) -> Listing:
    """The members folded in."""
    seen = Listing("d/v1/", marker)
    for member in found:
        seen.add(member)
    return seen


def by_definition(found: list[Member]) -> str:
    """The digest as its docstring defines it, written the plain way."""
    keys = [member.key.encode() for member in found]
    lines = [
        str(len(key)).encode() + b":" + key + f" {member.size} {member.etag}\n".encode()
        for key, member in zip(keys, found, strict=True)
    ]
    blocks = [b"".join(lines[start : start + 1000]) for start in range(0, len(lines), 1000)]
    return hashlib.sha256(b"".join(hashlib.sha256(block).digest() for block in blocks)).hexdigest()


@pytest.mark.parametrize("count", [0, 1, 2, 999, 1000, 1001, 1999, 2000, 2001])
def test_it_is_what_its_definition_says(count: int) -> None:
    """SHA-256 over the digests of blocks of 1,000 members, also where a block is just full."""
    assert listing(members(count)).digest == by_definition(list(members(count)))


def test_every_number_of_members_has_its_own_digest() -> None:
    """One member more or less around a block's end is another digest."""
    digests = [listing(members(count)).digest for count in (0, 1, 998, 999, 1000, 1001, 1002, 2000, 2001)]
    assert len(set(digests)) == len(digests)


def test_the_definition_never_changes() -> None:
    """A stored digest stays comparable for ever: this one was computed when the definition was made."""
    assert listing(members(1001)).digest == "aabaa5cf7d21c899570c1480ee31b63bf862ab9031e29d1917a92a604f50ef89"


MEMBER = st.builds(
    Member,
    key=st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=6).map(
        lambda name: f"d/v1/{name.strip('/') or 'x'}"
    ),
    size=st.integers(1, 10**12),
    etag=st.text("0123456789ABCDEF-", min_size=1, max_size=6),
    modified=st.just(NOW),
)
MEMBERS = st.lists(MEMBER, min_size=1, max_size=8, unique_by=lambda member: member.key)


class TestWhatChangesIt:
    """Every member's key, size and tag, and their order."""

    @given(found=MEMBERS, data=st.data())
    def test_bc_53_any_difference_of_a_member_shows(self, found: list[Member], data: st.DataObject) -> None:
        """Another size, another tag, another key, one gone, one more: another digest."""
        place = data.draw(st.integers(0, len(found) - 1))
        member = found[place]
        others = [
            [*found[:place], replace(member, size=member.size + 1), *found[place + 1 :]],
            [*found[:place], replace(member, etag=member.etag + "0"), *found[place + 1 :]],
            [*found[:place], replace(member, key=member.key + "0"), *found[place + 1 :]],
            [*found[:place], *found[place + 1 :]],
            [*found, member],
        ]
        assert listing(found).digest not in {listing(other).digest for other in others}

    @given(found=MEMBERS, more=MEMBERS)
    def test_two_lists_of_members_share_a_digest_only_if_they_are_equal(
        self, found: list[Member], more: list[Member]
    ) -> None:
        """No two different contents collide, however keys, sizes and tags are cut."""
        assert (listing(found).digest == listing(more).digest) == (found == more)

    def test_the_order_of_keys_matters(self) -> None:
        """Members are folded in key order; another order is another digest, so a broken listing is noticed."""
        found = list(members(3))
        assert listing(found).digest != listing(reversed(found)).digest

    def test_when_objects_were_written_does_not_matter(self) -> None:
        """The same objects copied again later are the same version."""
        later = (replace(member, modified=NOW + timedelta(days=1)) for member in members(5))
        assert listing(later).digest == listing(members(5)).digest


class TestNoMembers:
    """The marker and folder placeholders."""

    MARKER = Member("d/v1/_SUCCESS", 0, "M", NOW + timedelta(hours=1))

    def test_the_marker_is_no_member(self) -> None:
        """It leaves digest, totals and newest alone, and its time is kept."""
        plain, marked = listing(members(3), "_SUCCESS"), listing([*members(3), self.MARKER], "_SUCCESS")
        assert (marked.digest, marked.members, marked.size, marked.newest_at) == (
            plain.digest,
            3,
            plain.size,
            plain.newest_at,
        )
        assert (plain.marker_at, marked.marker_at) == (None, self.MARKER.modified)

    def test_a_marker_with_content_is_none_either(self) -> None:
        """Some tools write a manifest into it."""
        assert listing([replace(self.MARKER, size=99)], "_SUCCESS").members == 0

    @pytest.mark.parametrize("key", ["d/v1/sub/_SUCCESS", "d/v1/_SUCCESS2", "d/v1/_success"])
    def test_only_the_very_marker_is(self, key: str) -> None:
        """The same name deeper down, or nearly the same name, is data."""
        seen = listing([replace(self.MARKER, key=key)], "_SUCCESS")
        assert (seen.members, seen.marker_at) == (1, None)

    def test_without_a_closing_marker_it_is_a_member(self) -> None:
        """Where the dataset closes by count or quiet, _SUCCESS is an object as any other."""
        assert listing([self.MARKER]).members == 1

    def test_folder_placeholders_are_none(self) -> None:
        """Console and tools make them or not; the version is the same."""
        folders = [Member("d/v1/", 0, "P", NOW + timedelta(days=1)), Member("d/v1/sub/", 0, "P", NOW)]
        seen = listing([*folders, *members(3)])
        assert (seen.digest, seen.members, seen.newest_at) == (listing(members(3)).digest, 3, NOW)

    def test_what_holds_something_is_a_member(self) -> None:
        """A key with a slash at its end that holds bytes is data; so is an empty object."""
        assert listing([Member("d/v1/odd/", 1, "E", NOW), Member("d/v1/empty", 0, "E", NOW)]).members == 2

    @pytest.mark.parametrize("place", [0, 999, 1000, 1001])
    def test_they_move_no_block_boundary(self, place: int) -> None:
        """Wherever among the members the marker stands, the blocks are the same."""
        found = list(members(1500))
        assert listing([*found[:place], self.MARKER, *found[place:]], "_SUCCESS").digest == listing(found).digest


class TestPaging:
    """Members come in pages."""

    @given(cuts=st.lists(st.integers(0, 1005), max_size=6))
    @settings(max_examples=25, deadline=None)
    def test_pages_of_any_size_give_the_same(self, cuts: list[int]) -> None:
        """However the listing is cut, and though the digest is read in between."""
        found, seen = list(members(1005)), Listing("d/v1/")
        for start, end in pairwise([0, *sorted(cuts), 1005]):
            for member in islice(found, start, end):
                seen.add(member)
            assert seen.digest == by_definition(found[:end])
        assert seen.size == sum(member.size for member in found)

    def test_memory_does_not_grow_with_the_members(self) -> None:
        """50,000 members take as much memory as 5,000: an upload may have millions."""
        peaks = []
        for count in (5_000, 50_000):
            tracemalloc.start()
            listing(members(count))
            peaks.append(tracemalloc.get_traced_memory()[1])
            tracemalloc.stop()
        assert peaks[1] < peaks[0] * 1.5 + 10_000

    def test_totals_are_kept(self) -> None:
        """Number, bytes and the newest time, whatever the order of times."""
        times = [NOW, NOW + timedelta(seconds=9), NOW + timedelta(seconds=3)]
        seen = listing(Member(f"d/v1/{n}", 10, "E", at) for n, at in enumerate(times))
        assert (seen.members, seen.size, seen.newest_at) == (3, 30, times[1])
