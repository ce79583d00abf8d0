"""Killed at one moment, and again while it recovers: every flow comes to the same end, with everything made once.

The suite tries every first moment with one second moment, spread over the recovery. ``make crashes`` tries all pairs;
of ``reconcile``, whose tick has hundreds of moments, every first one with every eighth second one.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import os
from typing import TYPE_CHECKING, Any, Protocol

import pytest
from dulwich.objects import Commit, Tree
from dulwich.repo import Repo
from tests.pipeline.crash import Doomed, Plan, die, doomed_ledger, doomed_ports, run_and_die
from tests.pipeline.test_exactly_once import assert_once
from tests.pipeline.test_policies import declare

from junbi.core.facts import LaunchState
from junbi.core.plan import CodeSpec, JobTemplate, Workers
from junbi.core.policy import Policy
from junbi.events import oss
from junbi.events.delivery import Delivery
from junbi.events.git.address import alike, canonical
from junbi.pipeline import acts, apply, call, follow, git_door, note, receive

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.pipeline.conftest import World

#: Every pair of moments, and not one second moment for each first.
ALL = bool(os.environ.get("JUNBI_ALL_CRASHES"))
#: With ALL, which second moments of a long flow are tried: every so many.
STRIDES = {"tick": 8, "push": 8}
SHARDS = 4
SECRET = "a long random secret"
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
        world.cloud.dlc.jobs.change(
            world.launches[-1].job_id, lambda job: job.move("Succeeded", world.cloud.clock.now(), "", "as ordered")
        )
        world.job_change()

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


class Push:
    """A push: noted by its door, its commit found, its code build made, its job submitted."""

    def begin(self, world: World, name: str) -> None:
        os.environ["JUNBI_SECRET_HOOK"] = SECRET
        repository = f"{world.cloud.git}/vision/{name}.git"
        self._commit(world.cloud.git_host.path(f"/vision/{name}"))
        line = CodeSpec(
            name=name,
            repository=repository,
            address=alike(canonical(repository)),
            branch="main",
            webhook=("HOOK",),
            initial="adopt",
            mount="/root/code",
        )
        job = JobTemplate(type="PyTorchJob", workers=Workers(), command="true")
        plan = world.plan(on=(name,), job=job, code=name, code_mount="/root/code").model_copy(update={"datasets": ()})
        plan = plan.model_copy(update={"mounts": {}})
        world.apply(world.generation([], [plan]).model_copy(update={"code": {name: line}}))

    def act(self, world: World, name: str, plan: Plan) -> object:
        told = {
            "ref": "refs/heads/main",
            "after": "1" * 40,
            "repository": {"clone_url": world.cloud.git + f"/vision/{name}"},
        }
        body = json.dumps(told).encode()
        signature = hmac.new(SECRET.encode(), body, hashlib.sha256).hexdigest()
        headers = {"X-Gitea-Event": "push", "X-Gitea-Delivery": name, "X-Gitea-Signature": signature}
        answer, _ = receive.receive(git_door, doomed_ledger(world, plan), Delivery(headers, body, {}))
        assert answer.status == 200, answer
        ports = doomed_ports(world, plan)
        ports.code_sources_in = lambda region: Doomed(world.ports().code_sources_in(region), plan)
        return world.reconcile(ports)

    def check(self, world: World, name: str) -> None:
        world.settle(ticks=5, step=300)
        (source,) = (
            one for one in world.cloud.dlc.workspace.code_sources.all() if one.display_name == f"vision-{name}"
        )
        (launch,) = (one for one in world.launches if name in one.pins)
        (job,) = world.jobs_of(launch)
        pinned = world.ledger.revisions.get(launch.pins[name])
        assert job.request["CodeSource"]["CodeSourceId"] == source.code_source_id
        assert job.request["CodeSource"]["Commit"] == pinned.digest
        assert launch.job_id == job.job_id

    @staticmethod
    def _commit(path: Path) -> None:
        path.mkdir(parents=True)
        with Repo.init_bare(str(path), default_branch=b"main") as made:
            tree = Tree()
            made.object_store.add_object(tree)
            commit = Commit()
            commit.tree = tree.id
            commit.author = commit.committer = b"Ada <ada@example.com>"
            commit.commit_time = commit.author_time = 1_790_000_000
            commit.commit_timezone = commit.author_timezone = 0
            commit.message = b"first"
            made.object_store.add_object(commit)
            made.refs[b"refs/heads/main"] = commit.id


FLOWS = {flow.__name__.lower(): flow() for flow in (Tick, Door, Apply, Call, Follow, Cancel, Rerun, Approve, Push)}


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
