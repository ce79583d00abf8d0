"""Who may go into a quota now: in whose order, with how much room, and why the others may not."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from junbi.core import demand
from junbi.core.admission import LEASE, Admission, Reservation, admit, chain
from junbi.core.facts import LaunchState
from junbi.core.plan import Queue, Workers
from junbi.core.quotas import Snapshot
from junbi.core.reasons import Code

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
HOLD = Queue(waits=True, aging=3600)
READ_AT = NOW - timedelta(seconds=30)


def amount(gpus: int) -> dict[str, str]:
    """So many GPUs, and CPUs and memory that go with them, as PAI tells them."""
    return {"CPU": str(gpus * 8), "Memory": f"{gpus * 30}Gi", "GPU": str(gpus)}


def quota(name: str = "q", has: int = 4, used: int = 0, parent: str = "", **details: Any) -> Snapshot:
    """A quota of so many GPUs, of which jobs hold some."""
    told = {"AllocatableQuota": amount(has), "AllocatedQuota": amount(used)} | details
    return Snapshot(name, "ECS", {"QuotaName": name, "ParentQuotaId": parent}, told, READ_AT, NOW)


def asking(
    launch: str, gpus: int = 1, *, to: str = "q", queue: Queue = HOLD, age: float = 0, **more: Any
) -> Reservation:
    """A launch of that age in seconds that asks for so many GPUs."""
    need = demand.demand(Workers(cpu=8 * gpus, memory=f"{30 * gpus}Gi", gpu=gpus))
    made_at = NOW - timedelta(seconds=age)
    values: dict[str, Any] = {"made_at": made_at, "asked_at": made_at} | more
    return Reservation(launch, 1, 0, to, need, queue, values.pop("priority", 1), **values)


def holding(launch: str, gpus: int, state: LaunchState, since: datetime, **more: Any) -> Reservation:
    """A launch that was let in and is in a state since then."""
    return replace(asking(launch, gpus, **more), held_at=since, state=state, since=since)


def let_in(decided: Admission) -> list[str]:
    """The launches that may go, in order."""
    return [one.launch for one in decided.admitted]


def decide(quotas: list[Snapshot], waiting: list[Reservation], held: tuple[Reservation, ...] = ()) -> Admission:
    """The decision now."""
    return admit({one.id: one for one in quotas}, held, waiting, NOW)


def test_as_many_as_there_is_room_for_the_oldest_first() -> None:
    """Four GPUs, three launches of two: the two oldest go, and the third is told what it lacks."""
    decided = decide([quota()], [asking("c", 2, age=1), asking("a", 2, age=3), asking("b", 2, age=2)])
    assert let_in(decided) == ["a", "b"]
    reason = decided.reasons["c"]
    assert reason.code == Code.WAITING_FOR_QUOTA
    assert reason.facts["gap"] == "16 CPU, 60Gi memory, 2 GPU"
    assert reason.facts["free"] == "0 CPU, 0Gi memory, 0 GPU"


def test_a_higher_priority_goes_before_an_older_launch() -> None:
    """Priority first, then age."""
    assert let_in(decide([quota(has=2)], [asking("old", 2, age=9), asking("urgent", 2, priority=9)])) == ["urgent"]


def test_who_does_not_fit_yet_is_passed_until_it_has_waited_for_too_long() -> None:
    """A large launch at the head lets small ones by at first, and none once it is older than its aging limit."""
    small = asking("small", 1)
    assert let_in(decide([quota(used=2)], [asking("large", 4, age=60), small])) == ["small"]
    decided = decide([quota(used=2)], [asking("large", 4, age=3600), small])
    assert let_in(decided) == []
    assert decided.reasons["small"].facts["behind"] == "large"


def test_a_job_that_the_reading_cannot_show_yet_is_counted_on_top_of_it() -> None:
    """Let in, on its way, or started after the reading: all hold what they asked for; one that is shown counts once."""
    states = {
        LaunchState.WAITING: NOW,
        LaunchState.SUBMIT_UNKNOWN: READ_AT - timedelta(hours=1),
        LaunchState.QUEUED: READ_AT - timedelta(hours=1),
        LaunchState.RUNNING: READ_AT,
    }
    for state, since in states.items():
        ours = holding("ours", 3, state, since)
        assert let_in(decide([quota(has=4)], [asking("next", 2)], (ours,))) == [], state
    shown = holding("ours", 3, LaunchState.RUNNING, READ_AT - timedelta(hours=1))
    assert let_in(decide([quota(has=4, used=3)], [asking("next", 1)], (shown,))) == ["next"]


def test_where_nothing_is_told_of_use_all_of_ours_count_in_full() -> None:
    """A quota whose workloads we may not see: better too few than too many."""
    blind = quota(has=4, AllocatedQuota=None)
    shown = holding("ours", 3, LaunchState.RUNNING, READ_AT - timedelta(hours=1))
    assert let_in(decide([blind], [asking("next", 2)], (shown,))) == []
    assert let_in(decide([blind], [asking("next", 1)], (shown,))) == ["next"]


def test_every_quota_above_has_to_have_room() -> None:
    """A nested quota lends nothing that its parent has not, though it is free itself."""
    parent, child = quota("root", has=4, used=3), quota("team", has=2, parent="root")
    decided = decide([parent, child], [asking("a", 2, to="team")])
    assert let_in(decided) == []
    assert "root" in decided.reasons["a"].message
    sibling = holding("b", 1, LaunchState.QUEUED, NOW, to="other")
    other = quota("other", has=2, parent="root")
    assert let_in(decide([parent, child, other], [asking("a", 1, to="team")], (sibling,))) == []


def test_others_who_use_a_quota_are_named_as_what_is_in_the_way() -> None:
    """QuotaContended where what others hold is enough to keep it out; else our own jobs are."""
    assert decide([quota(used=3)], [asking("a", 2)]).reasons["a"].code == Code.QUOTA_CONTENDED
    ours = holding("ours", 3, LaunchState.RUNNING, READ_AT - timedelta(hours=1))
    assert decide([quota(used=3)], [asking("a", 2)], (ours,)).reasons["a"].code == Code.WAITING_FOR_QUOTA


def test_what_pai_may_show_already_is_said_to_be_ours_and_makes_no_less_than_nothing_free() -> None:
    """Our own job, started just now and in PAI's figures already, is not blamed on others, and the gap is the need."""
    ours = holding("ours", 3, LaunchState.RUNNING, READ_AT)
    reason = decide([quota(used=3)], [asking("a", 2)], (ours,)).reasons["a"]
    assert reason.code == Code.WAITING_FOR_QUOTA
    assert reason.facts["free"] == "0 CPU, 0Gi memory, 0 GPU"
    assert reason.facts["gap"] == "16 CPU, 60Gi memory, 2 GPU"
    assert "0 CPU, 0Gi memory, 0 GPU is free" in reason.message
    assert "-" not in reason.message
    assert "24 CPU, 90Gi memory, 3 GPU of ours is counted beside what PAI showed" in reason.message
    assert "More is held" not in reason.message


def test_bc_107_a_quota_that_shrank_below_its_use_lets_nobody_in_and_says_so() -> None:
    """More is held than there is: no admission, and by how much."""
    reason = decide([quota(has=2, used=3)], [asking("a", 1)]).reasons["a"]
    assert "More is held than there is: 8 CPU, 30Gi memory, 1 GPU" in reason.message


def test_bc_112_the_reason_tells_need_used_limit_and_gap() -> None:
    """What a person asks first."""
    facts = decide([quota(has=8, used=5)], [asking("a", 5)]).reasons["a"].facts
    assert [facts[name].split(", ")[2] for name in ("need", "used", "limit", "gap")] == [
        "5 GPU",
        "5 GPU",
        "8 GPU",
        "2 GPU",
    ]


def test_pais_queue_gets_so_many_of_ours_and_no_more_in_our_order() -> None:
    """submit: whatever room there is, one of ours in PAI's queue at a time, and the next when it has left it."""
    queue = Queue(max_queued=1)
    waiting = [asking("b", 4, queue=queue, age=1), asking("a", 4, queue=queue, age=2)]
    decided = decide([quota(used=4)], waiting)
    assert let_in(decided) == ["a"]
    assert "max_queued" in decided.reasons["b"].message
    queued = holding("x", 4, LaunchState.QUEUED, NOW, queue=queue)
    assert let_in(decide([quota()], waiting, (queued,))) == []
    started = replace(queued, state=LaunchState.PREPARING)
    assert let_in(decide([quota()], waiting, (started,))) == ["a"]


def test_bc_109_nobody_passes_the_first_in_the_line_for_pais_queue() -> None:
    """A launch that may have more of ours beside it does not pass one that may not."""
    queued = holding("x", 1, LaunchState.QUEUED, NOW)
    first, second = asking("a", queue=Queue(), age=2), asking("b", queue=Queue(max_queued=9), age=1)
    assert let_in(decide([quota()], [first, second], (queued,))) == []


def test_what_is_held_for_a_launch_that_does_nothing_lapses() -> None:
    """A worker that died between being let in and submitting holds nothing for ever."""
    assert not holding("a", 1, LaunchState.WAITING, NOW - LEASE + timedelta(seconds=1)).lapsed(NOW)
    assert holding("a", 1, LaunchState.WAITING, NOW - LEASE).lapsed(NOW)
    assert not holding("a", 1, LaunchState.SUBMIT_UNKNOWN, NOW - LEASE).lapsed(NOW)


def test_quotas_that_are_nested_in_each_other_end_somewhere() -> None:
    """What PAI would have to have told wrongly is no endless loop."""
    quotas = {"a": quota("a", parent="b"), "b": quota("b", parent="a")}
    assert [one.id for one in chain(quotas, "a")] == ["a", "b"]


@settings(max_examples=300, deadline=None)
@given(
    st.lists(st.tuples(st.sampled_from(["team", "lab", "root"]), st.integers(1, 6), st.integers(1, 9), st.booleans())),
    st.integers(0, 8),
)
def test_whatever_waits_no_quota_and_none_above_it_is_given_twice(
    line: list[tuple[str, int, int, bool]], used: int
) -> None:
    """Of what was free before, the launches that were let in to wait for room take no more than there was."""
    quotas = {
        "root": quota("root", has=10, used=used),
        "team": quota("team", has=6, parent="root"),
        "lab": quota("lab", has=6, parent="root"),
    }
    waiting = [
        asking(str(number), gpus, to=to, priority=priority, age=4000 * old)
        for number, (to, gpus, priority, old) in enumerate(line)
    ]
    admitted = admit(quotas, (), waiting, NOW).admitted
    for name, free in (("root", 10 - used), ("team", 6), ("lab", 6)):
        taken = sum(one.need["GPU"] for one in admitted if name in {each.id for each in chain(quotas, one.quota)})
        assert taken <= max(free, 0)
    assert all(isinstance(one.need["GPU"], Decimal) for one in admitted)
