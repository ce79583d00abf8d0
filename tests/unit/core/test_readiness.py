"""All prerequisites of a launch at once, and which reason leads."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.core.plans import plan

from junbi.core.facts import CreateState, Pinned, Registration, Revision
from junbi.core.model import Check, Reason, State
from junbi.core.readiness import LaunchFacts, all_ready, evaluate, leading, only_pending
from junbi.core.reasons import Code

NOW = datetime(2026, 3, 1, tzinfo=UTC)
PLAN = plan()


def pinned(name: str, state: CreateState = CreateState.DONE) -> Pinned:
    """A dataset's revision with the digest ``<name>-digest``."""
    revision = Revision(f"rev-{name}", name, "v1", "b", f"{name}/v1/", {}, f"{name}-digest", 1, 1, NOW, NOW)
    return Pinned(revision, Registration(revision.id, state))


READY = LaunchFacts(
    plan=PLAN,
    workspace="1",
    workspace_status="ENABLED",
    instance_types=frozenset({"ecs.c6.large"}),
    pinned={name: pinned(name) for name in PLAN.datasets},
    listed={name: f"{name}-digest" for name in PLAN.datasets},
    request_size=2_000,
)


def reason_codes(facts: LaunchFacts) -> list[str]:
    """The codes of all that is not ready, in order."""
    return [check.reason.code for check in evaluate(facts) if not check.ready and check.reason is not None]


class TestEvaluate:
    """Every check, every time."""

    def test_all_that_holds_is_ready(self) -> None:
        """With every fact in place nothing stands in the way, and no reason leads."""
        checks = evaluate(READY)
        assert all_ready(checks)
        assert leading(checks) is None

    def test_there_is_a_check_for_each_prerequisite_and_dataset(self) -> None:
        """Names are unique, so that a person can tell which one it is."""
        names = [check.name for check in evaluate(READY)]
        assert len(set(names)) == len(names) == 6 + 2 * len(PLAN.datasets)

    def test_bc_5_all_failures_are_shown_at_once(self) -> None:
        """One failed prerequisite keeps no other from being evaluated."""
        broken = replace(
            READY,
            workspace_status="",
            instance_types=frozenset(),
            request_size=70_000,
            pinned={"digits": pinned("digits", CreateState.REFUSED), "labels": pinned("labels")},
            listed={"labels": "another"},
        )
        assert reason_codes(broken) == [
            Code.WORKSPACE_NOT_FOUND,
            Code.PUBLIC_RESOURCE_UNKNOWN,
            Code.REQUEST_TOO_LARGE,
            Code.NO_DATASET_VERSION,
            Code.DATASET_CHANGED,
            Code.DATASET_CHANGED,
        ]

    def test_a_removed_plan_is_all_there_is_to_say(self) -> None:
        """Without a plan there is nothing else to check, and it blocks."""
        checks = evaluate(replace(READY, plan=None))
        assert [check.state for check in checks] == [State.BLOCKED]
        assert not all_ready(checks)
        assert not only_pending(checks)

    def test_bc_17_a_plan_that_gained_an_input_is_not_run_without_it(self) -> None:
        """A launch is never submitted below the full set of what its plan trains on now."""
        checks = evaluate(replace(READY, pinned={"digits": pinned("digits")}))
        assert [check.state for check in checks] == [State.BLOCKED]
        assert reason_codes(replace(READY, pinned={"digits": pinned("digits")})) == [Code.PLAN_CHANGED]

    def test_before_the_last_listing_only_pending_is_left(self) -> None:
        """What costs most is looked at last: when all else is ready, unlisted datasets are pending."""
        checks = evaluate(replace(READY, listed={}))
        assert only_pending(checks)
        assert not all_ready(checks)

    @pytest.mark.parametrize(
        "facts",
        [
            replace(READY, workspace_status=None),
            replace(READY, instance_types=None),
            replace(READY, pinned={**READY.pinned, "labels": pinned("labels", CreateState.PENDING)}),
            replace(READY, listed={"digits": "another", "labels": "labels-digest"}),
        ],
    )
    def test_unknown_retry_and_blocked_are_neither_ready_nor_pending(self, facts: LaunchFacts) -> None:
        """Not being allowed to look is never taken for a pass."""
        checks = evaluate(facts)
        assert not all_ready(checks)
        assert not only_pending(checks)


def check(state: State, code: str) -> Check:
    """A check that is not ready."""
    return Check(f"{state} {code}", state, Reason(code, f"{state} {code}"))


PRECEDENCE = [
    check(State.BLOCKED, Code.PLAN_REMOVED),
    check(State.BLOCKED, Code.PLAN_CHANGED),
    check(State.BLOCKED, Code.WORKSPACE_NOT_FOUND),
    check(State.BLOCKED, Code.DATASET_CHANGED),
    check(State.BLOCKED, "NewerCode"),
    check(State.RETRY, Code.WORKSPACE_NOT_FOUND),
    check(State.RETRY, Code.NO_DATASET_VERSION),
    check(State.UNKNOWN, Code.WORKSPACE_NOT_FOUND),
    check(State.UNKNOWN, Code.PUBLIC_RESOURCE_UNKNOWN),
    check(State.PENDING, Code.PLAN_REMOVED),
    check(State.PENDING, Code.DATASET_CHANGED),
]


class TestLeading:
    """Which of several reasons is shown first."""

    @pytest.mark.parametrize("place", range(len(PRECEDENCE)))
    def test_bc_116_precedence(self, place: int) -> None:
        """Blocked before Retry before Unknown before Pending, then the table's order; codes of later versions last."""
        assert leading(PRECEDENCE[place:]) == PRECEDENCE[place].reason

    def test_it_does_not_depend_on_the_order_of_checks(self) -> None:
        """However the checks are sorted, the same reason leads."""
        some = PRECEDENCE[1:8:2]
        assert {leading(order).code for order in permutations(some)} == {some[0].reason.code}  # type: ignore[union-attr]

    def test_what_is_ready_never_leads(self) -> None:
        """A ready check with a remark does not hide what stands in the way."""
        ready = Check("plan", State.READY, Reason(Code.PLAN_REMOVED, "remark"))
        assert leading([ready, PRECEDENCE[-1]]) == PRECEDENCE[-1].reason
        assert leading([ready]) is None

    @given(st.lists(st.sampled_from(PRECEDENCE), max_size=6))
    def test_something_leads_unless_all_is_ready(self, checks: list[Check]) -> None:
        """A launch that is not running always has a reason."""
        assert (leading(checks) is None) == all_ready(checks)
