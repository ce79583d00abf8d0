"""What changed between two readings of the quotas."""

from __future__ import annotations

import copy
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from junbi.core.amounts import amount
from junbi.core.quotas import DECISIVE, DECLARED, compare, follow, free, gone, snapshot

if TYPE_CHECKING:
    import random

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
LATER = NOW + timedelta(minutes=1)

NAMES = st.text("abc", min_size=1, max_size=3)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(0, 9) | NAMES | st.just(""),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=8,
)
AMOUNTS = st.fixed_dictionaries({}, optional={name: st.integers(0, 99).map(str) for name in ("CPU", "Memory", "GPU")})
DETAILS = st.fixed_dictionaries({"AllocatableQuota": AMOUNTS, "AllocatedQuota": AMOUNTS})
MOVING = ("GmtModifiedTime", "LatestOperationId", "ReasonMessage", "Unheard")
QUOTA = st.builds(
    lambda said, moving, details: {**moving, **said, "QuotaDetails": details},
    st.dictionaries(st.sampled_from(DECLARED), VALUES),
    st.dictionaries(st.sampled_from(MOVING), NAMES),
    DETAILS,
)
ACCOUNT = st.dictionaries(st.sampled_from(["q1", "q2", "q3"]), QUOTA)


def read(account: dict[str, dict[str, Any]], now: datetime = NOW) -> list[Any]:
    """A reading of an account."""
    return [snapshot({"QuotaId": key, **quota}, "ECS", now) for key, quota in account.items()]


def quota(**members: Any) -> Any:
    """A snapshot of one quota."""
    return snapshot({"QuotaId": "q1", "QuotaName": "a10", **members}, "ECS", NOW)


def details(allocatable: dict[str, str], allocated: dict[str, str]) -> dict[str, Any]:
    """How much there is, and how much is used."""
    return {"AllocatableQuota": allocatable, "AllocatedQuota": allocated}


def shuffled(value: Any, order: random.Random) -> Any:
    """The same document with its lists and members in another order."""
    if isinstance(value, dict):
        items = [(name, shuffled(inner, order)) for name, inner in value.items()]
        order.shuffle(items)
        return dict(items)
    if isinstance(value, list):
        inner = [shuffled(one, order) for one in value]
        order.shuffle(inner)
        return inner
    return value


@given(ACCOUNT, st.randoms(use_true_random=False))
def test_the_same_in_another_order_is_no_change(account: dict[str, Any], order: random.Random) -> None:
    """The service may list members in any order at each call."""
    assert compare(read(account), read(shuffled(copy.deepcopy(account), order), LATER)) == []


@given(ACCOUNT, DETAILS, st.dictionaries(st.sampled_from(MOVING), NAMES))
def test_what_moves_by_itself_is_no_change(account: dict[str, Any], used: Any, moving: dict[str, str]) -> None:
    """Usage, dates and operations wake nobody and are not told; more that is free is all they can show."""
    after = {key: {**one, **moving, "QuotaDetails": used} for key, one in account.items()}
    assert {one.code for one in compare(read(account), read(after, LATER))} <= {"FreeGrew"}


@given(ACCOUNT, ACCOUNT)
def test_every_quota_is_told_once_and_truly(before: dict[str, Any], after: dict[str, Any]) -> None:
    """Found, gone, or changed in exactly the members that differ; nothing else, and in the order of the ids."""
    changes = [one for one in compare(read(before), read(after, LATER)) if one.code in DECISIVE]
    then, now = ({one.id: one.declared for one in read(side)} for side in (before, after))
    for key in sorted(then.keys() | now.keys()):
        told = [one for one in changes if one.quota == key]
        if key not in then or key not in now:
            assert [one.code for one in told] == ["QuotaGone" if key in then else "QuotaFound"]
            continue
        differing = {name for name in DECLARED if then[key].get(name) != now[key].get(name)}
        assert {name for one in told for name in one.members} == differing
        assert len(told) == bool(differing)
    assert [one.quota for one in changes] == sorted(one.quota for one in changes)


@pytest.mark.parametrize("member", DECLARED)
def test_each_declared_member_counts(member: str) -> None:
    """A new value of any of them is a change that is told with both values."""
    (change,) = compare([quota(**{member: "old"})], [quota(**{member: "new"})])
    assert (change.code, change.members) == ("QuotaChanged", (member,))
    assert f"{member} was old and is new" in change.message


def test_a_count_of_machines_counts() -> None:
    """Deep inside Min, where a quota is scaled."""
    two, three = ({"NodeSpecs": [{"Type": "ml.x", "Count": count}]} for count in (2, 3))
    (change,) = compare([quota(Min=two)], [quota(Min=three)])
    assert change.members == ("Min",)
    assert '"Count": 3' in change.message


def test_absent_and_empty_are_the_same() -> None:
    """One answer leaves a member out where another sends an empty one."""
    assert compare([quota()], [quota(Labels=[], Description="", QuotaConfig={"ACS": None}, Min=None)]) == []
    assert compare([quota()], [quota(QuotaConfig={"SupportRDMA": False})])[0].members == ("QuotaConfig",)


def test_more_that_is_free_is_told_by_resource() -> None:
    """By a job that ended or a machine that came, not by one that began; in any unit."""
    full = quota(QuotaDetails=details({"CPU": "8", "Memory": "60Gi"}, {"CPU": "8", "Memory": "1024Mi"}))
    ended = quota(QuotaDetails=details({"CPU": "8", "Memory": "60Gi"}, {"CPU": "7500m", "Memory": "1Gi"}))
    (change,) = compare([full], [ended])
    assert (change.code, change.members) == ("FreeGrew", ("CPU",))
    assert "0 to 0.5 CPU" in change.message
    assert compare([ended], [full]) == []


def test_amounts_that_say_nothing_are_not_guessed() -> None:
    """An amount that is missing or no number is neither zero nor free."""
    known = details({"GPU": "8"}, {"GPU": "8"})
    for odd in ({}, {"GPU": "some"}, {"GPU": None}, {"GPU": ["8"]}):
        assert free(details({"GPU": "8"}, odd), "GPU") is None
        assert compare([quota(QuotaDetails=known)], [quota(QuotaDetails=details({"GPU": "8"}, odd))]) == []


def test_a_quota_that_came_back_is_found_again() -> None:
    """It is told gone once, however often it is missed, and found once when it is there again."""
    there = quota()
    lost = gone(there, LATER)
    assert [one.code for one in compare([there], [])] == ["QuotaGone"]
    assert compare([lost], []) == []
    assert gone(lost, LATER + timedelta(hours=1)).gone_at == LATER
    (found,) = compare([lost], [there])
    assert (found.code, "there again" in found.message) == ("QuotaFound", True)


def test_the_time_of_the_last_change_goes_on() -> None:
    """It is that of the reading that first showed what is declared now."""
    before, same, other = quota(), quota(), quota(Status="Ready")
    later = [snapshot({"QuotaId": "q1", **one.declared}, "ECS", LATER) for one in (same, other)]
    assert [follow(before, one).changed_at for one in later] == [NOW, LATER]
    assert follow(gone(before, NOW), later[0]).changed_at == LATER
    assert (follow(None, before), follow(before, later[0]).read_at) == (before, LATER)


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("16", 16),
        ("0", 0),
        ("500m", Decimal("0.5")),
        ("1.5", Decimal("1.5")),
        ("60Gi", 60 << 30),
        ("1k", 1000),
        ("2Ti", 2 << 40),
        ("3M", 3_000_000),
        ("", None),
        ("-1", None),
        ("1e3", None),
        ("Gi", None),
        ("١٦", None),
        (16, None),
        (None, None),
    ],
)
def test_amounts(text: object, number: object) -> None:
    """Plain numbers, thousandths, and both kinds of multiples; anything else is none."""
    assert amount(text) == number
