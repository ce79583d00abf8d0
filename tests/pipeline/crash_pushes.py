"""Two flows that are killed at any moment: a push of code and one of an image, from its door to the job."""

from __future__ import annotations

import hashlib
import hmac
import json
import os
from typing import TYPE_CHECKING, Any

from dulwich.objects import Commit, Tree
from dulwich.repo import Repo
from tests.pipeline.crash import Doomed, Plan, doomed_ledger, doomed_ports
from tests.pipeline.test_image import Pusher

from junbi.core.image import registry
from junbi.core.plan import CodeSpec, ImageSpec, JobTemplate, Workers
from junbi.events.delivery import Delivery
from junbi.events.git.address import alike, canonical
from junbi.pipeline import git_door, image_door, receive

if TYPE_CHECKING:
    from pathlib import Path

    from tests.pipeline.conftest import World

    from junbi.core.facts import Revision

SECRET = "a long random secret"


class CodePush:
    """A push: noted by its door, its commit found, its code build made, its job submitted."""

    def begin(self, world: World, name: str) -> None:
        """A repository that is watched, and a plan."""
        repository = f"{world.cloud.git}/vision/{name}.git"
        _commit(world.cloud.git_host.path(f"/vision/{name}"))
        line = CodeSpec(
            name=name,
            repository=repository,
            address=alike(canonical(repository)),
            branch="main",
            webhook=("HOOK",),
            initial="adopt",
            mount="/root/code",
        )
        _declare(world, {"code": {name: line}}, on=(name,), code=name, code_mount="/root/code")

    def act(self, world: World, name: str, plan: Plan) -> object:
        """The host tells of a push, and says it again until it is answered; ``reconcile`` looks."""
        repository = {"clone_url": world.cloud.git + f"/vision/{name}"}
        body = json.dumps({"ref": "refs/heads/main", "after": "1" * 40, "repository": repository}).encode()
        signature = hmac.new(SECRET.encode(), body, hashlib.sha256).hexdigest()
        headers = {"X-Gitea-Event": "push", "X-Gitea-Delivery": name, "X-Gitea-Signature": signature}
        return _told(world, plan, git_door, Delivery(headers, body, {}))

    def check(self, world: World, name: str) -> None:
        """One registration, one launch and one job, all of what is there."""
        request, pinned = _trained(world, name)
        sources = world.cloud.dlc.workspace.code_sources.all()
        (source,) = (one for one in sources if one.display_name == f"vision-{name}")
        assert request["CodeSource"]["CodeSourceId"] == source.code_source_id
        assert request["CodeSource"]["Commit"] == pinned.digest


class ImagePush:
    """A push: noted by its door, its digest found and registered in the workspace, its job submitted."""

    def begin(self, world: World, name: str) -> None:
        """A repository that is watched, and a plan."""
        pusher = Pusher(world.cloud.registry)
        pusher.put("latest", name, repository=f"vision/{name}")
        line = ImageSpec(
            name=name,
            repository=f"{pusher.host}/vision/{name}",
            host=registry(pusher.host),
            path=f"vision/{name}",
            tag="latest",
            webhook=("HOOK",),
            initial="adopt",
            registers=True,
        )
        _declare(world, {"images": {name: line}}, on=(name,), image=line.repository, image_line=name)

    def act(self, world: World, name: str, plan: Plan) -> object:
        """The host tells of a push, and says it again until it is answered; ``reconcile`` looks."""
        host = world.cloud.registry.partition("://")[2]
        pushed = {"digest": f"sha256:{1:064}", "tag": "latest", "resource_url": f"{host}/vision/{name}:latest"}
        data = {"resources": [pushed], "repository": {"repo_full_name": f"vision/{name}", "name": name}}
        body = json.dumps({"type": "PUSH_ARTIFACT", "occur_at": 1_764_500_000, "event_data": data}).encode()
        return _told(world, plan, image_door, Delivery({"Authorization": SECRET}, body, {}))

    def check(self, world: World, name: str) -> None:
        """One registration, one launch and one job, all of what is there."""
        request, pinned = _trained(world, name)
        address = f"{pinned.bucket}@{pinned.digest}"
        assert request["JobSpecs"][0]["Image"] == address
        images = [one for one in world.cloud.dlc.workspace.images.all() if one.image_uri == address]
        assert [one.image_id for one in images] == [world.ledger.revisions.registration(pinned.id).dataset_id]


def _declare(world: World, lines: dict[str, Any], **more: Any) -> None:
    """Apply a plan that trains with what is pushed, and with nothing else; its job ends at once."""
    os.environ["JUNBI_SECRET_HOOK"] = SECRET
    job = JobTemplate(type="PyTorchJob", workers=Workers(), command="true")
    plan = world.plan(job=job, **more).model_copy(update={"datasets": (), "mounts": {}})
    world.apply(world.generation([], [plan]).model_copy(update=lines))


def _told(world: World, plan: Plan, door: receive.Door, delivery: Delivery) -> object:
    """The door hears of a push, and ``reconcile`` looks."""
    answer, _ = receive.receive(door, doomed_ledger(world, plan), delivery)
    assert answer.status == 200, answer
    ports, well = doomed_ports(world, plan), world.ports()
    ports.code_sources_in = lambda region: Doomed(well.code_sources_in(region), plan)
    ports.images_in = lambda region: Doomed(well.images_in(region), plan)
    ports.registry = lambda line: Doomed(well.registry(line), plan)
    return world.reconcile(ports)


def _trained(world: World, name: str) -> tuple[dict[str, Any], Revision]:
    """What the one job of the one launch was asked for, once all is over, and what its launch is pinned to."""
    world.settle(ticks=5, step=300)
    (launch,) = (one for one in world.launches if name in one.pins)
    (job,) = world.jobs_of(launch)
    assert launch.job_id == job.job_id
    return job.request, world.ledger.revisions.get(launch.pins[name])


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
