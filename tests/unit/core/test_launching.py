"""Which launch a plan wants for a new revision."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from itertools import product
from typing import TYPE_CHECKING

import pytest
from tests.unit.core.plans import plan

from junbi.core import launching
from junbi.core.facts import Launch, LaunchState, Revision
from junbi.core.model import Reason
from junbi.core.reasons import Code

if TYPE_CHECKING:
    from junbi.core.plan import PlanSpec

NOW = datetime(2026, 3, 1, tzinfo=UTC)
PLAN = plan(params={"lr": 0.1})


def revision(dataset: str, label: str = "v1") -> Revision:
    """A revision of a dataset."""
    return Revision(f"rev-{dataset}-{label}", dataset, label, "b", f"{dataset}/{label}/", {}, "d", 1, 1, NOW, NOW)


DIGITS, LABELS = revision("digits"), revision("labels")
HEADS = {"digits": DIGITS, "labels": LABELS}


def wanted(heads: dict[str, Revision], new: Revision = DIGITS, plan: PlanSpec = PLAN) -> Launch:
    """The launch that is wanted; fails where none is."""
    launch = launching.wanted(plan, new, heads, 7, NOW)
    assert isinstance(launch, Launch)
    return launch


def refusal(heads: dict[str, Revision | None], new: Revision = DIGITS) -> Reason:
    """Why no launch is wanted; fails where one is."""
    reason = launching.wanted(PLAN, new, heads, 7, NOW)
    assert isinstance(reason, Reason)
    return reason


class TestWanted:
    """What a revision calls for."""

    def test_with_every_input_there_a_launch_is_wanted(self) -> None:
        """It waits, pins every input, and carries the plan as declared, its generation and its time."""
        launch = wanted(HEADS)
        assert launch.pins == {"digits": DIGITS.id, "labels": LABELS.id}
        assert (launch.state, launch.spec, launch.params) == (LaunchState.WAITING, PLAN, {"lr": 0.1})
        assert (launch.generation, launch.created_at, launch.rerun, launch.row) == (7, NOW, 0, 0)

    def test_bc_1_two_workers_want_the_same_launch(self) -> None:
        """Whoever decides, and whenever: the id is the same, so the ledger takes one."""
        later = launching.wanted(PLAN, DIGITS, HEADS, 8, NOW.replace(year=2027))
        assert isinstance(later, Launch)
        assert later.id == wanted(HEADS).id

    def test_bc_17_every_input_must_exist(self) -> None:
        """Sixteen inputs in any state of arrival: a launch only with the full set, whichever comes last."""
        names = tuple(f"d{number}" for number in range(16))
        plan = PLAN.model_copy(update={"on": names, "datasets": names})
        for missing in names:
            heads = {name: None if name == missing else revision(name) for name in names}
            reason = launching.wanted(plan, revision(names[0 if missing != names[0] else 1]), heads, 1, NOW)
            assert isinstance(reason, Reason)
            assert reason.code == Code.NO_DATASET_VERSION
            assert f"version of {missing}." in reason.message
        assert wanted({name: revision(name) for name in names}, revision("d5"), plan)

    def test_all_that_is_missing_is_named(self) -> None:
        """The reason names each missing input and what to do."""
        reason = refusal({"digits": None, "labels": None})
        assert "digits and labels" in reason.message
        assert reason.fix
        assert reason.wakes

    def test_an_older_version_launches_nothing(self) -> None:
        """A late v1 while v2 is the newest is told as older, naming both."""
        reason = refusal({**HEADS, "digits": revision("digits", "v2")})
        assert reason.code == Code.OLDER_VERSION
        assert "v1" in reason.message
        assert "v2" in reason.message

    def test_the_newest_of_the_other_inputs_is_pinned(self) -> None:
        """The revision that came is pinned, and of the others the newest."""
        assert wanted({**HEADS, "labels": revision("labels", "v5")}).pins["labels"] == "rev-labels-v5"

    def test_an_input_that_the_plan_does_not_name_is_not_pinned(self) -> None:
        """Only what the plan trains on is part of its launch."""
        alone = PLAN.model_copy(update={"datasets": ("digits",)})
        assert wanted({"digits": DIGITS}, plan=alone).pins == {"digits": DIGITS.id}


class TestAlready:
    """Launches that exist."""

    STANDING = replace(wanted(HEADS), job_id="dlc1", state=LaunchState.RUNNING)

    def test_nothing_stands_in_the_way_of_a_first_launch(self) -> None:
        """Neither the same identity nor the same trigger."""
        assert launching.already(PLAN, DIGITS, None, None) is None

    @pytest.mark.parametrize("state", LaunchState)
    @pytest.mark.parametrize("new", [DIGITS, LABELS])
    def test_bc_2_the_same_identity_is_launched_once(self, state: LaunchState, new: Revision) -> None:
        """In whatever state the first one is, also after its end; the reason names launch and job."""
        standing = replace(self.STANDING, state=state)
        reason = launching.already(PLAN, new, standing, standing)
        assert reason is not None
        assert reason.code == Code.ALREADY_LAUNCHED
        assert standing.id in reason.message
        assert "dlc1" in reason.message
        assert reason.facts == {"launch": standing.id}

    def test_a_launch_without_a_job_is_named_without_one(self) -> None:
        """A waiting launch has no job to name."""
        reason = launching.already(PLAN, DIGITS, replace(self.STANDING, job_id=""), None)
        assert reason is not None
        assert "job" not in reason.message

    def test_another_identity_is_launched_though_the_trigger_is_the_same(self) -> None:
        """New parameters and a new upload of what starts the plan: a new launch."""
        assert launching.already(PLAN, DIGITS, None, self.STANDING) is None

    def test_an_input_outside_on_starts_a_plan_only_once(self) -> None:
        """Its first version may be what the plan waited for; its next versions start nothing, even with new params."""
        assert launching.already(PLAN, LABELS, None, None) is None
        reason = launching.already(PLAN, LABELS, None, self.STANDING)
        assert reason is not None
        assert reason.code == Code.ALREADY_LAUNCHED

    @pytest.mark.parametrize(("in_on", "same", "trigger"), list(product([True, False], repeat=3)))
    def test_table(self, *, in_on: bool, same: bool, trigger: bool) -> None:
        """Made unless the identity exists, or the trigger does and the input is not in ``on``."""
        reason = launching.already(
            PLAN, DIGITS if in_on else LABELS, self.STANDING if same else None, self.STANDING if trigger else None
        )
        assert (reason is None) == (not same and (in_on or not trigger))
