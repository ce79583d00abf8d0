"""One prerequisite each: what makes it ready, what blocks it, what only waits."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from junbi.core.facts import CreateState, Pinned, Registration, Revision
from junbi.core.model import Check, Reason, State
from junbi.core.plan import JobTemplate, PlanSpec, Resource, Workers
from junbi.core.reasons import Code
from junbi.core.rules import (
    dataset_unchanged,
    dataset_version,
    plan_present,
    public_resource,
    request_size,
    workspace,
)

NOW = datetime(2026, 3, 1, tzinfo=UTC)
CPU = Resource(name="cpu", public="ecs.c6.large")
PLAN = PlanSpec(
    name="train",
    on=("digits",),
    datasets=("digits",),
    mounts={"digits": "/mnt/digits"},
    image="torch",
    resource=CPU,
    job=JobTemplate(type="TFJob", workers=Workers(), command="train"),
)
REVISION = Revision("rev-1", "digits", "v1", "b", "digits/v1/", {}, "d1", 1, 1, NOW, NOW)


def pinned(state: CreateState, reason: Reason | None = None) -> Pinned:
    """The revision with its registration in a state."""
    return Pinned(REVISION, Registration("rev-1", state, reason=reason))


def told(check: Check) -> Reason:
    """The reason of a check that is not ready, which it must have."""
    assert check.reason is not None
    return check.reason


CASES = {
    "plan there": (plan_present.check(PLAN, ["digits"]), State.READY, ""),
    "plan removed": (plan_present.check(None, ["digits"]), State.BLOCKED, Code.PLAN_REMOVED),
    "plan with another input": (plan_present.check(PLAN, ["digits", "labels"]), State.BLOCKED, Code.PLAN_CHANGED),
    "plan with one input more": (plan_present.check(PLAN, []), State.BLOCKED, Code.PLAN_CHANGED),
    "plan with a new placeholder": (
        plan_present.check(PLAN, ["digits"], ["digits.day"]),
        State.BLOCKED,
        Code.PLAN_CHANGED,
    ),
    "workspace enabled": (workspace.check("1", "ENABLED"), State.READY, ""),
    "workspace missing": (workspace.check("1", ""), State.BLOCKED, Code.WORKSPACE_NOT_FOUND),
    "workspace frozen": (workspace.check("1", "FROZEN"), State.BLOCKED, Code.WORKSPACE_NOT_FOUND),
    "workspace unreadable": (workspace.check("1", None), State.UNKNOWN, Code.WORKSPACE_NOT_FOUND),
    "type there": (public_resource.check(CPU, frozenset({"a", "ecs.c6.large"})), State.READY, ""),
    "type missing": (public_resource.check(CPU, frozenset()), State.BLOCKED, Code.PUBLIC_RESOURCE_UNKNOWN),
    "types unreadable": (public_resource.check(CPU, None), State.UNKNOWN, Code.PUBLIC_RESOURCE_UNKNOWN),
    "request not built": (request_size.check(0), State.PENDING, Code.REQUEST_TOO_LARGE),
    "request small": (request_size.check(1), State.READY, ""),
    "request at the limit": (request_size.check(65_536), State.READY, ""),
    "request over it": (request_size.check(65_537), State.BLOCKED, Code.REQUEST_TOO_LARGE),
    "registered": (dataset_version.check("digits", pinned(CreateState.DONE)), State.READY, ""),
    "registering": (dataset_version.check("digits", pinned(CreateState.PENDING)), State.RETRY, Code.NO_DATASET_VERSION),
    "being sent": (
        dataset_version.check("digits", pinned(CreateState.SUBMITTING)),
        State.RETRY,
        Code.NO_DATASET_VERSION,
    ),
    "answer lost": (dataset_version.check("digits", pinned(CreateState.UNKNOWN)), State.RETRY, Code.NO_DATASET_VERSION),
    "refused": (dataset_version.check("digits", pinned(CreateState.REFUSED)), State.BLOCKED, Code.NO_DATASET_VERSION),
    "members the same": (dataset_unchanged.check("digits", REVISION, "d1"), State.READY, ""),
    "members not listed": (dataset_unchanged.check("digits", REVISION, None), State.PENDING, Code.DATASET_CHANGED),
    "members changed": (dataset_unchanged.check("digits", REVISION, "d2"), State.BLOCKED, Code.DATASET_CHANGED),
    "members gone": (dataset_unchanged.check("digits", REVISION, ""), State.BLOCKED, Code.DATASET_CHANGED),
}


@pytest.mark.parametrize(("check", "state", "code"), CASES.values(), ids=CASES)
def test_each_fact_has_its_state(check: Check, state: State, code: str) -> None:
    """Ready has no reason; everything else has one with the rule's code and a message."""
    assert check.state is state
    assert (check.reason.code if check.reason else "") == code
    assert check.reason is None or check.reason.message


@pytest.mark.parametrize("case", [case for case in CASES if CASES[case][1] is State.BLOCKED and case != "refused"])
def test_what_blocks_says_what_to_do_and_what_wakes_it(case: str) -> None:
    """Blocked is until somebody changes something: the reason says what, and when it is looked at again."""
    reason = told(CASES[case][0])
    assert reason.fix
    assert reason.wakes


@pytest.mark.parametrize("case", [case for case in CASES if CASES[case][1] is State.UNKNOWN])
def test_what_we_may_not_see_names_the_right_to_grant(case: str) -> None:
    """Unknown is said with the RAM action that is missing."""
    assert "Grant pai" in told(CASES[case][0]).fix


def test_a_near_name_is_proposed() -> None:
    """A slip of the pen in an instance type is answered with the types it may mean."""
    reason = told(public_resource.check(CPU, frozenset({"ecs.c6.largee", "ecs.gn7i-c8g1.2xlarge"})))
    assert "ecs.c6.largee" in reason.fix


def test_a_request_that_is_too_large_says_by_how_much() -> None:
    """Need, limit and gap in bytes."""
    assert told(request_size.check(65_546)).facts == {"need": "65546", "limit": "65536", "gap": "10"}


def test_a_changed_dataset_names_place_and_both_digests() -> None:
    """What it was pinned to and what is there now."""
    reason = told(dataset_unchanged.check("digits", REVISION, "d2"))
    assert "oss://b/digits/v1/" in reason.message
    assert reason.facts == {"pinned": "d1", "now": "d2"}


def test_a_refused_registration_is_told_in_the_words_of_pai() -> None:
    """The reason of the registration is the reason of the launch, with its advice."""
    said = Reason(Code.PLATFORM_REFUSED, "Quota of datasets exceeded.", fix="Delete old ones.")
    reason = told(dataset_version.check("digits", pinned(CreateState.REFUSED, said)))
    assert "Quota of datasets exceeded." in reason.message
    assert reason.fix == "Delete old ones."


def test_a_registration_that_failed_for_now_is_told() -> None:
    """While it is tried again the launch shows why the last try failed."""
    said = Reason(Code.CALL_FAILED, "CreateDataset: Throttling.", wakes="another try")
    assert told(dataset_version.check("digits", pinned(CreateState.PENDING, said))) == said
