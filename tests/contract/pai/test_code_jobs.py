"""Jobs that run code from a Git repository, sent by the unmodified official SDK."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import pytest
from alibabacloud_aiworkspace20210204 import models as workspace
from alibabacloud_pai_dlc20201203 import models as dlc
from tests.contract.git.conftest import GitServer, Repository, git, repository, server

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["repository", "server"]
WORKSPACE = "104231"


@pytest.fixture
def source(running_pai: Any, server: GitServer) -> Callable[..., str]:
    """Creates code sources of ``vision/trainer.git``; gives their ids."""

    def create(**changes: Any) -> str:
        members = {
            "workspace_id": WORKSPACE,
            "display_name": "trainer",
            "code_repo": f"{server.url}/vision/trainer.git",
            "code_branch": "main",
            "mount_path": "/root/code",
        }
        request = workspace.CreateCodeSourceRequest(**{**members, **changes})
        return str(running_pai.workspace_sdk().create_code_source(request).body.code_source_id)

    return create


def send(pai: Any, command: str, **code: str) -> str:
    """Send a job with code; its id."""
    spec = dlc.JobSpec(type="Worker", image="i", pod_count=1, ecs_spec="ecs.g7.large")
    request = dlc.CreateJobRequest(
        display_name="digits",
        job_type="PyTorchJob",
        workspace_id=WORKSPACE,
        user_command=command,
        job_specs=[spec],
        code_source=dlc.CreateJobRequestCodeSource(**code),
    )
    return str(pai.dlc_sdk().create_job(request).body.job_id)


def log(pai: Any, job_id: str) -> str:
    """What the job's only pod wrote."""
    request = dlc.GetPodLogsRequest()
    lines = pai.dlc_sdk().get_pod_logs(job_id, f"{job_id}-worker-0", request).body.logs
    return " ".join(line for line in lines if not line.startswith("[junbi]"))


def test_a_job_runs_the_commit_that_it_names(running_pai: Any, source: Any, repository: Repository) -> None:
    """In a folder of the repository's name below the mount, not what the branch has come to since."""
    first = git(repository.clone, "rev-parse", "HEAD")
    repository.commit("two")
    made = source()
    job_id = send(running_pai, "cat /root/code/trainer/train.py", code_source_id=made, commit=first)
    running_pai.bring_to(job_id, "Succeeded")
    assert log(running_pai, job_id) == "one"
    found = running_pai.dlc_sdk().get_job(job_id, dlc.GetJobRequest()).body.code_source
    assert found.to_map() == {"CodeSourceId": made, "Commit": first, "MountPath": "/root/code/trainer"}


def test_what_a_job_leaves_out_the_code_source_says(running_pai: Any, source: Any, repository: Repository) -> None:
    """Branch and place; flattened into the mount where the code source says so; a job's own place wins."""
    repository.commit("two")
    made = source(clone_type=1)
    job_id = send(running_pai, "cat /root/code/train.py", code_source_id=made)
    running_pai.bring_to(job_id, "Succeeded")
    other = send(running_pai, "cat /opt/x/train.py", code_source_id=made, mount_path="/opt/x")
    running_pai.bring_to(other, "Succeeded")
    assert (log(running_pai, job_id), log(running_pai, other)) == ("two", "two")


@pytest.mark.parametrize(
    "case",
    [
        ({"code_repo_access_token": "hunter3"}, {}, "refuses this token"),
        ({}, {}, "wants a token"),
        ({"code_repo_access_token": "hunter2"}, {"commit": "ab" * 20}, "ab" * 20),
        ({"code_repo_access_token": "hunter2"}, {"branch": "none"}, "none"),
    ],
)
def test_a_job_whose_code_cannot_be_had_fails_before_it_runs(
    running_pai: Any, server: Any, source: Any, case: Any
) -> None:
    """While its environment is prepared, with a reason that names what is wrong and no token."""
    (changes, code, words), server.token = case, "hunter2"
    job_id = send(running_pai, "echo ran", code_source_id=source(**changes), **code)
    running_pai.bring_to(job_id, "EnvPreparing")
    job = failed(running_pai, job_id)
    assert (job["ReasonCode"], words in job["ReasonMessage"]) == ("EnvPrepareFailed", True), job["ReasonMessage"]
    assert "hunter" not in str(job)
    assert [step["Status"] for step in job["StatusHistory"]][-2:] == ["EnvPreparing", "Failed"]
    assert "ran" not in log(running_pai, job_id)


def failed(pai: Any, job_id: str) -> dict[str, Any]:
    """A job, once it has Failed."""
    end = time.monotonic() + 30
    while (job := pai.get_job(job_id))["Status"] != "Failed":
        assert time.monotonic() < end, job
        pai.pass_time(0.5)
        time.sleep(0.02)
    return dict(job)


@pytest.mark.parametrize("path", ["code", "/", "/a/../b"])
def test_a_place_that_none_can_be_is_refused(running_pai: Any, source: Any, path: str) -> None:
    """When the job is sent, not when it should run."""
    spec = {"CodeSourceId": source(clone_type=1), "MountPath": path}
    status, answer = running_pai.create_job(CodeSource=spec)
    assert (status, answer["Code"]) == (400, "InvalidParameter")
