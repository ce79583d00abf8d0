"""Reading and writing wire models: strangers, spellings, queries, recorded bodies."""

from __future__ import annotations

import json

import pytest
from pydantic import ValidationError

from junbi.wire import aiworkspace, dlc
from junbi.wire.error import ErrorBody
from junbi.wire.model import known_fields, strangers

#: Bodies that the official SDK was recorded to send.
CREATE_DATASET = (
    '{"Accessibility":"PRIVATE","DataSourceType":"OSS","DataType":"COMMON","Labels":[{"Key":"k","Value":"v"}],'
    '"Name":"ds","Options":"{\\"mountPath\\":\\"/mnt/data\\"}","Property":"DIRECTORY",'
    '"Uri":"oss://b.oss-cn-hangzhou-internal.aliyuncs.com/p/","WorkspaceId":"1"}'
)
CREATE_JOB = (
    '{"CodeSource":{"Branch":"main","CodeSourceId":"code-1"},"DataSources":[{"DataSourceId":"d-1",'
    '"DataSourceVersion":"v1","EnableCache":true,"MountAccess":"RO","MountPath":"/m"}],"DisplayName":"j",'
    '"JobSpecs":[{"ElasticSpotSpecs":[],"Image":"i","LocalMountSpecs":[],"PodCount":1,"ResourceConfig":{"CPU":"4",'
    '"Memory":"8Gi"},"StartupDependencies":[],"Type":"Worker"}],"JobType":"PyTorchJob","Priority":1,'
    '"ResourceId":"quota1","UserCommand":"python t.py","UserVpc":{"ExtendedCIDRs":["10.0.0.0/8"],'
    '"SecurityGroupId":"sg-1","SwitchId":"vsw-1","VpcId":"vpc-1"},"WorkspaceId":"1"}'
)


def test_recorded_bodies_are_understood() -> None:
    """What the SDK was recorded to send is read member by member and written back equal."""
    dataset = aiworkspace.CreateDatasetRequest.from_wire(json.loads(CREATE_DATASET))
    job = dlc.CreateJobRequest.from_wire(json.loads(CREATE_JOB))
    assert (strangers(dataset), strangers(job)) == ([], [])
    assert (dataset.to_wire(), job.to_wire()) == (json.loads(CREATE_DATASET), json.loads(CREATE_JOB))
    assert job.user_vpc is not None
    assert job.user_vpc.extended_cidrs == ["10.0.0.0/8"]
    assert job.job_specs[0].resource_config == dlc.ResourceConfig(cpu="4", memory="8Gi")


def test_strangers_are_kept_and_named() -> None:
    """A member that the API does not define survives, and its place can be told."""
    document = {
        "DisplayName": "j",
        "JobType": "PyTorchJob",
        "UserCommand": "c",
        "Colour": "red",
        "JobSpecs": [{"Type": "Worker"}, {"ResourceConfig": {"Cpu": "4"}}],
    }
    job = dlc.CreateJobRequest.from_wire(document)
    assert strangers(job) == ["Colour", "JobSpecs[1].ResourceConfig.Cpu"]
    assert job.to_wire() == document


def test_only_the_spelling_of_the_wire_counts() -> None:
    """Python's own spelling of a member is a stranger in a document, and does not fill the member."""
    with pytest.raises(ValidationError, match="DisplayName"):
        dlc.CreateJobRequest.from_wire({"display_name": "j", "JobType": "TFJob", "UserCommand": "c", "JobSpecs": []})
    assert strangers(dlc.UpdateJobRequest.from_wire({"user_command": "x"})) == ["user_command"]


def test_known_fields_are_those_of_the_wire() -> None:
    """The traps of spelling are spelled as the service spells them."""
    assert "ExtendedCIDRs" in known_fields(dlc.UserVpc)
    assert "GmtSuccessedTime" in known_fields(dlc.GetJobResponse)
    assert "resourceGroupId" in known_fields(aiworkspace.WorkspaceItem)
    assert "ResourceGroupId" in known_fields(aiworkspace.GetWorkspaceResponse)


def test_none_is_not_sent_and_queries_are_text() -> None:
    """What is None stays away; booleans and numbers of a query become text."""
    query = dlc.ListJobsRequest(show_own=False, page_size=50, display_name="a b")
    assert query.to_query() == {"ShowOwn": "false", "PageSize": "50", "DisplayName": "a b"}


def test_booleans_of_a_query_are_read_in_any_letter_case() -> None:
    """The SDK writes True and False, others true and false."""
    read = [dlc.ListJobsRequest.from_wire({"ShowOwn": text}).show_own for text in ("True", "true", "FALSE", "False")]
    assert read == [True, True, False, False]


def test_error_body_keeps_what_a_person_needs() -> None:
    """Code, message and request id are read; what the gateway adds is kept."""
    body = ErrorBody.from_wire({"Code": "NotFound", "Message": "m", "RequestId": "R", "Recommend": "u", "New": 1})
    assert (body.code, body.request_id, strangers(body)) == ("NotFound", "R", ["New"])
