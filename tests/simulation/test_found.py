"""What the simulation found, each as a short story of its own that must never end that way again."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest
from tests.simulation.people import dataset
from tests.simulation.stage import Held, Interrupted

from junbi.core.facts import CreateState, LaunchState
from junbi.pipeline import call, work
from junbi.pipeline.apply import apply

if TYPE_CHECKING:
    from tests.simulation.stage import Stage


def test_absence_is_judged_by_when_the_listing_was_made(stage: Stage) -> None:
    """A worker lists no job, is paused while a late copy makes one, and wakes after settling: that job stays alone."""
    stage.upload()
    held = Held(stage.dlc, "create_job")
    work.tick(stage.ports(dlc=held))
    stage.time.pass_(700.0)

    def meanwhile() -> None:
        stage.time.pass_(150.0)
        held.arrive()
        stage.time.pass_(400.0)

    work.tick(stage.ports(dlc=Interrupted(stage.dlc, "find_jobs", meanwhile)))
    stage.settle()
    assert [job.launch for job in stage.dlc.jobs] == [one.id for one in stage.ledger.launches.newest()]


def test_a_try_is_as_old_as_its_signature(stage: Stage) -> None:
    """A worker is paused before it signs: settling counts from the signature, which is valid for so much longer."""
    stage.upload()
    work.tick(stage.ports())
    stage.upload("v2")
    held = Held(stage.dlc, "create_job")
    paused = stage.ports(dlc=held)
    clock = paused.own_clock

    def slow() -> Any:
        stage.time.pass_(200.0)
        return clock()

    paused.own_clock = slow
    work.tick(paused)
    stage.time.pass_(1030.0 - 200.0)
    work.tick(stage.ports())
    stage.time.pass_(40.0)
    held.arrive()
    stage.settle()
    assert len(stage.dlc.jobs) == 2


def test_a_registration_that_was_begun_is_ended_before_an_older_one(stage: Stage) -> None:
    """The ledger's clock steps back, so the second upload looks older: the dataset is still made once."""
    stage.upload("v2")
    held = Held(stage.workspace, "create_dataset")
    work.tick(stage.ports(workspace=held))
    stage.time.pass_(1.0)
    stage.ledger_clock.offset -= timedelta(seconds=10)
    stage.upload("v1")
    for _ in range(3):
        stage.time.pass_(6.0)
        work.tick(stage.ports())
    held.arrive()
    stage.settle()
    assert len(stage.workspace.datasets) == 1
    states = [stage.ledger.revisions.registration(one.id).state for one in stage.ledger.revisions.newest()]
    assert states == [CreateState.DONE, CreateState.DONE]


def test_a_dataset_that_was_made_meanwhile_is_used(stage: Stage) -> None:
    """A worker found no dataset and is paused; an upload that looks older makes it: it gets a second version."""
    stage.upload("v2")

    def meanwhile() -> None:
        if stage.workspace.datasets:
            return
        stage.ledger_clock.offset -= timedelta(seconds=10)
        stage.upload("v1")
        work.tick(stage.ports())

    work.tick(stage.ports(workspace=Interrupted(stage.workspace, "find_dataset", meanwhile)))
    stage.settle()
    (made,) = stage.workspace.datasets
    assert len(made.versions) == 2


def test_a_plan_that_is_removed_while_its_launch_is_checked_is_not_submitted(stage: Stage) -> None:
    """'junbi apply' removes the plan between the checks and the submission: the launch waits and says PlanRemoved."""
    stage.upload()

    def meanwhile() -> None:
        (revision,) = stage.ledger.revisions.newest()
        if stage.ledger.revisions.registration(revision.id).state is not CreateState.DONE:
            return  # that look is not the one that submits
        if not stage.people.plans:
            return  # it is removed once
        stage.people.plans = {}
        apply(stage.ledger, stage.people.generation())

    work.tick(stage.ports(dlc=Interrupted(stage.dlc, "list_instance_types", meanwhile)))
    stage.settle()
    (launch,) = stage.ledger.launches.newest()
    assert launch.state is LaunchState.WAITING
    assert launch.reason is not None
    assert launch.reason.code == "PlanRemoved"
    assert not stage.dlc.jobs


@pytest.mark.parametrize("told", [True, False])
def test_a_call_that_comes_while_an_earlier_one_is_acted_upon_is_heard(stage: Stage, told: bool) -> None:  # noqa: FBT001
    """A file came after the first call, whether its event did or not; the second call, during a listing, is for it."""
    stage.people.datasets = {"digits": dataset("digits", "version", call=True)}
    apply(stage.ledger, stage.people.generation())
    stage.time.pass_(30.0)
    stage.put("part-0")
    call.close(stage.ledger, "oss://data/digits/v1/", "Ada")
    calls = ["second"]

    def meanwhile() -> None:
        if calls:
            calls.clear()
            stage.time.pass_(5.0)
            stage.put("part-1") if told else stage.oss.put("digits/v1/part-1", "part-1")
            stage.time.pass_(5.0)
            call.close(stage.ledger, "oss://data/digits/v1/", "Ada")

    work.tick(stage.ports(objects=Interrupted(stage.oss, "list_page", meanwhile)))
    stage.settle()
    assert [one.members for one in stage.ledger.revisions.newest()] == [2]
    assert len(stage.dlc.jobs) == 1
