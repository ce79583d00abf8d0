"""How jobs move on: by the clock until their pods start, then by what the pods do."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from junbi.emulator.dlc.pods import Mount, PodState

URI = "oss://vision-data.oss-cn-hangzhou-internal.aliyuncs.com/digits/v1/"
WORKER = {"Type": "Worker", "Image": "i", "PodCount": 2, "EcsSpec": "ecs.g7.large"}


def statuses(job: dict[str, Any]) -> list[str]:
    """The statuses a job went through."""
    return [entry["Status"] for entry in job["StatusHistory"]]


def test_a_job_goes_its_whole_way(pai: Any) -> None:
    """Every status in order, each with its times, and the pods' times with them."""
    job_id = pai.job()
    pai.bring_to(job_id, "Running")
    pai.executor.say("Succeeded", exit_code=0)
    pai.clock.advance(60)
    job = pai.bring_to(job_id, "Succeeded")
    assert statuses(job) == ["Creating", "Queuing", "EnvPreparing", "Running", "Succeeded"]
    assert all("EndTime" in entry for entry in job["StatusHistory"][:-1])
    assert "EndTime" not in job["StatusHistory"][-1]
    times = [job[f"Gmt{name}Time"] for name in ("Create", "Submitted", "Running", "Successed", "Finish")]
    assert times == sorted(times)
    assert job["Duration"] >= 60
    assert (job["Pods"][0]["Status"], job["Pods"][0]["GmtFinishTime"]) == ("Succeeded", job["GmtFinishTime"])


def test_nothing_moves_while_no_time_passes(pai: Any) -> None:
    """Emulated time alone decides how long a phase lasts, and one step is one status at most."""
    job_id = pai.job()
    pai.clock.scale = 0.0
    for _ in range(3):
        pai.dlc.scheduler.step()
    assert pai.get_job(job_id)["Status"] == "Creating"
    pai.pass_time(100)
    assert pai.get_job(job_id)["Status"] == "Queuing"


def test_what_a_pod_gets(pai: Any) -> None:
    """Command, variables of the request and of the distributed set, mounts with their access."""
    source = {"Uri": URI, "MountPath": "/mnt/digits", "MountAccess": "RO"}
    output = {"Uri": URI.replace("v1", "out"), "MountPath": "/mnt/out"}
    job_id = pai.job(
        JobSpecs=[WORKER, {**WORKER, "Type": "Master", "PodCount": 1, "UserCommand": "lead"}],
        DataSources=[source, output],
        Envs={"A": "1", "DLC_JOB_ID": "mine"},
        CustomEnvs=[{"Key": "B", "Value": "2"}],
        JobMaxRunningTimeMinutes=2,
    )
    pai.bring_to(job_id, "Running")
    master, first, second = pai.executor.specs
    names = [f"{job_id}-master-0", f"{job_id}-worker-0", f"{job_id}-worker-1"]
    assert [spec.pod_id for spec in (master, first, second)] == names
    assert [spec.command for spec in (master, first)] == ["lead", "echo hello"]
    assert [spec.env["RANK"] for spec in (master, first, second)] == ["0", "1", "2"]
    assert {name: second.env[name] for name in ("A", "B", "DLC_JOB_ID", "WORLD_SIZE", "MASTER_ADDR")} == {
        "A": "1",
        "B": "2",
        "DLC_JOB_ID": job_id,
        "WORLD_SIZE": "3",
        "MASTER_ADDR": "127.0.0.1",
    }
    assert master.env["MASTER_PORT"] == second.env["MASTER_PORT"]
    assert first.mounts == (
        Mount("/mnt/digits", "vision-data", "digits/v1/", read_only=True),
        Mount("/mnt/out", "vision-data", "digits/out/", read_only=False),
    )
    assert first.max_seconds == 120.0


def test_the_version_named_is_the_one_mounted(pai: Any) -> None:
    """A job that pins v2 gets v2's prefix; v1 where it names none."""
    dataset = {"Name": "d", "Property": "DIRECTORY", "DataSourceType": "OSS", "Uri": URI}
    _, made = pai.call("POST", "/api/v1/datasets", "CreateDataset", "2021-02-04", dataset)
    path = f"/api/v1/datasets/{made['DatasetId']}/versions"
    version = {"Property": "DIRECTORY", "DataSourceType": "OSS", "Uri": URI.replace("v1", "v2")}
    assert pai.call("POST", path, "CreateDatasetVersion", "2021-02-04", version)[1]["VersionName"] == "v2"
    source = {"DataSourceId": made["DatasetId"], "MountPath": "/m"}
    for changes, prefix in (({}, "digits/v1/"), ({"DataSourceVersion": "v2"}, "digits/v2/")):
        pai.bring_to(pai.job(DataSources=[{**source, **changes}]), "Running")
        assert pai.executor.specs[-1].mounts[0].prefix == prefix


def test_a_pod_that_fails_fails_the_job(pai: Any) -> None:
    """The exit code is in the reason, and the other pods are stopped."""
    job_id = pai.job(JobSpecs=[WORKER])
    pai.bring_to(job_id, "Running")
    pai.executor.states[f"{job_id}-worker-1"] = PodState("Failed", 3, datetime.now(UTC), None, "exit code 3")
    pai.pass_time()
    job = pai.get_job(job_id)
    assert (job["Status"], job["ReasonCode"]) == ("Failed", "JobFailed")
    assert "worker-1: exit code 3" in job["ReasonMessage"]
    assert pai.executor.stopped == [f"{job_id}-worker-0"]
    assert job["GmtFailedTime"]


def test_all_pods_must_succeed(pai: Any) -> None:
    """One pod at its end is not the job's end."""
    job_id = pai.job(JobSpecs=[WORKER])
    pai.bring_to(job_id, "Running")
    pai.executor.states[f"{job_id}-worker-0"] = PodState("Succeeded", 0)
    pai.pass_time()
    assert pai.get_job(job_id)["Status"] == "Running"


def test_a_pod_that_cannot_start_fails_the_job_while_preparing(pai: Any) -> None:
    """The job never was Running, and the reason is the executor's."""
    job_id = pai.job()
    pai.executor.states[f"{job_id}-worker-0"] = PodState("Failed", None, None, None, "no such image")
    for _ in range(4):
        pai.pass_time()
    job = pai.get_job(job_id)
    assert statuses(job)[-2:] == ["EnvPreparing", "Failed"]
    assert "no such image" in job["ReasonMessage"]


def test_a_mount_that_stays_impossible_fails_the_job_after_a_while(pai: Any) -> None:
    """It hangs in EnvPreparing first, as the real service does, and then fails with what the executor says."""
    job_id = pai.job()
    pai.executor.states[f"{job_id}-worker-0"] = PodState("Pending", message="NoSuchBucket: vision-data")
    for _ in range(5):
        pai.pass_time()
    assert pai.get_job(job_id)["Status"] == "EnvPreparing"
    pai.pass_time(31)
    job = pai.get_job(job_id)
    assert (job["Status"], job["ReasonCode"]) == ("Failed", "EnvPrepareFailed")
    assert "NoSuchBucket" in job["ReasonMessage"]
    assert pai.executor.stopped == [f"{job_id}-worker-0"]


def test_slow_mounts_are_waited_for(pai: Any) -> None:
    """Without a problem, preparing may take as long as it takes."""
    job_id = pai.job()
    pai.executor.states[f"{job_id}-worker-0"] = PodState("Pending")
    for _ in range(4):
        pai.pass_time(1000)
    assert pai.get_job(job_id)["Status"] == "EnvPreparing"


@pytest.mark.parametrize(
    ("uri", "why"), [("nas://fs.cn-hangzhou/a/", "mounts OSS only"), (f"{URI}part.csv", "not a folder")]
)
def test_a_mount_that_the_local_dlc_cannot_make_is_told(pai: Any, uri: str, why: str) -> None:
    """The job is accepted, as by the real service, and fails with the limit's name."""
    job_id = pai.job(DataSources=[{"Uri": uri, "MountPath": "/m"}])
    for _ in range(4):
        pai.pass_time()
    job = pai.get_job(job_id)
    assert job["Status"] == "Failed"
    assert why in job["ReasonMessage"]
    assert pai.executor.specs == []


def test_a_job_over_its_time_is_ended(pai: Any) -> None:
    """JobMaxRunningTimeMinutes is emulated time."""
    job_id = pai.job(JobMaxRunningTimeMinutes=2)
    pai.bring_to(job_id, "Running")
    pai.pass_time(119)
    assert pai.get_job(job_id)["Status"] == "Running"
    pai.pass_time(2)
    job = pai.get_job(job_id)
    assert (job["Status"], "JobMaxRunningTimeMinutes" in job["ReasonMessage"]) == ("Failed", True)
    assert pai.executor.stopped == [f"{job_id}-worker-0"]


def test_one_jobs_trouble_does_not_stop_the_others(pai: Any, caplog: pytest.LogCaptureFixture) -> None:
    """An executor that cannot work is told about once, and asked again."""
    job_id = pai.job()
    pai.executor.trouble = OSError("disk full")
    for _ in range(6):
        pai.pass_time()
    assert pai.get_job(job_id)["Status"] == "EnvPreparing"
    assert [record.levelname for record in caplog.records if job_id in record.getMessage()] == ["ERROR"]
    pai.executor.trouble = None
    pai.bring_to(job_id, "Running")


def test_a_stop_that_comes_while_pods_start_is_not_lost(pai: Any) -> None:
    """StopJob between two looks of the scheduler wins: the job never runs, and its pod is stopped."""
    job_id = pai.job()
    pai.bring_to(job_id, "EnvPreparing")
    pai.executor.meanwhile = lambda: pai.call("POST", f"/api/v1/jobs/{job_id}/stop", "StopJob", "2020-12-03")
    job = pai.bring_to(job_id, "Stopped")
    assert statuses(job) == ["Creating", "Queuing", "EnvPreparing", "Stopping", "Stopped"]
    assert pai.executor.stopped == [f"{job_id}-worker-0"]


@pytest.mark.parametrize("status", ["Creating", "Queuing", "EnvPreparing", "Running"])
def test_after_a_restart_a_job_goes_on_and_no_pod_starts_twice(pai: Any, status: str) -> None:
    """The records are opened anew at any moment; the pod is handed over once and watched to its end."""
    job_id = pai.job()
    pai.bring_to(job_id, status)
    pai.restart()
    pai.bring_to(job_id, "Running")
    pai.restart()
    assert [spec.pod_id for spec in pai.executor.specs] == [f"{job_id}-worker-0"]
    pai.executor.say("Succeeded", exit_code=0)
    assert statuses(pai.bring_to(job_id, "Succeeded")).count("Running") == 1


def test_after_a_restart_a_stop_goes_on(pai: Any) -> None:
    """A stop that was answered is carried out by whoever opens the records next."""
    job_id = pai.job()
    pai.bring_to(job_id, "Running")
    pai.call("POST", f"/api/v1/jobs/{job_id}/stop", "StopJob", "2020-12-03")
    pai.restart()
    pai.bring_to(job_id, "Stopped")
    assert pai.executor.stopped == [f"{job_id}-worker-0"]


def test_the_background_thread_moves_jobs_on(pai: Any) -> None:
    """Started, the scheduler needs nobody to step it; stopped, it is still."""
    job_id = pai.job()
    pai.clock.advance(10)
    pai.dlc.scheduler.start(every=0.01)
    for _ in range(500):
        if pai.get_job(job_id)["Status"] != "Creating":
            break
    assert pai.get_job(job_id)["Status"] != "Creating"
