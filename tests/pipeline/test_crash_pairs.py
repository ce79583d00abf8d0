"""Killed at one moment, and again while it recovers: every flow comes to the same end, with everything made once.

The suite tries every first moment with one second moment, spread over the recovery. ``make crashes`` tries all pairs;
of ``reconcile``, whose tick has hundreds of moments, every first one with every eighth second one.
"""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any, Protocol

import pytest
from tests.pipeline.crash import Plan, die, doomed_ledger, doomed_ports, run_and_die
from tests.pipeline.crash_pushes import CodePush, ImagePush
from tests.pipeline.test_exactly_once import assert_once
from tests.pipeline.test_policies import declare

from junbi.core.facts import LaunchState
from junbi.core.plan import JobTemplate, Queue, Resource, Workers
from junbi.core.policy import Policy
from junbi.events import oss
from junbi.pipeline import acts, apply, call, follow, note, quotas

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.pipeline.conftest import World

    from junbi.core.facts import Launch

#: Every pair of moments, and not one second moment for each first.
ALL = bool(os.environ.get("JUNBI_ALL_CRASHES"))
#: With ALL, which second moments of a long flow are tried: every so many.
STRIDES = {"tick": 8, "inquota": 8, "codepush": 8, "imagepush": 8}
SHARDS = 4
#: Longer than any lease and than the settling time.
LATER = 1100.0


class Flow(Protocol):
    """Something that is done, and may be done again by whoever was not answered."""

    def begin(self, world: World, name: str) -> None:
        """What is there before, for a dataset of its own."""
        ...

    def act(self, world: World, name: str, plan: Plan) -> object:
        """Do it, dying when the plan says so."""
        ...

    def check(self, world: World, name: str) -> None:
        """After it was done without dying, and time has passed: everything is there once."""
        ...


def quick(world: World, name: str, **more: Any) -> None:
    """A dataset of that name and a plan for it whose job ends at once."""
    job = world.plan().job.model_copy(update={"command": "true"})
    world.apply(world.generation([world.dataset(name, **more)], [world.plan(on=(name,), job=job)]))


class Tick:
    """``reconcile``: from a noted upload to the job."""

    def begin(self, world: World, name: str) -> None:
        quick(world, name)
        world.deliver(world.upload(name=name, files=1))

    def act(self, world: World, _name: str, plan: Plan) -> object:
        return world.reconcile(doomed_ports(world, plan))

    def check(self, world: World, name: str) -> None:
        world.settle(ticks=5, step=300)
        assert_once(world, name)


class InQuota(Tick):
    """``reconcile``: a launch that stands in the line for a quota, is let in and submitted."""

    def begin(self, world: World, name: str) -> None:
        job = JobTemplate(type="PyTorchJob", workers=Workers(cpu=16, memory="60Gi", gpu=1), command="true")
        team = Resource(name="team", quota="quotateam01")
        plan = world.plan(on=(name,), job=job, resource=team, queue=Queue(waits=True))
        world.apply(world.generation([world.dataset(name)], [plan]))
        quotas.tick(world.ports())
        world.deliver(world.upload(name=name, files=1))

    def check(self, world: World, name: str) -> None:
        super().check(world, name)
        (launch,) = (one for one in world.launches if name in one.pins)
        held = world.ledger.reservations.held("cn-hangzhou", "quotateam01")
        assert [one.launch for one in held] == [launch.id]
        _end(world, launch)
        assert world.ledger.reservations.of(launch.id) is None


def _end(world: World, launch: Launch) -> None:
    world.cloud.dlc.jobs.change(
        launch.job_id, lambda job: job.move("Succeeded", world.cloud.clock.now(), "", "as ordered")
    )
    world.job_change()


class Door:
    """``oss_upload``: Function Compute sends an event again whose call died."""

    def begin(self, world: World, name: str) -> None:
        quick(world, name)
        world.upload(name=name, files=2)

    def act(self, world: World, name: str, plan: Plan) -> object:
        mine = [one for one in world.records if name in one["oss"]["object"]["key"]]
        parsed = oss.parse(json.dumps({"events": mine}).encode())
        return note.note_events(doomed_ledger(world, plan), parsed)

    def check(self, world: World, name: str) -> None:
        world.settle(ticks=5, step=300)
        assert_once(world, name)
        assert len(world.ledger.revisions.of(name)) == 1


class Apply:
    """``junbi apply``, said again by whoever saw it die."""

    def begin(self, world: World, name: str) -> None:
        world.upload(name=name, files=1)

    def act(self, world: World, name: str, plan: Plan) -> object:
        job = world.plan().job.model_copy(update={"command": "true"})
        wanted = world.generation([world.dataset(name)], [world.plan(on=(name,), job=job)])
        return apply.apply(doomed_ledger(world, plan), wanted)

    def check(self, world: World, name: str) -> None:
        latest = world.ledger.generations.latest()
        assert latest is not None
        assert list(latest.plans["train"].on) == list(latest.datasets) == [name]
        world.advance(5)
        world.deliver(world.upload(name=name, files=1, text="after"))
        world.settle(ticks=5, step=300)
        assert_once(world, name)


class Call:
    """``junbi close``, said again by whoever saw it die."""

    def begin(self, world: World, name: str) -> None:
        quick(world, name, call=True)
        world.deliver(world.upload(name=name, files=1, marker=None))

    def act(self, world: World, name: str, plan: Plan) -> object:
        return call.close(doomed_ledger(world, plan), f"oss://data/{name}/v1/", "somebody")

    def check(self, world: World, name: str) -> None:
        world.settle(ticks=5, step=300)
        assert_once(world, name)


class Follow:
    """``job_change``: the job of a launch has ended."""

    def begin(self, world: World, name: str) -> None:
        quick(world, name)
        world.deliver(world.upload(name=name, files=1))
        world.reconcile()
        (launch,) = (one for one in world.launches if name in one.pins)
        world.cloud.dlc.jobs.change(
            launch.job_id, lambda job: job.move("Succeeded", world.cloud.clock.now(), "", "as ordered")
        )

    def act(self, world: World, _name: str, plan: Plan) -> object:
        return follow.tick(doomed_ports(world, plan))

    def check(self, world: World, name: str) -> None:
        (launch,) = (one for one in world.launches if name in one.pins)
        assert launch.state is LaunchState.SUCCEEDED
        told = [entry["code"] for entry in world.ledger.story_of(f"launch:{launch.id}")]
        assert told.count("JobSucceeded") == 1
        assert len(world.jobs_of(launch)) == 1


class Cancel:
    """``junbi cancel`` of a launch whose job runs."""

    def begin(self, world: World, name: str) -> None:
        declare(world, datasets=(name,), policy=Policy())
        world.deliver(world.upload(name=name, files=1))
        world.reconcile()

    def act(self, world: World, name: str, plan: Plan) -> object:
        (launch,) = (one for one in world.launches if name in one.pins)
        return acts.cancel(doomed_ledger(world, plan), launch.id, "somebody")

    def check(self, world: World, name: str) -> None:
        for _ in range(8):
            world.reconcile()
            world.cloud.dlc.scheduler.step()
            world.job_change()
            world.advance(120)
        (launch,) = (one for one in world.launches if name in one.pins)
        assert launch.state is LaunchState.STOPPED, world.ledger.story_of(f"launch:{launch.id}")
        assert len(world.jobs_of(launch)) == 1


class Rerun:
    """``junbi rerun`` of a launch that has ended; answered "under way" where the first word was heard."""

    def begin(self, world: World, name: str) -> None:
        quick(world, name)
        world.deliver(world.upload(name=name, files=1))
        world.reconcile()
        _end(world, world.launches[-1])

    def act(self, world: World, name: str, plan: Plan) -> object:
        first = next(one for one in world.launches if name in one.pins)
        return acts.rerun(doomed_ledger(world, plan), first.id, "somebody")

    def check(self, world: World, name: str) -> None:
        world.settle(ticks=5, step=300)
        runs = sorted((one for one in world.launches if name in one.pins), key=lambda one: one.rerun)
        assert [one.rerun for one in runs] == [0, 1]
        assert [len(world.jobs_of(one)) for one in runs] == [1, 1]


class Approve:
    """``junbi approve`` of a launch that waits for it."""

    def begin(self, world: World, name: str) -> None:
        declare(world, datasets=(name,), command="true", policy=Policy(approve=True))
        world.deliver(world.upload(name=name, files=1))
        world.reconcile()
        assert not [one for one in world.launches if name in one.pins and one.job_id]

    def act(self, world: World, name: str, plan: Plan) -> object:
        (launch,) = (one for one in world.launches if name in one.pins)
        return acts.approve(doomed_ledger(world, plan), launch.id, "somebody")

    def check(self, world: World, name: str) -> None:
        world.settle(ticks=5, step=300)
        assert_once(world, name)


_FLOWS = (Tick, InQuota, Door, Apply, Call, Follow, Cancel, Rerun, Approve, CodePush, ImagePush)
FLOWS = {flow.__name__.lower(): flow() for flow in _FLOWS}


def once(world: World, flow: Flow, name: str, first: int | None, second: int | None) -> tuple[int, int]:
    """The flow killed at two moments, then left alone; the moments that each came through."""
    flow.begin(world, name)
    came = die(lambda plan: flow.act(world, name, plan), first)
    world.advance(LATER)
    again = die(lambda plan: flow.act(world, name, plan), second)
    world.advance(LATER)
    flow.act(world, name, Plan())
    flow.check(world, name)
    return came, again


def pairs(moments: int, stride: int) -> Iterator[tuple[int, int]]:
    """Which moments are tried together: all, or each first with one second, spread evenly."""
    for first in range(1, moments + 1):
        seconds = range(1 + first % stride, moments + 1, stride) if ALL else [1 + first * 7 % moments]
        yield from ((first, one) for one in seconds)


@pytest.mark.parametrize("shard", range(SHARDS))
@pytest.mark.parametrize("flow", FLOWS)
def test_bc_49_killed_twice(world: World, flow: str, shard: int) -> None:
    """BC-49, BC-119: at any moment, and again in the recovery: what was begun ends, with everything made once."""
    moments, _ = once(world, FLOWS[flow], f"count-{shard}", None, None)
    tried = 0
    for number, (first, again) in enumerate(pairs(moments, STRIDES.get(flow, 1))):
        if number % SHARDS == shard:
            once(world, FLOWS[flow], f"set-{first}-{again}", first, again)
            tried += 1
    assert tried >= moments // SHARDS > 0


def test_the_counting_counts(world: World) -> None:
    """A tick makes more than a hundred calls, each of which may be the last; none is missed by the doomed ports."""
    FLOWS["tick"].begin(world, "digits")
    assert run_and_die(world, None) > 100
