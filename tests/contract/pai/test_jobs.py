"""Jobs through the unmodified official SDK: created, read, listed, stopped, deleted."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from alibabacloud_aiworkspace20210204 import models as workspace_sdk
from alibabacloud_pai_dlc20201203 import models as sdk
from alibabacloud_tea_openapi.exceptions import ClientException

from junbi.emulator.keys import AccessKey
from junbi.emulator.workspace.account import user_id

WORKSPACE = "104231"
URI = "oss://vision-data.oss-cn-hangzhou-internal.aliyuncs.com/digits/v1/"
WORKER = {"Type": "Worker", "Image": "i", "PodCount": 1, "EcsSpec": "ecs.g7.large"}


def refusal(call: Any, *arguments: Any) -> ClientException:
    """The refusal of a call that must be refused."""
    with pytest.raises(ClientException) as caught:
        call(*arguments)
    return caught.value


def make_dataset(pai: Any, **changes: Any) -> str:
    """A dataset's id."""
    members = {"name": "digits", "property": "DIRECTORY", "data_source_type": "OSS", "uri": URI}
    request = workspace_sdk.CreateDatasetRequest(**{**members, "workspace_id": WORKSPACE, **changes})
    return str(pai.workspace_sdk().create_dataset(request).body.dataset_id)


class TestCreateJob:
    """CreateJob and GetJob."""

    def test_the_whole_request_comes_back(self, pai: Any) -> None:
        """The official SDK creates a job on a quota with all it has, and reads it back as the service shows it."""
        dataset_id = make_dataset(pai)
        client = pai.dlc_sdk()
        request = sdk.CreateJobRequest(
            display_name="digits-1",
            job_type="PyTorchJob",
            workspace_id=WORKSPACE,
            resource_id="quotageneral01",
            priority=5,
            user_command="python t.py",
            job_specs=[
                sdk.JobSpec(
                    type="Worker",
                    image="registry.example.com/ns/torch:1",
                    pod_count=2,
                    resource_config=sdk.ResourceConfig(cpu="4", memory="8Gi", gpu="1"),
                )
            ],
            data_sources=[
                sdk.CreateJobRequestDataSources(
                    data_source_id=dataset_id, data_source_version="v1", mount_path="/mnt/digits", mount_access="RO"
                )
            ],
            user_vpc=sdk.CreateJobRequestUserVpc(
                vpc_id="vpc-1", switch_id="vsw-1", security_group_id="sg-1", extended_cidrs=["10.0.0.0/8"]
            ),
            envs={"JUNBI_LAUNCH": "l-1"},
            settings=sdk.JobSettings(tags={"junbi.launch": "l-1"}, enable_cpuaffinity=True),
        )
        job_id = client.create_job(request).body.job_id
        assert re.fullmatch(r"dlc[a-z0-9]+", job_id)
        job = client.get_job(job_id, sdk.GetJobRequest(need_detail=True)).body.to_map()
        assert (job["Status"], job["DisplayName"], job["Priority"]) == ("Creating", "digits-1", 5)
        assert job["DataSources"] == [{"DataSourceId": dataset_id, "MountPath": "/mnt/digits", "Uri": URI}]
        assert job["UserVpc"]["ExtendedCidrs"] == ["10.0.0.0/8"]
        assert job["Settings"]["Tags"] == {"junbi.launch": "l-1"}
        assert job["Envs"] == {"JUNBI_LAUNCH": "l-1"}
        assert (job["RequestCPU"], job["RequestGPU"], job["RequestMemory"]) == (8, 2.0, 16.0)
        assert [pod["PodId"] for pod in job["Pods"]] == [f"{job_id}-worker-0", f"{job_id}-worker-1"]
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", job["GmtCreateTime"])
        assert job["StatusHistory"][0]["Status"] == "Creating"

    def test_it_is_kept_before_the_answer(self, pai: Any) -> None:
        """A job that was answered is there after a restart."""
        job_id = pai.job()
        pai.restart()
        assert pai.get_job(job_id)["Status"] == "Creating"

    def test_the_default_workspace_is_fallen_back_to(self, pai: Any) -> None:
        """Without a workspace PAI takes the caller's default one, silently."""
        assert pai.get_job(pai.job(WorkspaceId=None))["WorkspaceId"] == WORKSPACE

    def test_the_datasets_own_mount_path_is_the_default(self, pai: Any) -> None:
        """Options.mountPath of the version is used where the job names no path."""
        dataset_id = make_dataset(pai, options='{"mountPath":"/mnt/data/"}')
        job = pai.get_job(pai.job(DataSources=[{"DataSourceId": dataset_id, "DataSourceVersion": "v1"}]))
        assert job["DataSources"][0]["MountPath"] == "/mnt/data/"

    def test_unknown_members_do_no_harm(self, pai: Any) -> None:
        """The service ignores what it does not know, and empty lists count as absent."""
        assert pai.job(Colour="red", DataSources=[], CustomEnvs=[], CodeSource={})

    @pytest.mark.parametrize(
        ("changes", "code"),
        [
            ({"DisplayName": None}, "MissingDisplayName"),
            ({"JobSpecs": None}, "MissingJobSpecs"),
            ({"JobSpecs": []}, "MissingJobSpecs"),
            ({"UserCommand": None}, "MissingUserCommand"),
            ({"DisplayName": "a b"}, "InvalidParameter"),
            ({"DisplayName": "a" * 257}, "InvalidParameter"),
            ({"JobType": "pytorchjob"}, "InvalidParameter"),
            ({"Priority": 10}, "InvalidParameter"),
            ({"Priority": "high"}, "InvalidParameter"),
            ({"JobMaxRunningTimeMinutes": 0}, "InvalidParameter"),
            ({"WorkspaceId": "7"}, "NotFound"),
            ({"WorkspaceId": 104231}, "InvalidParameter"),
            ({"JobSpecs": [{**WORKER, "ResourceConfig": {"CPU": "4"}}]}, "InvalidParameter"),
            ({"JobSpecs": [{**WORKER, "ResourceConfig": {"CPU": 4}}]}, "InvalidParameter"),
            ({"JobSpecs": [{**WORKER, "EcsSpec": None}]}, "InvalidParameter"),
            ({"JobSpecs": [{**WORKER, "EcsSpec": "ecs.z9.large"}]}, "InvalidParameter"),
            ({"JobSpecs": [{**WORKER, "PodCount": 0}]}, "InvalidParameter"),
            ({"JobSpecs": [{**WORKER, "Image": ""}]}, "InvalidParameter"),
            ({"ResourceId": "quotageneral01"}, "InvalidParameter"),
            ({"ResourceId": "quota2"}, "InvalidParameter"),
            ({"CodeSource": {"CodeSourceId": "code-1"}}, "NotFound"),
            ({"UserVpc": {"VpcId": "vpc-1", "SwitchId": "vsw-1"}}, "InvalidParameter"),
            ({"DataSources": [{"DataSourceId": "d-none", "MountPath": "/m"}]}, "NotFound"),
            ({"DataSources": [{"DataSourceId": "d-none", "Uri": URI, "MountPath": "/m"}]}, "InvalidParameter"),
            ({"DataSources": [{"MountPath": "/m"}]}, "InvalidParameter"),
            ({"DataSources": [{"Uri": URI}]}, "InvalidParameter"),
            ({"DataSources": [{"Uri": URI, "MountPath": "/"}]}, "InvalidParameter"),
            ({"DataSources": [{"Uri": URI, "MountPath": "/a/../.."}]}, "InvalidParameter"),
            ({"DataSources": [{"Uri": URI, "MountPath": "/m", "MountAccess": "WO"}]}, "InvalidParameter"),
            ({"DataSources": [{"Uri": "ftp://a.b/c/", "MountPath": "/m"}]}, "InvalidParameter"),
        ],
    )
    def test_what_is_refused(self, pai: Any, changes: dict[str, Any], code: str) -> None:
        """A request that breaks one rule is refused and leaves no job behind."""
        status, answer = pai.create_job(**changes)
        assert (answer["Code"], status >= 400) == (code, True), answer
        assert pai.dlc.jobs.all() == []

    def test_an_unknown_quota_is_named(self, pai: Any) -> None:
        """The code tells a missing quota from other missing things."""
        specs = [{"Type": "Worker", "Image": "i", "ResourceConfig": {"CPU": "4", "Memory": "8Gi"}}]
        _, answer = pai.create_job(ResourceId="quota2", JobSpecs=specs)
        assert answer["Code"] == "QuotaNotFound"

    def test_a_version_that_does_not_exist(self, pai: Any) -> None:
        """The dataset is there, its v7 is not."""
        source = {"DataSourceId": make_dataset(pai), "DataSourceVersion": "v7", "MountPath": "/m"}
        assert pai.create_job(DataSources=[source])[1]["Code"] == "NotFound"

    def test_a_dataset_of_another_workspace(self, pai: Any) -> None:
        """A dataset is found in its own workspace only."""
        source = {"DataSourceId": make_dataset(pai), "MountPath": "/m"}
        pai.restart(workspace_id="104232")
        assert pai.create_job(WorkspaceId="104232", DataSources=[source])[1]["Code"] == "NotFound"

    def test_a_body_over_64_kib_is_too_large(self, pai: Any) -> None:
        """65,536 bytes pass, one more does not."""
        _, answer = pai.create_job(UserCommand="x" * 65_536)
        assert answer["Code"] == "RequestTooLarge"
        assert pai.create_job(UserCommand="x" * 65_000)[0] == 200


class TestListJobs:
    """ListJobs."""

    def ids(self, pai: Any, client: Any = None, **query: Any) -> list[str]:
        """The ids that the SDK lists."""
        request = sdk.ListJobsRequest(**{"workspace_id": WORKSPACE, "show_own": False, **query})
        return [job.job_id for job in (client or pai.dlc_sdk()).list_jobs(request).body.jobs]

    def test_newest_first_in_pages_of_ten(self, pai: Any) -> None:
        """The count is of all; Order asc turns the list."""
        made = []
        for number in range(11):
            made.append(pai.job(DisplayName=f"j{number}"))
            pai.clock.advance(1)
        assert self.ids(pai) == made[::-1][:10]
        assert self.ids(pai, page_number=2) == [made[0]]
        assert self.ids(pai, order="asc", page_size=3) == made[:3]
        assert pai.dlc_sdk().list_jobs(sdk.ListJobsRequest(page_size=1)).body.total_count == 11

    def test_filters(self, pai: Any) -> None:
        """Part of a name in any case, ids, type, status and tags narrow the list."""
        first = pai.job(DisplayName="Digits-1", Settings={"Tags": {"junbi.launch": "l 1", "team": "a"}})
        pai.clock.advance(1)
        second = pai.job(DisplayName="faces", JobType="TFJob")
        assert self.ids(pai, display_name="digits") == [first]
        assert self.ids(pai, job_ids=f"{second},dlcnone") == [second]
        assert self.ids(pai, job_type="TFJob") == [second]
        assert self.ids(pai, tags={"junbi.launch": "l 1"}) == [first]
        assert self.ids(pai, tags={"junbi.launch": "l 1", "team": "b"}) == []
        assert self.ids(pai, status="Creating") == [second, first]
        assert self.ids(pai, status="Running") == []
        assert self.ids(pai, sort_by="DisplayName", order="asc") == [first, second]
        assert self.ids(pai, workspace_id="7") == []

    def test_items_show_their_tags(self, pai: Any) -> None:
        """The tags of a job are in its item, as are its status and its reason; sums are strings there."""
        job_id = pai.job(Settings={"Tags": {"junbi.launch": "l-1"}})
        item = pai.dlc_sdk().list_jobs(sdk.ListJobsRequest(show_own=True)).body.to_map()["Jobs"][0]
        assert (item["JobId"], item["Settings"]["Tags"]) == (job_id, {"junbi.launch": "l-1"})
        assert (item["RequestMemory"], item["Status"], item["WorkspaceId"]) == ("8", "Creating", WORKSPACE)
        raw = pai.call("GET", "/api/v1/jobs", "ListJobs", "2020-12-03")[1]["Jobs"][0]
        assert "Uri" not in str(raw["DataSources"])

    def test_only_the_last_seven_days_unless_asked(self, pai: Any) -> None:
        """An older job is found with an explicit window only."""
        job_id = pai.job()
        created = pai.clock.now()
        pai.clock.advance(timedelta(days=7, minutes=1).total_seconds())
        assert self.ids(pai) == []
        since = f"{created - timedelta(minutes=1):%Y-%m-%dT%H:%M:%SZ}"
        assert self.ids(pai, start_time=since) == [job_id]
        assert self.ids(pai, end_time=f"{created + timedelta(minutes=1):%Y-%m-%dT%H:%M:%SZ}") == [job_id]
        assert self.ids(pai, start_time=f"{created + timedelta(minutes=1):%Y-%m-%dT%H:%M:%SZ}") == []

    def test_a_window_from_the_shown_creation_finds_the_job(self, pai: Any) -> None:
        """Times are shown in whole seconds; asking from exactly that second includes the job."""
        job_id = pai.job()
        created = pai.get_job(job_id)["GmtCreateTime"]
        assert self.ids(pai, start_time=created, end_time=created) == [job_id]

    def test_ones_own_are_listed_unless_asked_for_all(self, pai: Any) -> None:
        """ShowOwn is true where absent: another role's jobs are hidden; renewed keys of a role are the same user."""
        root_job = pai.job()
        pai.clock.advance(1)
        role = pai.dlc_sdk(pai.keys.issue("reconcile"))
        request = sdk.CreateJobRequest(
            display_name="r",
            job_type="TFJob",
            user_command="c",
            workspace_id=WORKSPACE,
            job_specs=[sdk.JobSpec(type="Worker", image="i", pod_count=1, ecs_spec="ecs.c6.large")],
        )
        role_job = role.create_job(request).body.job_id
        renewed = pai.dlc_sdk(pai.keys.issue("reconcile"))
        assert self.ids(pai, renewed, show_own=None) == [role_job]
        assert self.ids(pai, renewed, show_own=True) == [role_job]
        assert self.ids(pai, show_own=None) == [root_job]
        assert self.ids(pai, renewed, show_own=False) == [role_job, root_job]

    def test_a_role_is_one_user_whatever_its_key(self, pai: Any) -> None:
        """Two keys of one role belong to one user, another role's to another; the account is neither."""
        keys = [AccessKey(f"STS.{role}.{expires}", "s", "t") for role, expires in (("a.b", 1), ("a.b", 2), ("a", 1))]
        first, renewed, other = (user_id(key) for key in keys)
        assert first == renewed
        assert len({first, other, user_id(pai.keys.root)}) == 3
        assert first.isdigit()

    def test_lists_may_lag(self, pai: Any) -> None:
        """With a lag set, a job that GetJob shows is missing from the list until the lag is over."""
        pai.dlc.list_lag = 30.0
        job_id = pai.job()
        assert pai.get_job(job_id)["JobId"] == job_id
        assert self.ids(pai) == []
        pai.clock.advance(31)
        assert self.ids(pai) == [job_id]

    @pytest.mark.parametrize(
        "query", [{"page_size": 101}, {"page_number": 0}, {"sort_by": "Colour"}, {"order": "up"}, {"start_time": "x"}]
    )
    def test_what_is_refused(self, pai: Any, query: dict[str, Any]) -> None:
        """Pages, orders and times that cannot be."""
        assert refusal(pai.dlc_sdk().list_jobs, sdk.ListJobsRequest(**query)).code == "InvalidParameter"

    def test_tags_must_be_json(self, pai: Any) -> None:
        """A tag filter that is not a JSON object is refused, not ignored."""
        request = pai.signed("GET", "/api/v1/jobs", "ListJobs", "2020-12-03", query={"Tags": "a=b"})
        request.target += "?Tags=a%3Db"
        assert pai.send(request)[1]["Code"] == "InvalidParameter"


class TestStopAndDelete:
    """StopJob and DeleteJob."""

    def test_a_stopped_job_ends_as_stopped(self, pai: Any) -> None:
        """StopJob stops a running job's pods; the reason says that it was asked for."""
        job_id = pai.job()
        pai.bring_to(job_id, "Running")
        assert pai.dlc_sdk().stop_job(job_id).body.job_id == job_id
        assert pai.get_job(job_id)["Status"] == "Stopping"
        job = pai.bring_to(job_id, "Stopped")
        assert pai.executor.stopped == [f"{job_id}-worker-0"]
        assert job["ReasonCode"] == "JobStoppedByUser"
        assert job["GmtStoppedTime"] == job["GmtFinishTime"]

    def test_a_queued_job_never_starts_once_stopped(self, pai: Any) -> None:
        """Stopped before its pods were made, it makes none."""
        job_id = pai.job()
        pai.bring_to(job_id, "Queuing")
        pai.dlc_sdk().stop_job(job_id)
        pai.bring_to(job_id, "Stopped")
        pai.pass_time()
        assert pai.executor.specs == []

    def test_an_ended_job_cannot_be_stopped(self, pai: Any) -> None:
        """The service answers BadRequest; an unknown job is NotFound."""
        job_id = pai.job()
        pai.dlc_sdk().stop_job(job_id)
        pai.bring_to(job_id, "Stopped")
        assert refusal(pai.dlc_sdk().stop_job, job_id).code == "BadRequest"
        assert refusal(pai.dlc_sdk().stop_job, "dlcnone").code == "NotFound"

    def test_delete(self, pai: Any) -> None:
        """An ended job can be deleted and is gone; a live one is refused."""
        job_id = pai.job()
        assert refusal(pai.dlc_sdk().delete_job, job_id).code == "BadRequest"
        pai.dlc_sdk().stop_job(job_id)
        pai.bring_to(job_id, "Stopped")
        pai.dlc_sdk().delete_job(job_id)
        assert refusal(pai.dlc_sdk().get_job, job_id, sdk.GetJobRequest()).code == "NotFound"


class TestUpdateJob:
    """UpdateJob."""

    def test_priority_counts_on_a_quota_before_running_only(self, pai: Any) -> None:
        """Elsewhere it is ignored with HTTP 200, as the service does."""
        specs = [{"Type": "Worker", "Image": "i", "ResourceConfig": {"CPU": "4", "Memory": "8Gi"}}]
        on_quota, public = pai.job(ResourceId="quotageneral01", JobSpecs=specs), pai.job()
        client = pai.dlc_sdk()
        for job_id in (on_quota, public):
            assert client.update_job(job_id, sdk.UpdateJobRequest(priority=7)).body.job_id == job_id
        assert (pai.get_job(on_quota)["Priority"], pai.get_job(public)["Priority"]) == (7, 1)
        pai.bring_to(on_quota, "Running")
        client.update_job(on_quota, sdk.UpdateJobRequest(priority=9))
        assert pai.get_job(on_quota)["Priority"] == 7
        assert refusal(client.update_job, on_quota, sdk.UpdateJobRequest(priority=10)).code == "InvalidParameter"

    def test_nothing_else_is_lost(self, pai: Any) -> None:
        """A new description leaves the rest as it was."""
        job_id = pai.job()
        before = pai.get_job(job_id)
        pai.dlc_sdk().update_job(job_id, sdk.UpdateJobRequest(description="new"))
        after = pai.get_job(job_id)
        assert after["Description"] == "new"
        assert (after["JobSpecs"], after["UserCommand"]) == (before["JobSpecs"], before["UserCommand"])


class TestEventsAndLogs:
    """GetJobEvents, GetPodEvents and GetPodLogs."""

    def test_events_are_lines_of_text(self, pai: Any) -> None:
        """Each begins with a time; the pods' own come with them; the newest are kept where fewer are asked for."""
        job_id = pai.job()
        pai.bring_to(job_id, "Running")
        client = pai.dlc_sdk()
        events = client.get_job_events(job_id, sdk.GetJobEventsRequest()).body.events
        assert all(re.match(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d ", line) for line in events)
        assert any("EnvPreparing" in line for line in events)
        assert f"Created pod: {job_id}-worker-0" in events[-1]
        assert client.get_job_events(job_id, sdk.GetJobEventsRequest(max_events_num=1)).body.events == events[-1:]

    def test_logs_and_events_of_a_pod(self, pai: Any) -> None:
        """The last lines that were asked for; an unknown pod is NotFound."""
        job_id = pai.job()
        pod_id = f"{job_id}-worker-0"
        client = pai.dlc_sdk()
        logs = client.get_pod_logs(job_id, pod_id, sdk.GetPodLogsRequest(max_lines=2)).body
        assert (logs.logs, logs.pod_id) == (["two", "three"], pod_id)
        assert client.get_pod_events(job_id, pod_id, sdk.GetPodEventsRequest()).body.events
        for call, request in (
            (client.get_pod_logs, sdk.GetPodLogsRequest()),
            (client.get_pod_events, sdk.GetPodEventsRequest()),
        ):
            assert refusal(call, job_id, f"{job_id}-worker-9", request).code == "NotFound"


class TestEcsSpecs:
    """ListEcsSpecs."""

    def test_instance_types(self, pai: Any) -> None:
        """CPU and GPU types with their sizes, by kind and by name."""
        client = pai.dlc_sdk()
        found = client.list_ecs_specs(sdk.ListEcsSpecsRequest(instance_types="ecs.gn7i-c8g1.2xlarge,ecs.g7.large")).body
        sizes = {spec.instance_type: (spec.cpu, spec.memory, spec.gpu) for spec in found.ecs_specs}
        assert sizes == {"ecs.g7.large": (2, 8, 0), "ecs.gn7i-c8g1.2xlarge": (8, 30, 1)}
        cards = client.list_ecs_specs(sdk.ListEcsSpecsRequest(accelerator_type="GPU", page_size=100)).body
        assert cards.total_count == len(cards.ecs_specs) > 0
        assert all(spec.gpu for spec in cards.ecs_specs)

    def test_sorting_is_refused(self, pai: Any) -> None:
        """SortBy is documented, but the service answers 400."""
        error = refusal(pai.dlc_sdk().list_ecs_specs, sdk.ListEcsSpecsRequest(sort_by="CPU"))
        assert error.status_code == 400


def test_times_are_emulated(pai: Any) -> None:
    """What the cloud writes down is by the clock that tests step."""
    pai.clock.advance(timedelta(days=400).total_seconds())
    assert pai.get_job(pai.job())["GmtCreateTime"] > f"{datetime.now(UTC) + timedelta(days=399):%Y-%m-%dT%H:%M:%SZ}"
