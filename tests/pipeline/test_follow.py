"""Following jobs: what one job's answer says of it, and of nothing else."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from junbi.core.facts import LaunchState
from junbi.errors import CallFailed, NotDone, OutcomeUnknown, Refused
from junbi.events.pai_job import parse
from junbi.pipeline import follow

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tests.pipeline.conftest import World


class Unlisted:
    """A DLC client whose listing leaves a job out, and which answers for that job with an error."""

    def __init__(self, client: Any, job_id: str, error: CallFailed) -> None:
        self._client, self._job_id, self._error = client, job_id, error

    def list_jobs_by_ids(self, workspace: str, ids: Iterable[str]) -> list[Any]:
        """All but that one."""
        return [job for job in self._client.list_jobs_by_ids(workspace, ids) if job.job_id != self._job_id]

    def get_job(self, job_id: str) -> Any:
        """The error for that one."""
        if job_id == self._job_id:
            raise self._error
        return self._client.get_job(job_id)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._client, name)


def submitted(world: World, *versions: str) -> None:
    """Versions that were uploaded and launched."""
    job = world.plan().job.model_copy(update={"command": "true"})
    world.apply(world.generation([world.dataset()], [world.plan(job=job)]))
    for version in versions:
        world.deliver(world.upload(version))
        world.settle(ticks=1, step=10)
    assert [one.state for one in world.launches] == [LaunchState.SUBMITTED] * len(versions)


@pytest.mark.parametrize(
    "error",
    [
        Refused("GetJob", "Forbidden.RAM", "no", status=403),
        NotDone("GetJob", "Throttling", "later", status=429),
        OutcomeUnknown("GetJob", "InternalError", "broken", status=500),
    ],
)
def test_one_job_that_may_not_be_read_does_not_stop_the_others(world: World, error: CallFailed) -> None:
    """The others are followed; that one is unknown, and told as unread."""
    submitted(world, "v1", "v2")
    first, second = world.launches
    world.ports().dlc.stop_job(second.job_id)
    ports = world.ports(dlc=Unlisted(world.ports().dlc, first.job_id, error))
    assert follow.tick(ports)["unread"] == 1
    states = [one.state for one in world.launches]
    assert states[0] is LaunchState.SUBMITTED
    assert states[1] is not LaunchState.SUBMITTED


def test_a_tick_that_could_read_nothing_fails(world: World) -> None:
    """What went wrong with every job is an error of the function, not a quiet success."""
    submitted(world, "v1")
    error = Refused("GetJob", "Forbidden.RAM", "no", status=403)
    with pytest.raises(Refused):
        follow.tick(world.ports(dlc=Unlisted(world.ports().dlc, world.launches[0].job_id, error)))


@pytest.mark.parametrize("code", ["InvalidAction.NotFound", "InvalidAccessKeyId.NotFound", "QuotaNotFound"])
def test_what_else_is_not_found_ends_no_launch(world: World, code: str) -> None:
    """A wrong endpoint or a deleted key says nothing of the job."""
    submitted(world, "v1")
    error = Refused("GetJob", code, "no", status=404)
    with pytest.raises(Refused):
        follow.tick(world.ports(dlc=Unlisted(world.ports().dlc, world.launches[0].job_id, error)))
    assert world.launches[0].state is LaunchState.SUBMITTED


@pytest.mark.parametrize("code", ["NotFound", "JobNotFound"])
def test_a_job_that_does_not_exist_ends_its_launch(world: World, code: str) -> None:
    """PAI's clear word that this job does not exist is believed."""
    submitted(world, "v1")
    error = Refused("GetJob", code, "no", status=404)
    follow.tick(world.ports(dlc=Unlisted(world.ports().dlc, world.launches[0].job_id, error)))
    (launch,) = world.launches
    assert launch.state is LaunchState.STOPPED
    assert launch.reason is not None
    assert launch.reason.code == "JobGone"


def test_a_workspace_is_not_gone_because_the_endpoint_is_wrong(world: World) -> None:
    """Only the code that says so is a no; anything else is a failed look, and is repeated."""
    world.fault("aiworkspace.GetWorkspace", effect="error", status=404, code="InvalidAction.NotFound", times=2)
    world.deliver(world.upload())
    world.settle(ticks=1, step=1)
    assert "WorkspaceNotFound" not in world.codes()
    world.settle(ticks=3, step=10)
    assert world.launches[0].state is LaunchState.SUBMITTED


def event(*jobs: str, source: str = "acs.pai") -> bytes:
    """What EventBridge passes on of PAI's jobs."""
    told = {"id": "1", "source": source, "type": "pai:DLC:JobStatusChanged", "data": {"jobs": jobs}}
    return json.dumps(told).encode()


def test_an_event_is_a_hint_at_its_own_job_alone(world: World) -> None:
    """However many jobs are active, an event costs a look at the one that it names, and nothing it says is believed."""
    submitted(world, "v1", "v2")
    first, second = world.launches
    for launch in (first, second):
        world.ports().dlc.stop_job(launch.job_id)
    assert follow.tick(world.ports(), parse(event(second.job_id)).jobs)["active"] == 1
    assert [one.state is LaunchState.SUBMITTED for one in world.launches] == [True, False]
    assert follow.tick(world.ports(), parse(event("dlc1strangersjob")).jobs)["active"] == 0
    follow.tick(world.ports(), parse(b"").jobs)
    assert [one.state is LaunchState.SUBMITTED for one in world.launches] == [False, False]


@pytest.mark.parametrize("raw", [event(), event("dlc1k2m3n4p5q6r7s8", source="acs.oss")])
def test_an_event_that_names_no_job_asks_pai_for_nothing(world: World, raw: bytes) -> None:
    """PAI tells of notebooks and models on the same bus: that is ignored with a reason."""
    answer = follow.follow(parse(raw), world.ports().invocation)
    assert "NoJob" in str(answer["ignored"])


@pytest.mark.parametrize("raw", [b"", b"{}", b'{"triggerTime": "2026-11-30T12:00:00Z", "triggerName": "tick"}'])
def test_a_timer_asks_for_every_job(raw: bytes) -> None:
    """Whatever it carries."""
    assert (parse(raw).jobs, parse(raw).ignored) == (None, ())
