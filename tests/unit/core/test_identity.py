"""What makes two revisions or two launches the same, and which revision is the newest."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import permutations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.core.plans import plan

from junbi.core import identity
from junbi.core.facts import Revision

NOW = datetime(2026, 3, 1, tzinfo=UTC)
PLAN = plan()
PINS = {"digits": "rev-1", "labels": "rev-2"}


def revision(label: str, minutes: int = 0, id_: str = "rev-a") -> Revision:
    """A revision with a label, closed so many minutes after the others."""
    at = NOW + timedelta(minutes=minutes)
    return Revision(id_, "digits", label, "b", f"digits/{label}/", {}, "d" * 64, 1, 1, NOW, at)


VALUES = st.recursive(
    st.text(max_size=5) | st.integers(-99, 99) | st.booleans() | st.none(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)
PARAMS = st.dictionaries(st.text(max_size=4), st.text(max_size=4) | st.integers() | st.booleans(), max_size=4)


def exactly(value: Any) -> Any:
    """The value with its types, so that True and 1 differ as they do in JSON."""
    if isinstance(value, dict):
        return ("dict", frozenset((key, exactly(item)) for key, item in value.items()))
    if isinstance(value, (list, tuple)):
        return ("list", tuple(exactly(item) for item in value))
    return (type(value).__name__, value)


class TestHashing:
    """Short hashes over parts."""

    @given(one=st.lists(VALUES, max_size=4), other=st.lists(VALUES, max_size=4))
    def test_different_parts_have_different_hashes(self, one: list[Any], other: list[Any]) -> None:
        """No two inputs collide because of where one part ends and the next begins."""
        assert (identity.short_hash(*one) == identity.short_hash(*other)) == (exactly(one) == exactly(other))

    @pytest.mark.parametrize(
        ("one", "other"),
        [
            (("ab", "c"), ("a", "bc")),
            (('a","b',), ("a", "b")),
            (("a", ""), ("a",)),
            ((1,), ("1",)),
            ((1,), (True,)),
            ((["a"], "b"), (["a", "b"],)),
            (({"a": 1},), ({"a": "1"},)),
            (("a\0b",), ("a", "b")),
        ],
    )
    def test_cuts_and_types_are_part_of_it(self, one: tuple[Any, ...], other: tuple[Any, ...]) -> None:
        """What a plain joining of texts would confuse is told apart."""
        assert identity.short_hash(*one) != identity.short_hash(*other)

    def test_revisions_of_two_datasets_differ(self) -> None:
        """The same digest under two datasets, or in two buckets, is two revisions."""
        assert identity.revision_id("a", "b", "d") != identity.revision_id("b", "b", "d")
        assert identity.revision_id("a", "b", "d") == identity.revision_id("a", "b", "d")
        assert identity.revision_id("ab", "c", "d") != identity.revision_id("a", "bc", "d")


class TestLaunches:
    """Identity, trigger and id."""

    @given(PARAMS)
    def test_the_order_of_parameters_does_not_matter(self, params: dict[str, Any]) -> None:
        """A file whose keys were sorted is no new job."""
        backwards = dict(reversed(params.items()))
        assert identity.identity(PLAN, params, PINS) == identity.identity(PLAN, backwards, PINS)

    @given(one=PARAMS, other=PARAMS)
    def test_every_difference_of_parameters_does(self, one: dict[str, Any], other: dict[str, Any]) -> None:
        """Another name, value or type is another job; the trigger stays the same."""
        same = identity.identity(PLAN, one, PINS) == identity.identity(PLAN, other, PINS)
        assert same == (exactly(one) == exactly(other))

    def test_only_inputs_in_on_count(self) -> None:
        """A new version of another input is pinned, and makes no new identity."""
        moved = PINS | {"labels": "rev-9"}
        assert identity.identity(PLAN, {}, moved) == identity.identity(PLAN, {}, PINS)
        assert identity.trigger_key(PLAN, moved) == identity.trigger_key(PLAN, PINS)

    def test_an_input_in_on_counts(self) -> None:
        """A new version of what starts the plan is a new identity and a new trigger."""
        moved = PINS | {"digits": "rev-9"}
        assert identity.identity(PLAN, {}, moved) != identity.identity(PLAN, {}, PINS)
        assert identity.trigger_key(PLAN, moved) != identity.trigger_key(PLAN, PINS)

    def test_two_inputs_that_change_places_are_told_apart(self) -> None:
        """Which input has which revision matters, not only the set of revisions."""
        both = PLAN.model_copy(update={"on": ("digits", "labels")})
        swapped = {"digits": "rev-2", "labels": "rev-1"}
        assert identity.identity(both, {}, PINS) != identity.identity(both, {}, swapped)

    def test_two_plans_on_the_same_data_are_two_launches(self) -> None:
        """The plan's name is part of the identity."""
        other = PLAN.model_copy(update={"name": "evaluate"})
        assert identity.identity(PLAN, {}, PINS) != identity.identity(other, {}, PINS)

    def test_what_does_not_count_is_not_in_it(self) -> None:
        """A new command or image alone starts nothing again: a rerun is explicit."""
        changed = PLAN.model_copy(update={"image": "other", "tags": {"a": "b"}})
        assert identity.identity(PLAN, {}, PINS) == identity.identity(changed, {}, PINS)

    def test_bc_122_a_launch_id_is_derived_and_stable(self) -> None:
        """Two workers name one launch alike; a rerun has its own id; it never comes from a clock or a counter."""
        named = identity.identity(PLAN, {"lr": 0.1}, PINS)
        assert identity.launch_id(named, 0) == identity.launch_id(named, 0)
        assert identity.launch_id(named, 0) != identity.launch_id(named, 1)
        assert identity.launch_id("a1", 1) != identity.launch_id("a", 11)
        assert identity.launch_id(named, 0).startswith("l-")


def newest_label(labels: list[str], order: str) -> str:
    """The label that wins, each closed at the same time."""
    found = identity.newest([revision(label, id_=f"rev-{n}") for n, label in enumerate(labels)], order)
    assert found is not None
    return found.label


#: The example of https://semver.org, 11.4, and what people add to it.
SEMVER = [
    "tmp",
    "0.9.9",
    "1.0.0-1",
    "1.0.0-alpha",
    "1.0.0-alpha.1",
    "1.0.0-alpha.beta",
    "1.0.0-alpha-1.0",
    "1.0.0-beta",
    "1.0.0-beta.2",
    "1.0.0-beta.11",
    "1.0.0-rc.1",
    "1.0.0",
    "v1.0.1-rc.1",
    "v1.0.1",
    "1.2.0",
    "1.10.0",
    "v2.0.0",
    "10.0.0",
]


class TestNewest:
    """Which of a dataset's revisions is the newest."""

    def test_of_none_it_is_none(self) -> None:
        """A dataset without a version has no newest."""
        assert identity.newest([], "time") is None

    @pytest.mark.parametrize("order", ["time", "version", "semver"])
    def test_equal_labels_are_decided_by_time(self, order: str) -> None:
        """A second upload under one name is newer than the first, in every order."""
        first, second = revision("v1", 0, "rev-z"), revision("v1", 5, "rev-a")
        assert identity.newest([first, second], order) == second
        assert identity.newest([second, first], order) == second

    @pytest.mark.parametrize("order", ["time", "version", "semver"])
    def test_bc_7_equal_times_are_decided_alike_by_everybody(self, order: str) -> None:
        """Two uploads closed in one microsecond: whoever looks, in whatever order, finds the same."""
        two = [revision("v1", 0, "rev-a"), revision("v1", 0, "rev-b")]
        assert identity.newest(two, order) == identity.newest(two[::-1], order)

    def test_by_time_the_label_says_nothing(self) -> None:
        """The version closed last wins, whatever its name."""
        assert identity.newest([revision("v9", 0), revision("v1", 5)], "time") == revision("v1", 5)

    @pytest.mark.parametrize(
        ("older", "newer"),
        [("v9", "v10"), ("2026-02-28", "2026-03-01"), ("2026-9-1", "2026-10-1"), ("a/9", "a/10"), ("v1", "v1.1")],
    )
    def test_by_version_numbers_count_as_numbers(self, older: str, newer: str) -> None:
        """v10 is newer than v9, October than September, however the label is put together."""
        assert newest_label([older, newer], "version") == newest_label([newer, older], "version") == newer

    def test_by_version_a_late_older_version_stays_older(self) -> None:
        """A backfill of v3 after v4 does not become the newest."""
        assert identity.newest([revision("v4", 0), revision("v3", 60)], "version") == revision("v4", 0)

    @pytest.mark.parametrize(("place", "newer"), list(enumerate(SEMVER))[1:])
    def test_by_semver_as_semver_org_says(self, place: int, newer: str) -> None:
        """Pre-releases before their release, numbers as numbers, a leading v ignored, no version before all."""
        for older in SEMVER[:place]:
            assert newest_label([older, newer], "semver") == newest_label([newer, older], "semver") == newer

    def test_by_semver_build_metadata_decides_nothing(self) -> None:
        """1.0.0+2 is no newer than 1.0.0+10: the time decides."""
        first, second = revision("1.0.0+10", 0), revision("1.0.0+2", 5)
        assert identity.newest([first, second], "semver") == second

    @given(st.lists(st.text("v019.-+ab", max_size=6), min_size=1, max_size=4), st.sampled_from(["version", "semver"]))
    def test_strange_labels_have_an_order_too(self, labels: list[str], order: str) -> None:
        """Whatever folders are called, comparing them neither fails nor depends on who comes first."""
        found = [replace(revision(label), id=f"rev-{number}") for number, label in enumerate(labels)]
        assert len({identity.newest(list(some), order).id for some in permutations(found)}) == 1  # type: ignore[union-attr]
