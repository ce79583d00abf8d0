"""A watch without a placeholder: one folder, uploaded to again and again, each closing of which is a version."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest
from tests.pipeline.test_policies import code

from junbi.core.facts import ArrivalState, LaunchState
from junbi.core.places import pattern_of
from junbi.core.plan import Watch
from junbi.core.policy import Policy
from junbi.pipeline import acts, input_views

if TYPE_CHECKING:
    from tests.pipeline.conftest import World

CLOSED_AT = r"\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ"


def declare(world: World, *, policy: Policy | None = None, **complete: Any) -> None:
    """Watch oss://data/digits/ as it is, and train on what it holds."""
    root, pattern, captures = pattern_of("digits/")
    assert captures == ()
    watch = Watch(bucket="data", root=root, pattern=pattern)
    dataset = world.dataset(**complete).model_copy(update={"watch": watch, "newest": "time"})
    job = world.plan().job.model_copy(update={"command": "sleep 60"})
    world.apply(world.generation([dataset], [world.plan(job=job, policy=policy or Policy(overlap="allow"))]))


def write(world: World, text: str, *, marker: bool = True) -> list[dict[str, Any]]:
    """Replace the folder's two files, and the marker last; the events that OSS raised."""
    start = len(world.records)
    for name in ("a.csv", "more/b.csv"):
        world.put(f"digits/{name}", f"{name} {text}".encode())
    if marker:
        world.put("digits/_SUCCESS", b"")
    return world.records[start:]


def round_of(world: World, text: str) -> None:
    """One upload, told of by its events, and looked at."""
    world.deliver(write(world, text))
    world.reconcile()
    world.advance(2)
    world.reconcile()


def test_each_closing_is_a_version(world: World) -> None:
    """The versions share their prefix, are called by the time of their closing, and belong to one dataset in PAI."""
    declare(world)
    round_of(world, "one")
    world.advance(60)
    round_of(world, "two")
    world.settle(ticks=2)
    first, second = sorted(world.ledger.revisions.of("digits"), key=lambda one: one.created_at)
    assert (first.prefix, second.prefix) == ("digits/", "digits/")
    assert all(re.fullmatch(CLOSED_AT, one.label) for one in (first, second))
    assert first.label < second.label
    assert (first.captures, first.members, second.members) == ({}, 2, 2)
    (dataset,) = world.datasets()
    versions = world.versions(dataset.dataset_id)
    assert [(one.version_name, one.source_id) for one in versions] == [("v1", first.digest), ("v2", second.digest)]
    assert len({one.uri for one in versions}) == 1
    mounted = [job.request["DataSources"][0]["DataSourceVersion"] for job in world.jobs]
    assert sorted(mounted) == ["v1", "v2"]


def test_a_waiting_launch_never_trains_on_what_came_later(world: World) -> None:
    """While it waits and the folder changes it is DatasetChanged; what is there once it is closed takes its place."""
    declare(world, policy=Policy(overlap="allow", waiting="newest"))
    acts.freeze(world.ledger, "train", "li")
    round_of(world, "one")
    (old,) = world.launches
    world.deliver(write(world, "two", marker=False))
    acts.thaw(world.ledger, "train", "li")
    world.settle(ticks=3, step=30)
    (old,) = world.launches
    assert (old.state, code(old)) == (LaunchState.WAITING, "DatasetChanged")
    assert world.jobs == []
    start = len(world.records)
    world.put("digits/_SUCCESS", b"")
    world.deliver(world.records[start:])
    world.settle(ticks=2)
    old, new = world.launches
    assert (old.state, code(old)) == (LaunchState.SUPERSEDED, "Superseded")
    (job,) = world.jobs
    assert job.job_id == new.job_id
    assert job.request["DataSources"][0]["DataSourceVersion"] == "v2"


def test_with_waiting_every_the_old_one_waits_for_its_data(world: World) -> None:
    """It never gets the newer data by accident: it goes on once what it was made for is put back."""
    declare(world)
    acts.freeze(world.ledger, "train", "li")
    round_of(world, "one")
    round_of(world, "two")
    acts.thaw(world.ledger, "train", "li")
    world.settle(ticks=2)
    old, new = world.launches
    assert (code(old), new.state) == ("DatasetChanged", LaunchState.SUBMITTED)
    round_of(world, "one")
    world.settle(ticks=4)
    old, new = world.launches
    assert old.state is LaunchState.SUBMITTED
    assert len(world.ledger.revisions.of("digits")) == 2, "the same bytes are the same version"


@pytest.mark.parametrize("complete", [{"marker": "_SUCCESS"}, {"quiet": 60.0}])
def test_with_every_event_lost_each_round_is_found(world: World, complete: dict[str, Any]) -> None:
    """The timer alone finds the folder itself, and its next rounds."""
    declare(world, **complete)
    world.settle(ticks=2)
    assert world.ledger.arrivals.newest() == []
    write(world, "one")
    world.settle(ticks=8)
    assert len(world.jobs) == 1
    write(world, "two")
    world.settle(ticks=12)
    assert len(world.jobs) == 2
    assert world.arrival().state is ArrivalState.CLOSED
    assert len(world.ledger.revisions.of("digits")) == 2


def test_what_was_there_before_is_left_alone_until_it_is_uploaded_anew(world: World) -> None:
    """Initial 'ignore' holds for the one folder too, and its next upload counts, told of or not."""
    world.apply(world.generation([], []))
    write(world, "one")
    world.advance(10)
    declare(world)
    world.settle(ticks=3)
    assert world.arrival().state is ArrivalState.IGNORED
    assert world.codes().count("BeforeDeployment") == 1
    write(world, "two")
    world.settle(ticks=4)
    assert len(world.jobs) == 1


def test_nothing_is_listed_while_nothing_changes(world: World) -> None:
    """A folder at rest costs one look at its marker, and no listing of all that lies in it."""
    declare(world)
    round_of(world, "one")
    world.settle(ticks=2)
    row = world.arrival().row
    world.settle(ticks=5)
    assert world.arrival().row == row


def test_it_is_shown(world: World) -> None:
    """The upload and the version are shown by the folder they share."""
    declare(world)
    round_of(world, "one")
    (shown,) = input_views.revisions(world.ledger)["revisions"]
    assert shown["uri"] == "oss://data/digits/"
    assert re.fullmatch(CLOSED_AT, shown["label"])
