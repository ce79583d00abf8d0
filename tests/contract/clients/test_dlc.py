"""DLC: our client against the local service."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from junbi.clients.signing import Stamp
from junbi.emulator.faults import Fault
from junbi.errors import OutcomeUnknown, Refused
from junbi.wire.dlc import CreateJobRequest


def stamp() -> Stamp:
    """A fresh one."""
    return Stamp.fresh(datetime.now(UTC))


def job(workspace: str, name: str = "train", command: str = "echo 学習 done", **tags: str) -> CreateJobRequest:
    """A job to create."""
    return CreateJobRequest.from_wire(
        {
            "DisplayName": name,
            "JobType": "PyTorchJob",
            "WorkspaceId": workspace,
            "UserCommand": command,
            "JobSpecs": [{"Type": "Worker", "PodCount": 1, "Image": "registry/i:t", "EcsSpec": "ecs.g6.large"}],
            "Settings": {"Tags": {name.replace("_", "."): value for name, value in tags.items()}},
        }
    )


def window(cloud: Any) -> tuple[datetime, datetime]:
    """A minute around now, as the service sees it."""
    now = cloud.clock.now()
    return now - timedelta(minutes=1), now + timedelta(minutes=1)


class TestFindJobs:
    """The evidence after an unknown answer."""

    def test_only_exact_tags_count(self, cloud: Any) -> None:
        """A job is found by all its tags, on any page, whoever made it; similar ones are not."""
        client = cloud.jobs
        wanted = client.create_job(job(cloud.workspace, junbi_launch="l-1", junbi_deployment="vision"), stamp())
        client.create_job(job(cloud.workspace, junbi_launch="l-11", junbi_deployment="vision"), stamp())
        client.create_job(job(cloud.workspace, junbi_launch="l-1", junbi_deployment="other"), stamp())
        client.create_job(job(cloud.workspace), stamp())
        for _ in range(101):
            client.create_job(job(cloud.workspace, junbi_launch="l-2"), stamp())
        tags = {"junbi.launch": "l-1", "junbi.deployment": "vision"}
        assert [found.job_id for found in client.find_jobs(cloud.workspace, tags, *window(cloud))] == [wanted]
        assert len(client.find_jobs(cloud.workspace, {"junbi.launch": "l-2"}, *window(cloud))) == 101

    def test_the_window_is_explicit(self, cloud: Any) -> None:
        """Jobs older than the service's default of 7 days are found, those outside the window are not."""
        client = cloud.jobs
        made = client.create_job(job(cloud.workspace, junbi_launch="l-1"), stamp())
        then = window(cloud)
        cloud.clock.advance(20 * 86400)
        tags = {"junbi.launch": "l-1"}
        assert [found.job_id for found in client.find_jobs(cloud.workspace, tags, *then)] == [made]
        assert client.find_jobs(cloud.workspace, tags, *window(cloud)) == []
        assert [found.job_id for found in client.list_jobs_by_ids(cloud.workspace, [made])] == [made]

    @pytest.mark.parametrize("when", ["before", "after"])
    def test_a_lost_answer_leaves_evidence(self, cloud: Any, when: Any) -> None:
        """After a hung create, what happened can be told."""
        cloud.faults.order(Fault("dlc.CreateJob", when=when, effect="hang", seconds=1.5))
        with pytest.raises(OutcomeUnknown, match="timeout"):
            cloud.jobs.create_job(job(cloud.workspace, junbi_launch="l-1"), stamp(), deadline=0.5)
        found = cloud.jobs.find_jobs(cloud.workspace, {"junbi.launch": "l-1"}, *window(cloud))
        assert len(found) == (1 if when == "after" else 0)


class TestJobs:
    """One job."""

    def test_a_bad_job_is_refused_in_the_services_words(self, cloud: Any) -> None:
        """What is wrong is told, and nothing is created."""
        with pytest.raises(Refused) as caught:
            cloud.jobs.create_job(job(cloud.workspace, name="no such name!"), stamp())
        assert "DisplayName" in caught.value.message
        assert cloud.jobs.find_jobs(cloud.workspace, {}, *window(cloud)) == []

    def test_ids_are_listed_in_batches(self, cloud: Any) -> None:
        """More ids than a query takes, unknown ones among them."""
        made = [cloud.jobs.create_job(job(cloud.workspace), stamp()) for _ in range(60)]
        listed = cloud.jobs.list_jobs_by_ids(cloud.workspace, [*made, "dlcnone"])
        assert sorted(found.job_id for found in listed) == sorted(made)
        assert cloud.jobs.list_jobs_by_ids(cloud.workspace, []) == []

    def test_it_can_be_stopped_once(self, cloud: Any) -> None:
        """A job that waits is stopped; one that has ended is a refusal."""
        made = cloud.jobs.create_job(job(cloud.workspace), stamp())
        cloud.jobs.stop_job(made)
        for _ in range(3):
            cloud.dlc_state.scheduler.step()
        assert cloud.jobs.get_job(made).status == "Stopped"
        with pytest.raises(Refused, match="BadRequest"):
            cloud.jobs.stop_job(made)

    def test_its_events_and_logs_are_read(self, cloud: Any) -> None:
        """A job runs, and what it said and what happened to it can be read."""
        made = cloud.jobs.create_job(job(cloud.workspace), stamp())
        end = time.monotonic() + 20
        while cloud.jobs.get_job(made).status not in {"Succeeded", "Failed"} and time.monotonic() < end:
            cloud.clock.advance(1)
            cloud.dlc_state.scheduler.step()
            time.sleep(0.05)
        found = cloud.jobs.get_job(made)
        assert found.status == "Succeeded"
        assert any("学習 done" in line for line in cloud.jobs.pod_logs(made, found.pods[0].pod_id))
        assert cloud.jobs.job_events(made)

    def test_an_unknown_one_is_refused(self, cloud: Any) -> None:
        """Absence is a clear answer."""
        with pytest.raises(Refused) as caught:
            cloud.jobs.get_job("dlcnone")
        assert caught.value.status == 404


class TestInstanceTypes:
    """Public resources."""

    def test_all_are_listed(self, cloud: Any) -> None:
        """Every page, each type once."""
        names = [spec.instance_type for spec in cloud.jobs.list_instance_types()]
        assert "ecs.g6.large" in names
        assert len(names) == len(set(names)) > 10
