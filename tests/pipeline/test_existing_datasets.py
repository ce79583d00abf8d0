"""Datasets that PAI has already: a plan mounts one version of them, by id, and never starts because of them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest
from tests.pipeline.test_policies import arrive, code

from junbi.core.facts import LaunchState
from junbi.core.plan import ExistingDataset
from junbi.pipeline import input_views, launch_views, views
from junbi.wire.aiworkspace import CreateDatasetRequest, CreateDatasetVersionRequest

if TYPE_CHECKING:
    from tests.pipeline.conftest import World

DATA = {"property": "DIRECTORY", "data_source_type": "NAS", "uri": "nas://1a2b.cn-hangzhou/corpus/"}
NOW = datetime(2026, 1, 2, tzinfo=UTC)


def made(world: World, *, versions: int = 2, workspace: str = "104231") -> str:
    """A dataset that somebody made in PAI, with so many versions; its id."""
    datasets = world.cloud.dlc.workspace.datasets
    dataset_id = datasets.create(CreateDatasetRequest(name="corpus", **DATA), workspace, "4711", NOW)
    assert dataset_id is not None
    for _ in range(versions - 1):
        datasets.add_version(dataset_id, CreateDatasetVersionRequest(**DATA), NOW)
    return dataset_id


def declare(world: World, dataset_id: str, version: str = "v2", **more: Any) -> None:
    """Put a plan in force that mounts it and tells its job of it."""
    corpus = ExistingDataset(name="corpus", id=dataset_id, version=version, mount="/mnt/corpus")
    job = world.plan().job.model_copy(update={"command": "echo {corpus.version} {corpus.id} {digits.version}"})
    plan = world.plan(job=job, existing=(corpus,), **more)
    generation = world.generation([world.dataset()], [plan])
    world.apply(generation.model_copy(update={"existing": {"corpus": corpus}}))


def test_it_is_mounted_at_its_version(world: World) -> None:
    """The job gets id and version, read only, beside what was uploaded; its placeholders are filled."""
    dataset_id = made(world, versions=3)
    declare(world, dataset_id)
    arrive(world, "v1")
    (job,) = world.jobs
    mounts = {source["MountPath"]: source for source in job.request["DataSources"]}
    assert mounts["/mnt/corpus"] == {
        "DataSourceId": dataset_id,
        "DataSourceVersion": "v2",
        "MountPath": "/mnt/corpus",
        "MountAccess": "RO",
    }
    assert {"/mnt/digits", "/mnt/out"} < set(mounts)
    assert job.request["UserCommand"] == f"echo v2 {dataset_id} v1"
    assert job.request["Envs"]["JUNBI_CORPUS_VERSION"] == "v2"


def test_what_was_mounted_is_told(world: World) -> None:
    """The launch keeps what it was given, also after the plan names another version; inputs and plans show it."""
    dataset_id = made(world, versions=3)
    declare(world, dataset_id)
    assert input_views.existing(world.ledger) == [
        {"dataset": "corpus", "dataset_id": dataset_id, "version_name": "v2", "plans": ["train"]}
    ]
    arrive(world, "v1")
    declare(world, dataset_id, "v3")
    world.settle(ticks=2)
    (launch,) = world.launches
    told = launch_views.launch(world.ledger, launch.id)
    assert told is not None
    assert told["mounts"] == {"corpus": {"dataset_id": dataset_id, "version_name": "v2"}}
    assert views.plans(world.ledger)["plans"][0]["mounts"]["corpus"]["version_name"] == "v3"
    assert len(world.jobs) == 1, "another version of it starts nothing"


def test_a_waiting_launch_mounts_what_the_plan_in_force_says(world: World) -> None:
    """Where it was not there the launch waits; correcting junbi.yaml lets it go on."""
    dataset_id = made(world)
    declare(world, "d-nowhere")
    arrive(world, "v1")
    (launch,) = world.launches
    assert (launch.state, code(launch)) == (LaunchState.WAITING, "DatasetNotFound")
    assert launch.reason is not None
    assert "no dataset d-nowhere" in launch.reason.message
    assert "datasets.corpus.id" in launch.reason.fix
    declare(world, dataset_id)
    world.settle(ticks=2)
    assert dataset_id in [source.get("DataSourceId") for source in world.jobs[0].request["DataSources"]]


def test_a_version_that_is_not_there(world: World) -> None:
    """A version that the dataset does not have blocks; it goes on once somebody made it."""
    dataset_id = made(world)
    declare(world, dataset_id, "v3")
    arrive(world, "v1")
    (launch,) = world.launches
    assert code(launch) == "DatasetNotFound"
    assert launch.reason is not None
    assert "has no version v3" in launch.reason.message
    world.cloud.dlc.workspace.datasets.add_version(dataset_id, CreateDatasetVersionRequest(**DATA), NOW)
    world.settle(ticks=4)
    assert len(world.jobs) == 1


def test_a_dataset_of_another_workspace(world: World) -> None:
    """A job here could not read it: it blocks, and says where it is."""
    declare(world, made(world, workspace="99"))
    arrive(world, "v1")
    (launch,) = world.launches
    assert code(launch) == "DatasetNotFound"
    assert launch.reason is not None
    assert "is in 99" in launch.reason.message


@pytest.mark.parametrize("operation", ["GetDataset", "GetDatasetVersion"])
def test_we_may_not_look(world: World, operation: str) -> None:
    """Without the right to read it nobody knows: Unknown with the right that is missing, and never 'not found'."""
    declare(world, made(world))
    world.fault(f"aiworkspace.{operation}", status=403, code="NoPermission", times=50)
    arrive(world, "v1")
    (launch,) = world.launches
    (check,) = [one for one in launch.checks if one.name == "dataset corpus"]
    assert check.state.value == "Unknown"
    assert check.reason is not None
    assert f"paidataset:{operation}" in check.reason.fix
    world.cloud.faults.clear()
    world.settle(ticks=4)
    assert len(world.jobs) == 1
