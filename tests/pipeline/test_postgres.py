"""The pipeline with its ledger on PostgreSQL: several workers at once, and a server that cuts them off."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

import pytest

from junbi.core.facts import CreateState, LaunchState
from junbi.errors import LedgerUnavailable
from junbi.pipeline.close import look

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.pipeline.conftest import World


@pytest.fixture
def world(postgres_world: World) -> World:
    """Every test here is on PostgreSQL."""
    return postgres_world


def assert_once(world: World) -> None:
    """One dataset version, one launch, one job, and all of it known."""
    (revision,) = world.ledger.revisions.newest()
    registration = world.ledger.revisions.registration(revision.id)
    assert (registration.state, registration.version_name) == (CreateState.DONE, "v1"), world.ledger.stories()
    assert len(world.versions(registration.dataset_id)) == 1
    (launch,) = world.launches
    (job,) = world.jobs
    assert (launch.state, launch.job_id) == (LaunchState.SUBMITTED, job.job_id)


def together(count: int, act: Callable[[int], object]) -> None:
    """Do something in several threads at once; what any of them raises is raised."""
    failures: list[BaseException] = []

    def run(number: int) -> None:
        try:
            act(number)
        except BaseException as error:  # noqa: BLE001 - raised below
            failures.append(error)

    threads = [threading.Thread(target=run, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for failure in failures:
        raise failure


def test_from_the_upload_to_the_end_of_the_job(world: World) -> None:
    """The main flow: noted, closed, registered, submitted, followed to its end."""
    world.deliver(world.upload())
    world.until(LaunchState.SUCCEEDED)
    assert "DatasetRegistered" in world.codes()


def test_four_doors_and_four_workers_make_one(world: World) -> None:
    """Every event four times at one moment, then four workers for as long as there is work."""
    records = world.upload()
    together(4, lambda _: world.deliver(records))
    for _ in range(4):
        together(4, lambda _: world.reconcile())
        world.advance(120)
    assert_once(world)


def test_a_door_does_not_wait_for_a_decision(world: World) -> None:
    """While a worker decides, events are noted, in an answer that says so."""
    records = world.upload()
    answers: list[dict[str, Any]] = []
    with world.ledger.transaction():
        door = threading.Thread(target=lambda: answers.append(world.deliver_together(records)))
        door.start()
        door.join(5)
        assert [answer["noted"] > 0 for answer in answers] == [True]


def test_connections_that_end_all_the_time_make_no_second_one(world: World, postgres: Any) -> None:
    """Whatever a worker was at, reading, saving, committing: it is cut off, comes again, and everything is once."""
    done, cut = threading.Event(), []

    def cut_off() -> None:
        while not done.wait(0.03):
            cut.extend(
                postgres.execute(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'junbi'"
                )
            )

    administrator = threading.Thread(target=cut_off)
    administrator.start()
    refused = 0
    try:
        records = world.upload()
        for step in [lambda: world.deliver(records), *[world.reconcile] * 40]:
            try:
                step()
            except LedgerUnavailable:
                refused += 1
            world.advance(20)
    finally:
        done.set()
        administrator.join()
    assert cut
    world.deliver(records)
    world.settle(ticks=5, step=300)
    assert_once(world)


class Meeting:
    """An object store whose first listing ends only when another worker's has ended too."""

    def __init__(self, objects: Any, barrier: threading.Barrier) -> None:
        self._objects, self._barrier = objects, barrier

    def list_page(self, *args: Any) -> Any:
        """List, and wait for the other."""
        page = self._objects.list_page(*args)
        self._barrier.wait()
        return page

    def __getattr__(self, name: str) -> Any:
        return getattr(self._objects, name)


def test_two_inputs_that_complete_at_one_moment_launch_a_plan_of_both(world: World) -> None:
    """Each worker looks for the other's dataset while that is being saved: the launch is made once, not never."""
    names = ("left", "right")
    for number in range(5):
        world.apply(
            world.generation(
                [world.dataset(f"{name}{number}") for name in names],
                [world.plan(f"both{number}", on=tuple(f"{name}{number}" for name in names))],
            )
        )
        for name in names:
            world.deliver(world.upload(name=f"{name}{number}", files=1))
        barrier = threading.Barrier(2, timeout=20)

        keys = [f"{name}{number}:data/{name}{number}/v1/" for name in names]

        def close(one: int, barrier: threading.Barrier = barrier, keys: list[str] = keys) -> None:
            look(world.ports(objects=Meeting(world.ports().objects, barrier)), keys[one])

        together(2, close)
        assert [launch.plan for launch in world.launches][-1:] == [f"both{number}"]
