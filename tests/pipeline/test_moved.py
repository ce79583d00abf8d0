"""Another workspace in junbi.yaml, datasets deleted in PAI: what was sent is looked for where it went."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from junbi.core.facts import CreateState, LaunchState
from junbi.pipeline import follow

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tests.pipeline.conftest import World

ELSEWHERE = "204231"


def move(world: World, **where: str) -> None:
    """Apply the same plans for another workspace or region."""
    wanted = world.generation([world.dataset()], [world.plan()])
    world.apply(wanted.model_copy(update=where or {"workspace": ELSEWHERE}))


def test_a_submission_without_an_answer_is_looked_for_where_it_was_sent(world: World) -> None:
    """The job runs in the former workspace: it is found there, and no second one is submitted."""
    world.fault("dlc.CreateJob", when="after", effect="close")
    world.deliver(world.upload())
    world.reconcile()
    assert world.launches[0].state is LaunchState.SUBMIT_UNKNOWN
    move(world)
    world.settle()
    (job,) = world.jobs
    assert (world.launches[0].state, world.launches[0].job_id) == (LaunchState.SUBMITTED, job.job_id)


class Listening:
    """A DLC client that notes where jobs are listed."""

    def __init__(self, client: Any) -> None:
        self._client = client
        self.workspaces: list[str] = []

    def list_jobs_by_ids(self, workspace: str, ids: Iterable[str]) -> list[Any]:
        """Note it."""
        self.workspaces.append(workspace)
        return list(self._client.list_jobs_by_ids(workspace, ids))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._client, name)


def test_a_job_is_followed_where_it_runs(world: World) -> None:
    """An active job stays in the workspace that it was submitted to, whatever junbi.yaml says since."""
    world.deliver(world.upload())
    world.reconcile()
    move(world)
    dlc = Listening(world.ports().dlc)
    follow.tick(world.ports(dlc=dlc))
    assert dlc.workspaces == ["104231"]


def test_a_job_is_stopped_in_the_region_it_runs_in(world: World) -> None:
    """Each region has a client of its own; that of the region in force knows no job of another."""
    world.deliver(world.upload())
    world.reconcile()
    move(world, region="cn-shanghai")
    follow.tick(world.ports(dlc=None))


def test_a_dataset_of_another_workspace_takes_no_new_version(world: World) -> None:
    """A later version is registered in the workspace in force, under a dataset of its own."""
    world.deliver(world.upload())
    world.settle(ticks=1)
    move(world)
    world.deliver(world.upload("v2"))
    world.settle(ticks=3)
    (dataset,) = world.datasets()
    assert len(world.versions(dataset.dataset_id)) == 1
    newest = world.ledger.revisions.of("digits")[-1]
    registration = world.ledger.revisions.registration(newest.id)
    assert (registration.state is CreateState.DONE, registration.dataset_id) == (False, "")


def test_a_version_of_another_workspace_is_registered_again_for_a_launch(world: World) -> None:
    """A launch that waits is not given the dataset id of a workspace that is no longer in force."""
    world.fault("dlc.CreateJob", effect="error", status=400, code="InvalidParameter", times=1)
    world.deliver(world.upload())
    world.settle(ticks=1)
    before = world.ledger.revisions.registration(world.ledger.revisions.of("digits")[0].id)
    assert (before.state, before.workspace) == (CreateState.DONE, "104231")
    move(world)
    world.settle(ticks=3)
    after = world.ledger.revisions.registration(before.revision)
    assert (after.state is CreateState.DONE, after.dataset_id) == (False, "")
    move(world, workspace="104231")
    world.settle(ticks=6)
    assert world.launches[0].state is LaunchState.SUBMITTED
    assert [one.dataset_id for one in world.datasets()] == [before.dataset_id]


def test_a_dataset_that_was_deleted_in_pai_is_made_again(world: World) -> None:
    """Its later versions are not held up for ever: the id is forgotten, which is told, and a new dataset is made."""
    world.deliver(world.upload())
    world.settle(ticks=1)
    (old,) = world.datasets()
    world.cloud.dlc.workspace.datasets.delete(old.dataset_id)
    world.advance(3600)
    world.deliver(world.upload("v2"))
    world.settle(ticks=6)
    (new,) = world.datasets()
    assert new.dataset_id != old.dataset_id
    assert world.launches[-1].state is LaunchState.SUBMITTED
    assert any(old.dataset_id in one["message"] and one["code"] == "CallFailed" for one in world.ledger.stories())


def test_a_young_dataset_is_not_given_up(world: World) -> None:
    """One that was just made may not be shown yet; it is waited for, and the registration says why it waits."""
    world.deliver(world.upload())
    world.settle(ticks=1, step=1)
    fault = {"effect": "error", "status": 404, "code": "NotFound", "message": "no dataset"}
    world.fault("aiworkspace.ListDatasetVersions", times=3, **fault)
    world.deliver(world.upload("v2"))
    world.settle(ticks=1, step=1)
    registration = world.ledger.revisions.registration(world.ledger.revisions.of("digits")[-1].id)
    assert registration.reason is not None
    assert "no dataset" in registration.reason.message
    world.settle(ticks=4, step=30)
    assert len(world.datasets()) == 1
    assert world.launches[-1].state is LaunchState.SUBMITTED
