"""Who may leave the queues of quotas, as the emulated PAI decides it."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest

from junbi.emulator.quota.amounts import Amount
from junbi.emulator.quota.dequeue import STRICT_FIFO, dequeue
from junbi.emulator.quota.workload import Workload
from junbi.wire.quotas import Quota

MOMENT = datetime(2026, 11, 30, 9, 0, tzinfo=UTC)


def quota(key: str, gpus: int, parent: str = "", *, others: int = 0, **members: object) -> Quota:
    """A quota of so many GPUs, of which others hold some."""
    amounts = {"AllocatableQuota": {"GPU": str(gpus)}, "AllocatedQuota": {"GPU": str(others)}}
    return Quota.from_wire(
        {"QuotaId": key, "ParentQuotaId": parent, "Status": "Ready", "QuotaDetails": amounts, **members}
    )


def waits(key: str, gpus: int, of: str = "q", *, priority: int = 1, since: float = 0) -> Workload:
    """A job in the queue of a quota that needs so many GPUs."""
    return Workload(
        workload_id=key,
        name=key,
        quota_id=of,
        workspace_id="104231",
        user_id="1",
        priority=priority,
        needs=Amount(gpu=Decimal(gpus)),
        status="Queuing",
        created=MOMENT,
        enqueued=MOMENT + timedelta(seconds=since),
        dequeued=None,
        queued=True,
        holds=False,
    )


def holds(key: str, gpus: int, of: str = "q") -> Workload:
    """A job that has its share."""
    return replace(waits(key, gpus, of), status="Running", dequeued=MOMENT, queued=False, holds=True)


def gone(quotas: list[Quota], *workloads: Workload) -> set[str]:
    """Who may go."""
    return set(dequeue({one.quota_id or "": one for one in quotas}, workloads).go)


def reasons(quotas: list[Quota], *workloads: Workload) -> dict[str, tuple[str, str]]:
    """Why the others may not."""
    found = dequeue({one.quota_id or "": one for one in quotas}, workloads).waits
    return {key: (wait.code, wait.reason) for key, wait in found.items()}


def test_a_job_goes_when_all_its_pods_fit() -> None:
    """To the last GPU, and not a GPU more."""
    assert gone([quota("q", 4)], waits("a", 4)) == {"a"}
    assert gone([quota("q", 4)], waits("a", 5)) == set()


def test_what_one_takes_is_not_there_for_the_next() -> None:
    """In one look, too: two that fit alone do not both go."""
    assert gone([quota("q", 4)], waits("a", 3), waits("b", 2, since=1)) == {"a"}


def test_what_others_and_ours_hold_is_not_free() -> None:
    """The stand-ins of the document and the jobs here are counted on top of each other."""
    assert gone([quota("q", 4, others=2)], holds("x", 1), waits("a", 1)) == {"a"}
    assert gone([quota("q", 4, others=2)], holds("x", 1), waits("a", 2)) == set()


def test_who_asks_for_nothing_of_what_is_overdrawn_goes() -> None:
    """A quota that was made smaller than what is held of it keeps only those who want more of that."""
    room = {"AllocatableQuota": {"CPU": "8", "GPU": "1"}, "AllocatedQuota": {"GPU": "2"}}
    job = replace(waits("a", 0), needs=Amount(cpu=Decimal(8)))
    assert gone([quota("q", 0, QuotaDetails=room)], job, waits("b", 1)) == {"a"}


def test_every_quota_above_must_have_room() -> None:
    """A nested quota is no use where what it is nested in is used up, at any depth, and the reason names that one."""
    nested = [quota("top", 4), quota("middle", 4, "top"), quota("q", 4, "middle")]
    assert gone(nested, holds("x", 3, "top"), waits("a", 1)) == {"a"}
    assert gone(nested, holds("x", 3, "top"), waits("a", 2)) == set()
    assert reasons(nested, holds("x", 4, "top"), waits("a", 1)) == {
        "a": ("AncestorQuotaLimit", "quota top has 0 of 1 GPU free")
    }


def test_what_a_nested_quota_holds_is_held_of_the_outer() -> None:
    """By the jobs here as by others, whether or not the outer quota's document tells of them."""
    nested = [quota("top", 4), quota("q", 2, "top")]
    assert gone(nested, holds("x", 2), waits("a", 3, "top")) == set()
    nested[1] = quota("q", 2, "top", others=2)
    assert gone(nested, waits("a", 3, "top")) == set()
    nested[0] = quota("top", 4, others=2)
    assert gone(nested, waits("a", 2, "top")) == {"a"}


def test_two_nested_quotas_share_the_outer() -> None:
    """What the first lets out in a look, the second cannot."""
    nested = [quota("top", 2), quota("left", 2, "top"), quota("right", 2, "top")]
    assert gone(nested, waits("a", 2, "left", since=1), waits("b", 2, "right")) == {"b"}


def test_the_higher_priority_goes_first_then_who_came_first() -> None:
    """Whatever the ids are, and in whatever order they are told."""
    one = [quota("q", 1)]
    assert gone(one, waits("a", 1), waits("b", 1, priority=9, since=5)) == {"b"}
    assert gone(one, waits("a", 1, since=2), waits("b", 1, since=1)) == {"b"}


@pytest.mark.parametrize("strategy", ["PaiStrategyIntelligent", "PaiStrategyBalance", None])
def test_a_smaller_one_passes(strategy: str | None) -> None:
    """Unless the strategy is strict, one that does not fit holds nobody up."""
    assert gone([quota("q", 4, QueueStrategy=strategy)], waits("a", 5), waits("b", 1, since=1)) == {"b"}


def test_under_strict_fifo_nothing_passes_the_first_that_waits() -> None:
    """In that quota; another one's queue goes on. The reason names who is in front."""
    quotas = [quota("q", 4, QueueStrategy=STRICT_FIFO), quota("other", 1)]
    line = [waits("a", 5), waits("b", 1, since=1), waits("c", 1, "other", since=2)]
    assert gone(quotas, *line) == {"c"}
    found = reasons(quotas, *line)
    assert found["a"] == ("SelfQuotaLimit", "quota q has 4 of 5 GPU free")
    assert (found["b"][0], "a waits first" in found["b"][1]) == ("QueueStrategyLimit", True)


@pytest.mark.parametrize(
    ("quotas", "code"), [([], "QuotaNotFound"), ([quota("q", 4, Status="Creating")], "QuotaNotReady")]
)
def test_a_quota_that_is_gone_or_not_ready_lets_nobody_out(quotas: list[Quota], code: str) -> None:
    """The job stays where it is, with the reason."""
    assert gone(quotas, waits("a", 1)) == set()
    assert reasons(quotas, waits("a", 1))["a"][0] == code


def test_quotas_nested_in_a_circle_are_looked_through_once() -> None:
    """The control API can write that; it ends all the same."""
    circle = [quota("q", 4, "p"), quota("p", 4, "q")]
    assert gone(circle, waits("a", 4)) == {"a"}


def test_each_resource_that_is_short_is_named() -> None:
    """With what is free and what is asked, as PAI writes amounts."""
    room = {"AllocatableQuota": {"CPU": "16", "Memory": "60Gi", "GPU": "1"}, "AllocatedQuota": {"CPU": "17"}}
    need = Amount(Decimal("0.5"), Decimal(64 * 2**30), Decimal(1))
    found = reasons([quota("q", 0, QuotaDetails=room)], replace(waits("a", 0), needs=need))
    assert found["a"][1] == "quota q has 0 of 0.5 CPU, 60Gi of 64Gi memory free"
