"""Several lines at once: quotas that share a parent, plans that wait in different ways, and what people are told."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.unit.core.test_admission import NOW, asking, decide, holding, let_in, quota

from junbi.core import demand
from junbi.core.facts import LaunchState
from junbi.core.plan import Queue, Workers
from junbi.core.reasons import Code

OLD = 7200
TREE = [quota("root", has=8), quota("a", has=4, used=4, parent="root"), quota("b", has=4, parent="root")]


def test_who_waits_for_too_long_in_one_quota_holds_up_nobody_in_the_next_who_fits_beside_it() -> None:
    """One team's quota is full, and the other team's is empty: it is used, but for what the first one needs above."""
    line = [asking("old", 4, to="a", age=OLD), asking("small", 2, to="b", age=1), asking("late", 2, to="b")]
    assert let_in(decide(TREE, line)) == ["small", "late"]
    narrow = [quota("root", has=6), *TREE[1:]]
    decided = decide(narrow, line)
    assert let_in(decided) == ["small"]
    assert decided.reasons["late"].facts == {"behind": "old"}


def test_room_is_kept_for_who_waits_for_too_long_from_pais_queue_as_well() -> None:
    """A plan that hands to PAI's queue passes one that is held here for too long only where it fits beside it."""
    old = asking("old", 4, age=OLD)
    assert let_in(decide([quota(used=2)], [old, asking("small", queue=Queue())])) == []
    assert let_in(decide([quota(used=2)], [asking("old", 4, age=60), asking("small", queue=Queue())])) == ["small"]


def test_whose_turn_it_is_in_pais_queue_of_a_quota_is_nothing_to_those_nested_in_it() -> None:
    """PAI's queue of the parent has enough of ours; the child has room."""
    queued = holding("queued", 1, LaunchState.QUEUED, NOW, to="root")
    waits = [asking("head", to="root", queue=Queue(), age=9), asking("child", to="b")]
    assert let_in(decide(TREE, waits, (queued,))) == ["child"]


def test_a_job_without_gpus_is_not_kept_out_by_gpus_that_are_over_committed() -> None:
    """A resource of which a job needs none is never too little for it."""
    over = quota(used=4, AllocatableQuota={"CPU": "64", "Memory": "240Gi", "GPU": "2"})
    need = demand.demand(Workers(cpu=8, memory="8Gi"))
    assert let_in(decide([over], [replace(asking("cpus"), need=need)])) == ["cpus"]


@pytest.mark.parametrize("queue", [Queue(), Queue(waits=True)])
def test_a_quota_that_is_not_listed_lends_nothing(queue: Queue) -> None:
    """Whichever way launches wait for it, and however many do."""
    decided = decide([quota("other")], [asking(name, queue=queue) for name in "abc"])
    assert let_in(decided) == []
    assert {one.code for one in decided.reasons.values()} == {Code.QUOTA_NOT_FOUND}


@pytest.mark.parametrize(
    ("queued", "said"),
    [(1, "1 of our launches is in PAI's queue"), (2, "2 of our launches are in PAI's queue")],
)
def test_what_is_said_of_pais_queue_is_a_sentence(queued: int, said: str) -> None:
    """For one of ours and for several: what the plan that waits allows may be less than what another let in."""
    held = tuple(holding(str(number), 1, LaunchState.QUEUED, NOW) for number in range(queued))
    assert decide([quota()], [asking("next", queue=Queue())], held).reasons["next"].message.startswith(said)
