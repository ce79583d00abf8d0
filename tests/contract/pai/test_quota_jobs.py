"""Jobs in quotas, as the official SDKs of DLC and PaiStudio see them."""

from __future__ import annotations

from typing import Any

import pytest
from alibabacloud_pai_dlc20201203 import models as dlc
from alibabacloud_paistudio20220112 import models as sdk
from alibabacloud_paistudio20220112.client import Client

GENERAL, TEAM, LINGJUN = "quotageneral01", "quotateam01", "quotalingjun01"


def specs(gpus: str = "1", pods: int = 1, **config: str) -> list[dict[str, Any]]:
    """Workers that ask a quota for so much each."""
    asked = {"CPU": "8", "Memory": "28Gi", "GPU": gpus, **config}
    return [{"Type": "Worker", "Image": "i", "PodCount": pods, "ResourceConfig": asked}]


def submit(pai: Any, quota: str = TEAM, **changes: Any) -> str:
    """A job that asks for one GPU of a quota; the team's has one."""
    return str(pai.job(**{"ResourceId": quota, "JobSpecs": specs(), **changes}))


def status(pai: Any, job_id: str) -> str:
    """Where a job stands."""
    return str(pai.get_job(job_id)["Status"])


def rest(pai: Any) -> None:
    """Let so much time go by that every job is where it stays."""
    for _ in range(6):
        pai.pass_time()


def amounts(pai: Any, quota: str) -> dict[str, dict[str, str]]:
    """What PaiStudio's own SDK reads of a quota's amounts."""
    body = Client(pai.config()).get_quota(quota, sdk.GetQuotaRequest(verbose=True)).body
    return dict(body.quota_details.to_map())


def gpus(pai: Any, quota: str) -> dict[str, str]:
    """The GPUs of each of its amounts, without those that no job changes."""
    still = {"AllocatableQuota", "ActualMinQuota", "DesiredMinQuota", "SystemReservedQuota", "UsedQuota"}
    return {name: amount["GPU"] for name, amount in amounts(pai, quota).items() if name not in still}


def queue(pai: Any, quota: str = TEAM, **query: Any) -> list[Any]:
    """What the SDK lists of a quota's workloads."""
    body = Client(pai.config()).list_quota_workloads(quota, sdk.ListQuotaWorkloadsRequest(**query)).body
    assert body.total_count >= len(body.workloads)
    return list(body.workloads)


def ids(found: list[Any]) -> list[str]:
    """The jobs of a list."""
    return [one.workload_id for one in found]


class TestAcceptance:
    """What DLC checks before it gives out an id."""

    @pytest.mark.parametrize(
        ("changes", "code"),
        [
            ({"ResourceId": "quotanone"}, "QuotaNotFound"),
            ({"JobSpecs": specs(CPU="eight")}, "InvalidParameter"),
            ({"JobSpecs": specs(CPU="8Gi")}, "InvalidParameter"),
            ({"JobSpecs": specs(CPU="-8")}, "InvalidParameter"),
            ({"JobSpecs": specs(Memory="28GB")}, "InvalidParameter"),
            ({"JobSpecs": specs("NaN")}, "InvalidParameter"),
            ({"ResourceId": LINGJUN, "JobType": "XGBoostJob"}, "InvalidParameter"),
        ],
    )
    def test_what_is_refused(self, pai: Any, changes: dict[str, Any], code: str) -> None:
        """A request that breaks one rule leaves no job behind."""
        refused, answer = pai.create_job(**{"ResourceId": TEAM, "JobSpecs": specs(), **changes})
        assert (answer.get("Code"), refused >= 400) == (code, True), answer
        assert pai.dlc.jobs.all() == []

    @pytest.mark.parametrize(
        ("change", "code"),
        [
            ({"Status": "Creating"}, "QuotaNotReady"),
            ({"Workspaces": None}, "QuotaNotInWorkspace"),
            ({"Workspaces": [{"WorkspaceId": "1"}]}, "QuotaNotInWorkspace"),
        ],
    )
    def test_the_quota_must_be_ready_and_the_workspaces(self, pai: Any, change: dict[str, Any], code: str) -> None:
        """A job of this workspace finds no way into another one's quota."""
        pai.dlc.quotas.put({"QuotaId": TEAM, **change})
        _, answer = pai.create_job(ResourceId=TEAM, JobSpecs=specs())
        assert answer["Code"] == code

    @pytest.mark.parametrize("kind", ["TFJob", "PyTorchJob", "ElasticBatchJob", "MPIJob", "RayJob"])
    def test_lingjun_takes_these_types(self, pai: Any, kind: str) -> None:
        """And GetJob and ListJobs tell the kind of resource and the quota."""
        job_id = submit(pai, LINGJUN, JobType=kind)
        job = pai.get_job(job_id)
        assert (job["ResourceId"], job["ResourceType"], job["Priority"]) == (LINGJUN, "Lingjun", 1)
        client = pai.dlc_sdk()
        (listed,) = client.list_jobs(dlc.ListJobsRequest(resource_quota_name="vision-lingjun")).body.jobs
        assert (listed.resource_name, listed.resource_type) == ("vision-lingjun", "Lingjun")
        assert client.list_jobs(dlc.ListJobsRequest(resource_quota_name="vision-team")).body.jobs == []

    def test_more_than_the_quota_could_hold_is_accepted_and_waits(self, pai: Any) -> None:
        """For as long as nobody makes the quota larger."""
        job_id = submit(pai, JobSpecs=specs("2"))
        rest(pai)
        assert status(pai, job_id) == "Queuing"
        larger = {"AllocatableQuota": {"CPU": "32", "Memory": "120Gi", "GPU": "2"}}
        pai.dlc.quotas.put({"QuotaId": TEAM, "QuotaDetails": larger})
        pai.bring_to(job_id, "Running")


class TestQueue:
    """Who leaves a quota's queue, and when."""

    def test_the_second_waits_until_the_first_has_ended(self, pai: Any) -> None:
        """One GPU, two jobs: the second's pod is made once the first has ended, and its events say why not before."""
        first = submit(pai)
        pai.pass_time()
        second = submit(pai)
        rest(pai)
        assert (status(pai, first), status(pai, second)) == ("Running", "Queuing")
        assert [spec.pod_id for spec in pai.executor.specs] == [f"{first}-worker-0"]
        _, told = pai.call("GET", f"/api/v1/jobs/{second}/events", "GetJobEvents", "2020-12-03")
        (waits,) = (line for line in told["Events"] if "waits" in line)
        assert waits.endswith(f"waits in its queue: quota {TEAM} has 0 of 1 GPU free")
        pai.executor.say("Succeeded", exit_code=0)
        pai.bring_to(first, "Succeeded")
        pai.bring_to(second, "Running")

    def test_a_stop_frees_the_share_once_the_job_is_stopped(self, pai: Any) -> None:
        """Not while its pods still end; and one that is stopped in the queue leaves it without a share."""
        first = submit(pai)
        pai.bring_to(first, "Running")
        second, third = submit(pai), submit(pai)
        rest(pai)
        for job_id in (second, first):
            pai.call("POST", f"/api/v1/jobs/{job_id}/stop", "StopJob", "2020-12-03")
        assert gpus(pai, TEAM)["AllocatedQuota"] == "1"
        pai.bring_to(first, "Stopped")
        pai.bring_to(second, "Stopped")
        pai.bring_to(third, "Running")
        assert gpus(pai, TEAM)["AllocatedQuota"] == "1"

    def test_all_pods_count(self, pai: Any) -> None:
        """Two pods of a GPU each do not fit where one is free, and not half of the job goes."""
        job_id = submit(pai, JobSpecs=specs(pods=2))
        rest(pai)
        assert (status(pai, job_id), pai.executor.specs) == ("Queuing", [])
        pai.bring_to(submit(pai, GENERAL, JobSpecs=specs(pods=2)), "Running")

    def test_a_new_priority_changes_the_order(self, pai: Any) -> None:
        """UpdateJob of one that waits."""
        first = submit(pai)
        pai.bring_to(first, "Running")
        second, third = submit(pai), submit(pai)
        rest(pai)
        pai.call("PUT", f"/api/v1/jobs/{third}", "UpdateJob", "2020-12-03", {"Priority": 9})
        assert ids(queue(pai, status="Enqueued")) == [third, second]
        pai.executor.say("Succeeded", exit_code=0)
        pai.bring_to(first, "Succeeded")
        pai.bring_to(third, "Running")
        assert status(pai, second) == "Queuing"

    def test_strict_fifo_lets_nobody_pass(self, pai: Any) -> None:
        """The strategy can be changed while jobs wait."""
        pai.dlc.quotas.put({"QuotaId": TEAM, "QueueStrategy": "PaiStrategyStrictFIFO"})
        submit(pai, JobSpecs=specs("2"))
        pai.pass_time()
        small = submit(pai)
        rest(pai)
        assert status(pai, small) == "Queuing"
        pai.dlc.quotas.put({"QuotaId": TEAM, "QueueStrategy": "PaiStrategyIntelligent"})
        pai.bring_to(small, "Running")

    def test_others_may_hold_it(self, pai: Any) -> None:
        """What the control API says others hold is not free, and the job goes when they are done."""
        room = amounts(pai, TEAM)["AllocatableQuota"]
        pai.dlc.quotas.put(
            {"QuotaId": TEAM, "QuotaDetails": {"AllocatableQuota": room, "AllocatedQuota": {"GPU": "1"}}}
        )
        job_id = submit(pai)
        rest(pai)
        assert status(pai, job_id) == "Queuing"
        assert gpus(pai, TEAM)["AllocatedQuota"] == "1"
        pai.dlc.quotas.put({"QuotaId": TEAM, "QuotaDetails": {"AllocatableQuota": room}})
        pai.bring_to(job_id, "Running")

    def test_public_resources_have_no_such_queue(self, pai: Any) -> None:
        """A job there goes whatever the quotas hold."""
        pai.bring_to(submit(pai), "Running")
        pai.bring_to(pai.job(), "Running")

    @pytest.mark.parametrize("change", [{"Status": "Creating"}, None])
    def test_a_quota_that_was_taken_away_keeps_its_queue(self, pai: Any, change: dict[str, Any] | None) -> None:
        """What waits in it waits on and can be stopped; what runs, runs."""
        job_id = submit(pai)
        if change:
            pai.dlc.quotas.put({"QuotaId": TEAM, **change})
        else:
            pai.dlc.quotas.delete(TEAM)
        rest(pai)
        assert status(pai, job_id) == "Queuing"
        pai.call("POST", f"/api/v1/jobs/{job_id}/stop", "StopJob", "2020-12-03")
        pai.bring_to(job_id, "Stopped")

    def test_a_restart_gives_no_share_away(self, pai: Any) -> None:
        """What is held is read from the jobs that are kept."""
        first = submit(pai)
        pai.pass_time()
        second = submit(pai)
        rest(pai)
        pai.restart()
        rest(pai)
        assert (status(pai, first), status(pai, second)) == ("Running", "Queuing")


class TestAmounts:
    """What GetQuota tells of use."""

    def test_a_jobs_share_is_told_here_above_and_below(self, pai: Any) -> None:
        """As its own where it was submitted, as a descendant's above that, as an ancestor's below."""
        pai.bring_to(submit(pai, GENERAL, JobSpecs=specs(pods=2)), "Running")
        pai.bring_to(submit(pai), "Running")
        submit(pai)
        rest(pai)
        assert gpus(pai, TEAM) == {
            "AllocatedQuota": "1",
            "SelfAllocatedQuota": "1",
            "DescendantsAllocatedQuota": "0",
            "AncestorsAllocatedQuota": "2",
            "RequestedQuota": "1",
            "SelfSubmittedQuota": "2",
        }
        assert gpus(pai, GENERAL) == {
            "AllocatedQuota": "3",
            "SelfAllocatedQuota": "2",
            "DescendantsAllocatedQuota": "1",
            "AncestorsAllocatedQuota": "0",
            "RequestedQuota": "3",
            "SelfSubmittedQuota": "2",
        }
        assert amounts(pai, GENERAL)["AllocatedQuota"] == {"CPU": "24", "GPU": "3", "GPUType": "A10", "Memory": "84Gi"}

    def test_it_is_told_beside_what_others_hold(self, pai: Any) -> None:
        """ListQuotas adds a job to what the quota's document says, above it too, and takes it away at its end."""
        room = amounts(pai, GENERAL)["AllocatableQuota"]
        pai.dlc.quotas.put(
            {"QuotaId": GENERAL, "QuotaDetails": {"AllocatableQuota": room, "AllocatedQuota": {"GPU": "1"}}}
        )
        job_id = submit(pai)
        pai.bring_to(job_id, "Running")
        found = Client(pai.config()).list_quotas(sdk.ListQuotasRequest(verbose=True)).body.quotas
        used = {one.quota_id: one.quota_details.allocated_quota.gpu for one in found}
        assert used == {GENERAL: "2", TEAM: "1"}
        found = gpus(pai, GENERAL)
        assert (found["RequestedQuota"], found["SelfSubmittedQuota"]) == ("2", "1")
        pai.executor.say("Succeeded", exit_code=0)
        pai.bring_to(job_id, "Succeeded")
        assert (gpus(pai, GENERAL)["AllocatedQuota"], gpus(pai, TEAM)["AllocatedQuota"]) == ("1", "0")

    def test_only_what_a_quota_has_is_told(self, pai: Any) -> None:
        """A quota of CPUs alone tells nothing of memory and GPUs, and of CPUs that none is held."""
        pai.dlc.quotas.put({"QuotaId": TEAM, "QuotaDetails": {"AllocatableQuota": {"CPU": "16"}}})
        assert amounts(pai, TEAM)["AllocatedQuota"] == {"CPU": "0"}


class TestListQuotaWorkloads:
    """The queue, through PaiStudio's own SDK."""

    def test_what_is_told_of_a_job_that_waits_and_of_one_that_runs(self, pai: Any) -> None:
        """Place, reason and times of the first; the second has left the queue."""
        first = submit(pai)
        pai.bring_to(first, "Running")
        second = submit(pai, Priority=5, DisplayName="second", JobSpecs=specs(pods=2))
        rest(pai)
        waiting, running = (one.to_map() for one in queue(pai))
        assert {name: waiting[name] for name in waiting if not name.startswith("Gmt")} == {
            "WorkloadId": second,
            "WorkloadName": "second",
            "WorkloadType": "dlc",
            "WorkloadStatus": "Queuing",
            "Status": "Enqueued",
            "Position": 1,
            "Priority": 5,
            "QueueStrategy": "PaiStrategyIntelligent",
            "QuotaId": TEAM,
            "Resource": {"CPU": "16", "Memory": "56Gi", "GPU": "2"},
            "Code": "SelfQuotaLimit",
            "Reason": f"quota {TEAM} has 0 of 2 GPU, 8 of 16 CPU, 32Gi of 56Gi memory free",
            "UserId": "1000000000000001",
            "UseOversoldResource": False,
            "WorkspaceId": "104231",
            "WorkspaceName": "vision",
        }
        assert waiting["GmtCreatedTime"] <= waiting["GmtEnqueuedTime"]
        assert "GmtDequeuedTime" not in waiting
        assert (running["WorkloadId"], running["Status"], running["WorkloadStatus"]) == (first, "Dequeued", "Running")
        assert running["GmtEnqueuedTime"] <= running["GmtDequeuedTime"]
        assert "Position" not in running

    def test_filters(self, pai: Any) -> None:
        """By queue, by job, by people, by place and by time; ranges travel flat."""
        ran = submit(pai)
        pai.bring_to(ran, "Running")
        held = submit(pai, Priority=4)
        rest(pai)
        assert ids(queue(pai, status="Dequeued")) == [ran]
        assert ids(queue(pai, status="Enqueued")) == [held]
        assert ids(queue(pai, workload_ids=f"{held},dlcnone")) == [held]
        assert ids(queue(pai, workload_statuses="Running")) == [ran]
        assert ids(queue(pai, position=1)) == ids(queue(pai, priority=4)) == [held]
        assert ids(queue(pai, use_oversold_resource=False)) == [held, ran]
        assert queue(pai, use_oversold_resource=True) == []
        assert queue(pai, workspace_ids="1") == queue(pai, user_ids="2") == queue(pai, workload_type="dsw") == []
        early = sdk.TimeRangeFilter(end_time="2020-01-01T00:00:00Z")
        late = sdk.TimeRangeFilter(start_time="2020-01-01T00:00:00Z")
        assert queue(pai, gmt_enqueued_time_range=early) == []
        assert ids(queue(pai, gmt_dequeued_time_range=late)) == [ran]
        assert [len(queue(pai, page_size=1, page_number=number)) for number in (1, 2, 3)] == [1, 1, 0]

    def test_before_a_job(self, pai: Any) -> None:
        """Those that go before it, and nothing of one that does not wait."""
        pai.bring_to(submit(pai), "Running")
        second, third, fourth = submit(pai, Priority=3), submit(pai, Priority=2), submit(pai)
        rest(pai)
        assert ids(queue(pai, before_workload_id=fourth)) == [second, third]
        assert queue(pai, before_workload_id=second) == []

    def test_each_quota_has_a_queue_of_its_own(self, pai: Any) -> None:
        """A place is counted in the quota that a job was submitted to, though the list tells nested ones too."""
        for quota in (GENERAL, GENERAL, TEAM):
            submit(pai, quota, JobSpecs=specs(pods=5))
        rest(pai)
        assert sorted((one.quota_id, one.position) for one in queue(pai, GENERAL)) == [
            (GENERAL, 1),
            (GENERAL, 2),
            (TEAM, 1),
        ]

    def test_what_has_ended_holds_nothing_in_the_history(self, pai: Any) -> None:
        """The reason of one that waits is the same beside it."""
        ended = submit(pai)
        pai.bring_to(ended, "Running")
        pai.executor.say("Succeeded", exit_code=0)
        pai.bring_to(ended, "Succeeded")
        submit(pai, JobSpecs=specs("2"))
        rest(pai)
        waiting, past = queue(pai, with_historical_data=True)
        assert (past.workload_id, past.workload_status) == (ended, "Succeeded")
        assert waiting.reason == f"quota {TEAM} has 1 of 2 GPU free"

    def test_nested_quotas_and_history(self, pai: Any) -> None:
        """Jobs of nested quotas are told unless only this one's are asked for; those that ended, where they are."""
        outer, inner = submit(pai, GENERAL), submit(pai)
        pai.bring_to(inner, "Running")
        pai.bring_to(outer, "Running")
        assert set(ids(queue(pai, GENERAL))) == {outer, inner}
        assert ids(queue(pai, GENERAL, show_own=True)) == [outer]
        assert ids(queue(pai, GENERAL, sub_quota_ids=TEAM)) == ids(queue(pai)) == [inner]
        pai.executor.say("Succeeded", exit_code=0)
        pai.bring_to(inner, "Succeeded")
        assert queue(pai) == []
        assert ids(queue(pai, with_historical_data=True)) == [inner]
