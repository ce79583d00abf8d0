"""Typed calls: reads are repeated, creates are not, and every failure is one of three errors."""

from __future__ import annotations

import logging
import time
import traceback
from typing import TYPE_CHECKING, Any

import pytest

from junbi.clients.api import Api
from junbi.clients.credentials import Credentials
from junbi.clients.dlc import DlcClient
from junbi.clients.functions import FunctionsClient
from junbi.clients.signing import Stamp
from junbi.clients.workspace import WorkspaceClient
from junbi.errors import CallFailed, NotDone, OutcomeUnknown, Refused
from junbi.wire import aiworkspace, dlc

if TYPE_CHECKING:
    from collections.abc import Callable

#: Seconds that a loaded machine may take on top of a short deadline; what is held off here would take far longer.
PATIENCE = 4.0
KEYS = Credentials("key-id", "s3cret-value", "t0ken-value")
STAMP = Stamp("a-nonce", "2026-11-30T10:22:32Z")
JOB = dlc.CreateJobRequest.from_wire(
    {
        "DisplayName": "j",
        "JobType": "PyTorchJob",
        "UserCommand": "true",
        "JobSpecs": [{"Type": "Worker"}],
        "WorkspaceId": "1",
    }
)


def jobs(server: Any, deadline: float = 10.0) -> DlcClient:
    """The client under test."""
    return DlcClient(Api(server.url, KEYS, deadline=deadline))


class TestReads:
    """A read may be asked again."""

    @pytest.mark.parametrize("trouble", ["reset", "hang_up", "half"])
    def test_it_is_repeated_after_a_broken_connection(self, serve: Callable[..., Any], acts: Any, trouble: str) -> None:
        """One broken connection is not seen by the caller."""
        server = serve(getattr(acts, trouble), acts.reply(200, {"JobId": "dlc1", "Status": "Running"}))
        assert jobs(server).get_job("dlc1").status == "Running"
        assert len(server.requests) == 2

    def test_each_attempt_is_signed_anew(self, serve: Callable[..., Any], acts: Any) -> None:
        """A repeated read carries a new nonce, or PAI would refuse it."""
        server = serve(acts.reply(500, {"Code": "InternalError"}), acts.reply(200, {"JobId": "dlc1"}))
        jobs(server).get_job("dlc1")
        first, second = (request.split(b"x-acs-signature-nonce: ")[1].split(b"\r\n")[0] for request in server.requests)
        assert first != second

    def test_throttling_is_waited_out(self, serve: Callable[..., Any], acts: Any) -> None:
        """The wait that the service asks for is kept."""
        throttled = acts.reply(429, {"Code": "Throttling.User"}, x_acs_retry_after="400")
        server = serve(throttled, acts.reply(200, {"JobId": "dlc1"}))
        began = time.monotonic()
        jobs(server).get_job("dlc1")
        assert time.monotonic() - began >= 0.4

    def test_a_wait_beyond_the_deadline_is_not_begun(self, serve: Callable[..., Any], acts: Any) -> None:
        """Throttled for longer than there is time: told at once, with the wait."""
        server = serve(acts.reply(429, {"Code": "Throttling.User"}, x_acs_retry_after="60000"))
        began = time.monotonic()
        with pytest.raises(NotDone) as caught:
            jobs(server).get_job("dlc1")
        assert time.monotonic() - began < PATIENCE
        assert caught.value.retry_after == 60.0
        assert len(server.requests) == 1

    @pytest.mark.parametrize(
        ("status", "code", "kind"),
        [
            (404, "NotFound", Refused),
            (400, "InvalidSecurityToken.Expired", NotDone),
            (400, "InvalidTimeStamp.Expired", NotDone),
        ],
    )
    def test_what_does_not_get_better_is_asked_once(
        self, serve: Callable[..., Any], acts: Any, status: int, code: str, kind: type[CallFailed]
    ) -> None:
        """Refusals and expired signatures are told at once."""
        server = serve(acts.reply(status, {"Code": code, "Message": "m", "RequestId": "r"}))
        with pytest.raises(kind):
            jobs(server).get_job("dlc1")
        assert len(server.requests) == 1

    @pytest.mark.parametrize("act", ["silence", "reset"])
    def test_all_attempts_end_within_the_deadline(self, serve: Callable[..., Any], acts: Any, act: str) -> None:
        """However often it is tried, the call as a whole is over in time, after at most four attempts."""
        server = serve(getattr(acts, act))
        began = time.monotonic()
        with pytest.raises(OutcomeUnknown):
            jobs(server, deadline=1.6).get_job("dlc1")
        assert time.monotonic() - began < PATIENCE
        assert 2 <= len(server.requests) <= 4

    def test_nonsense_is_never_an_answer(self, serve: Callable[..., Any], acts: Any) -> None:
        """A success that is not what was asked for is no success."""
        server = serve(acts.reply(200, b"<html>hello</html>"))
        with pytest.raises(OutcomeUnknown, match="unreadable_answer"):
            jobs(server, deadline=1.0).get_job("dlc1")


class TestCreates:
    """A create is sent once."""

    @pytest.mark.parametrize("act", ["reset", "hang_up", "half", "silence"])
    def test_one_request_and_nobody_knows(self, serve: Callable[..., Any], acts: Any, act: str) -> None:
        """A lost answer is OutcomeUnknown after exactly one request."""
        server = serve(getattr(acts, act))
        with pytest.raises(OutcomeUnknown):
            jobs(server).create_job(JOB, STAMP, deadline=1.0)
        time.sleep(0.3)
        assert len(server.requests) == 1

    @pytest.mark.parametrize(
        ("status", "code", "kind"),
        [
            (429, "Throttling.User", NotDone),
            (400, "SignatureNonceUsed", OutcomeUnknown),
            (503, "ServiceUnavailable", OutcomeUnknown),
            (500, "InternalError", OutcomeUnknown),
            (400, "InvalidParameter", Refused),
        ],
    )
    def test_no_answer_makes_it_ask_again(
        self, serve: Callable[..., Any], acts: Any, status: int, code: str, kind: type[CallFailed]
    ) -> None:
        """Whatever the answer, one request was sent; the caller decides from its own record."""
        server = serve(acts.reply(status, {"Code": code, "Message": "m"}, x_acs_retry_after="10"))
        with pytest.raises(kind):
            jobs(server).create_job(JOB, STAMP)
        assert len(server.requests) == 1

    @pytest.mark.parametrize("body", [{}, {"JobId": ""}, {"JobId": None}, [], "dlc1", {"JobId": 5}])
    def test_a_success_without_an_id_is_unknown(self, serve: Callable[..., Any], acts: Any, body: object) -> None:
        """The job may be there, under an id that we were not told."""
        server = serve(acts.reply(200, body))
        with pytest.raises(OutcomeUnknown, match="unreadable_answer"):
            jobs(server).create_job(JOB, STAMP)
        assert len(server.requests) == 1

    def test_datasets_and_versions_are_sent_once_with_their_stamp(self, serve: Callable[..., Any], acts: Any) -> None:
        """The other creates keep the same discipline."""
        data = {"Property": "DIRECTORY", "DataSourceType": "OSS", "Uri": "oss://b/p/"}
        server = serve(acts.reset)
        client = WorkspaceClient(Api(server.url, KEYS, deadline=1.0))
        with pytest.raises(OutcomeUnknown):
            client.create_dataset(aiworkspace.CreateDatasetRequest.from_wire({"Name": "d", **data}), STAMP)
        with pytest.raises(OutcomeUnknown):
            client.create_version("d-1", aiworkspace.CreateDatasetVersionRequest.from_wire(data), STAMP)
        time.sleep(0.2)
        assert len(server.requests) == 2
        assert all(b"x-acs-signature-nonce: a-nonce\r\n" in request for request in server.requests)

    def test_a_poke_is_sent_once(self, serve: Callable[..., Any], acts: Any) -> None:
        """An asynchronous call is answered 202 without a body, and is not repeated."""
        server = serve(acts.reply(202), acts.reset)
        client = FunctionsClient(Api(server.url, KEYS))
        client.invoke_async("vision-reconcile", b"{}")
        with pytest.raises(OutcomeUnknown):
            client.invoke_async("vision-reconcile")
        head = server.requests[0]
        assert head.startswith(b"POST /2023-03-30/functions/vision-reconcile/invocations HTTP/1.1\r\n")
        assert b"x-fc-invocation-type: Async\r\n" in head
        assert head.endswith(b"\r\n\r\n{}")
        assert len(server.requests) == 2


class TestSecrets:
    """Nothing secret is shown."""

    def test_no_secret_in_repr_errors_tracebacks_or_logs(
        self, serve: Callable[..., Any], acts: Any, caplog: pytest.LogCaptureFixture
    ) -> None:
        """Not where the service echoes it, not in a traceback, not in any library's debug log."""
        caplog.set_level(logging.DEBUG)
        echo = acts.reply(400, {"Code": "SignatureDoesNotMatch", "Message": "signed s3cret-value with t0ken-value"})
        shown = [repr(KEYS)]
        for act in (echo, acts.reset, acts.silence):
            client = jobs(serve(act), deadline=1.0)
            shown += [repr(client), repr(client._api)]
            for call in (lambda c=client: c.get_job("dlc1"), lambda c=client: c.create_job(JOB, STAMP)):
                with pytest.raises(CallFailed) as caught:
                    call()
                shown += [repr(caught.value), "".join(traceback.format_exception(caught.value))]
        text = "\n".join([*shown, caplog.text])
        assert "s3cret" not in text
        assert "t0ken" not in text
