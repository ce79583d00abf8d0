"""The gateway: dispatch, error bodies, request ids, ordered faults."""

from __future__ import annotations

import http.client
import json
import time
from typing import Any

import pytest
from alibabacloud_pai_dlc20201203 import models as sdk
from alibabacloud_tea_openapi.exceptions import ThrottlingException

from junbi.emulator.faults import Fault
from junbi.emulator.pai import ROUTES
from junbi.wire.operations import OPERATIONS


def test_every_operation_of_the_wire_is_answered_and_marked() -> None:
    """Nothing that junbi may call is missing, and each says what it rests on."""
    assert {(route.operation.version, route.operation.name) for route in ROUTES} == set(OPERATIONS)
    assert all(route.evidence for route in ROUTES)


@pytest.mark.parametrize(
    ("method", "path", "action", "version", "code"),
    [
        ("GET", "/api/v1/jobs", "ListJobs", "2019-01-01", "InvalidVersion"),
        ("GET", "/api/v1/jobs", "ListJobs", "2021-02-04", "InvalidAction.NotFound"),
        ("GET", "/api/v1/jobs", "Nothing", "2020-12-03", "InvalidAction.NotFound"),
        ("POST", "/api/v1/jobs", "ListJobs", "2020-12-03", "InvalidAction.NotFound"),
        ("GET", "/api/v1/datasets", "ListJobs", "2020-12-03", "InvalidAction.NotFound"),
        ("GET", "/", "ListJobs", "2020-12-03", "InvalidAction.NotFound"),
    ],
)
def test_version_action_method_and_path_must_agree(  # noqa: PLR0917 - the four parts and the answer
    pai: Any, method: str, path: str, action: str, version: str, code: str
) -> None:
    """A request whose four parts do not name one operation is not found."""
    status, answer = pai.call(method, path, action, version)
    assert (status, answer["Code"]) == (404, code)


def test_errors_are_written_as_the_gateway_writes_them(pai: Any) -> None:
    """Code, message, host and a request id that the header repeats, as JSON."""
    request = pai.signed("GET", "/api/v1/jobs/dlcnone", "GetJob", "2020-12-03")
    connection = http.client.HTTPConnection("127.0.0.1", pai.server.port, timeout=10)
    connection.request("GET", request.target, None, request.headers)
    answer = connection.getresponse()
    document = json.loads(answer.read())
    connection.close()
    assert (answer.status, document["Code"], document["HostId"]) == (404, "NotFound", pai.host)
    assert document["RequestId"] == answer.headers["x-acs-request-id"]
    assert answer.headers["Content-Type"].startswith("application/json")


def test_every_answer_has_its_own_request_id(pai: Any) -> None:
    """Two calls, two ids."""
    ids = {pai.call("GET", "/api/v1/workspaces", "ListWorkspaces", "2021-02-04")[1]["RequestId"] for _ in range(2)}
    assert len(ids) == 2


@pytest.mark.parametrize("body", [b"{", b"[]", b"null", b'"x"', b"\xff"])
def test_bodies_that_are_no_json_object(pai: Any, body: bytes) -> None:
    """They are refused, never a 500."""
    request = pai.signed("POST", "/api/v1/jobs", "CreateJob", "2020-12-03", body)
    assert pai.send(request)[1]["Code"] == "InvalidParameter"


def test_ids_with_odd_characters(pai: Any) -> None:
    """A slash and a space inside an id, percent-encoded, belong to the id."""
    status, answer = pai.call("GET", "/api/v1/datasets/boom%2Fx%20y", "GetDataset", "2021-02-04")
    assert (status, answer["Message"]) == (404, "Dataset boom/x y does not exist.")


class TestFaults:
    """Faults that tests order."""

    def jobs(self, pai: Any) -> int:
        """How many jobs there are."""
        return len(pai.dlc.jobs.all())

    def test_error_before_the_effect(self, pai: Any) -> None:
        """The ordered status and code are answered, once, and nothing happened."""
        pai.faults.order(Fault("dlc.CreateJob", status=503, code="ServiceUnavailable"))
        status, answer = pai.create_job()
        assert (status, answer["Code"], self.jobs(pai)) == (503, "ServiceUnavailable", 0)
        assert pai.create_job()[0] == 200

    def test_throttling_says_how_long_to_wait(self, pai: Any) -> None:
        """The official SDK reads the wait, in milliseconds, and raises its throttling error."""
        pai.faults.order(Fault("dlc.ListJobs", status=429, code="Throttling", seconds=1.5))
        with pytest.raises(ThrottlingException) as caught:
            pai.dlc_sdk().list_jobs(sdk.ListJobsRequest())
        assert (caught.value.code, caught.value.retry_after) == ("Throttling", 1500)

    def test_error_after_the_effect(self, pai: Any) -> None:
        """The job is made, and the caller told of an error."""
        pai.faults.order(Fault("dlc.*", when="after", status=500))
        status, answer = pai.create_job()
        assert (status, answer["Code"], self.jobs(pai)) == (500, "InternalError", 1)

    @pytest.mark.parametrize(("when", "jobs"), [("before", 0), ("after", 1)])
    def test_connection_closed_without_an_answer(self, pai: Any, when: Any, jobs: int) -> None:
        """Not a byte comes back; the server goes on serving."""
        pai.faults.order(Fault("dlc.CreateJob", when=when, effect="close"))
        with pytest.raises(http.client.RemoteDisconnected):
            pai.create_job()
        assert self.jobs(pai) == jobs
        assert pai.create_job()[0] == 200

    def test_hang(self, pai: Any) -> None:
        """The caller waits that long in real time, and then gets nothing."""
        pai.faults.order(Fault("dlc.CreateJob", when="after", effect="hang", seconds=0.3))
        began = time.monotonic()
        with pytest.raises(http.client.RemoteDisconnected):
            pai.create_job()
        assert time.monotonic() - began >= 0.3
        assert self.jobs(pai) == 1

    def test_delay(self, pai: Any) -> None:
        """The answer comes late, and is whole."""
        pai.faults.order(Fault("aiworkspace.ListWorkspaces", effect="delay", seconds=0.2))
        began = time.monotonic()
        assert pai.call("GET", "/api/v1/workspaces", "ListWorkspaces", "2021-02-04")[0] == 200
        assert time.monotonic() - began >= 0.2

    def test_the_nonce_of_a_lost_request_is_used_up(self, pai: Any) -> None:
        """A copy of a request whose answer was lost is refused, so that it cannot happen twice."""
        pai.faults.order(Fault("aiworkspace.ListWorkspaces", effect="close"))
        request = pai.signed("GET", "/api/v1/workspaces", "ListWorkspaces", "2021-02-04")
        with pytest.raises(http.client.RemoteDisconnected):
            pai.send(request)
        assert pai.send(request)[1]["Code"] == "SignatureNonceUsed"

    def test_a_fault_that_no_call_can_have_is_told(self, pai: Any) -> None:
        """An order by mistake is answered as one, not swallowed."""
        pai.faults.order(Fault("dlc.CreateJob", effect="reorder"))
        status, answer = pai.create_job()
        assert (status, "reorder" in answer["Message"], self.jobs(pai)) == (500, True, 0)
