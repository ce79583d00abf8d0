"""The table that says what an answer means."""

from __future__ import annotations

import pytest

from junbi.clients.answer import Answer, failure
from junbi.clients.credentials import Credentials
from junbi.clients.outcome import Phase, ask_again, classify, retry_after
from junbi.errors import CallFailed, NotDone, OutcomeUnknown, Refused

KEYS = Credentials("key", "s3cret-value", "t0ken-value")

TABLE = [
    (Phase.ANSWERED, 200, "", None),
    (Phase.ANSWERED, 202, "", None),
    (Phase.UNOPENED, 0, "unreachable", NotDone),
    (Phase.SENT, 0, "timeout", OutcomeUnknown),
    (Phase.SENT, 0, "connection_lost", OutcomeUnknown),
    (Phase.UNREADABLE, 200, "unreadable_answer", OutcomeUnknown),
    (Phase.ANSWERED, 400, "Throttling", NotDone),
    (Phase.ANSWERED, 400, "Throttling.User", NotDone),
    (Phase.ANSWERED, 503, "Throttling.Api", NotDone),
    (Phase.ANSWERED, 429, "", NotDone),
    (Phase.ANSWERED, 429, "SomethingNew", NotDone),
    (Phase.ANSWERED, 503, "QpsLimitExceeded", NotDone),
    (Phase.ANSWERED, 429, "ResourceExhausted", NotDone),
    (Phase.ANSWERED, 400, "InvalidSecurityToken.Expired", NotDone),
    (Phase.ANSWERED, 403, "SecurityTokenExpired", NotDone),
    (Phase.ANSWERED, 400, "InvalidTimeStamp.Expired", NotDone),
    (Phase.ANSWERED, 403, "RequestTimeTooSkewed", NotDone),
    (Phase.ANSWERED, 400, "SignatureNonceUsed", OutcomeUnknown),
    (Phase.ANSWERED, 400, "InvalidParameter", Refused),
    (Phase.ANSWERED, 400, "SignatureDoesNotMatch", Refused),
    (Phase.ANSWERED, 403, "Forbidden.RAM", Refused),
    (Phase.ANSWERED, 404, "InvalidAccessKeyId.NotFound", Refused),
    (Phase.ANSWERED, 404, "NotFound", Refused),
    (Phase.ANSWERED, 409, "Conflict", Refused),
    (Phase.ANSWERED, 413, "", Refused),
    (Phase.ANSWERED, 408, "", OutcomeUnknown),
    (Phase.ANSWERED, 500, "InternalError", OutcomeUnknown),
    (Phase.ANSWERED, 502, "", OutcomeUnknown),
    (Phase.ANSWERED, 503, "ServiceUnavailable", OutcomeUnknown),
    (Phase.ANSWERED, 504, "", OutcomeUnknown),
    (Phase.ANSWERED, 302, "", OutcomeUnknown),
]


class TestClassify:
    """What an exchange means for its caller."""

    @pytest.mark.parametrize(("phase", "status", "code", "kind"), TABLE)
    def test_table(self, phase: Phase, status: int, code: str, kind: type[CallFailed] | None) -> None:
        """Every kind of answer has one meaning, decided by its code before its status."""
        assert classify(phase, status, code) is kind

    def test_no_answer_but_a_success_is_a_success(self) -> None:
        """Whatever the status, what is no 2xx is a failure."""
        clear = [status for status in range(100, 600) if classify(Phase.ANSWERED, status) is None]
        assert clear == list(range(200, 300))

    @pytest.mark.parametrize("status", [500, 501, 502, 503, 504, 599])
    @pytest.mark.parametrize("code", ["", "InternalError", "ServiceUnavailable", "Unheard.Of"])
    def test_a_server_error_never_counts_as_not_done(self, status: int, code: str) -> None:
        """A create that was answered with an unknown 5xx may have happened."""
        assert classify(Phase.ANSWERED, status, code) is OutcomeUnknown


class TestAskAgain:
    """Whether a read is worth repeating at once."""

    @pytest.mark.parametrize(
        ("error", "again"),
        [
            (NotDone("Op", "Throttling", ""), True),
            (NotDone("Op", "unreachable", ""), True),
            (OutcomeUnknown("Op", "timeout", ""), True),
            (NotDone("Op", "InvalidSecurityToken.Expired", ""), False),
            (NotDone("Op", "InvalidTimeStamp.Expired", ""), False),
            (Refused("Op", "NotFound", ""), False),
        ],
    )
    def test_table(self, error: CallFailed, *, again: bool) -> None:
        """Refusals, expired credentials and wrong clocks do not get better by asking again."""
        assert ask_again(error) is again


class TestRetryAfter:
    """How long a service asks us to wait."""

    @pytest.mark.parametrize(
        ("headers", "seconds"),
        [
            ({"x-acs-retry-after": "1500"}, 1.5),
            ({"retry-after": "3"}, 3.0),
            ({"x-acs-retry-after": "200", "retry-after": "3"}, 0.2),
            ({"retry-after": "Fri, 31 Dec 1999 23:59:59 GMT"}, None),
            ({"x-acs-retry-after": "-5"}, None),
            ({"x-acs-retry-after": "\uff11\uff12"}, None),
            ({}, None),
        ],
    )
    def test_table(self, headers: dict[str, str], seconds: float | None) -> None:
        """Alibaba Cloud counts milliseconds in its own header, HTTP seconds in its; nonsense is passed over."""
        assert retry_after(headers) == seconds


def answered(status: int, body: bytes, **headers: str) -> CallFailed:
    """The error of an answer."""
    failed = failure("CreateJob", Answer(Phase.ANSWERED, status, headers, body), KEYS)
    assert failed is not None
    return failed


class TestFailure:
    """The error that is raised for an answer."""

    def test_it_carries_what_the_service_said(self) -> None:
        """Code, text, status and request id are the service's own."""
        failed = answered(400, b'{"Code":"InvalidParameter","Message":"no such image","RequestId":"R-1"}')
        assert (failed.code, failed.message, failed.status, failed.request_id) == (
            "InvalidParameter", "no such image", 400, "R-1",
        )  # fmt: skip
        assert str(failed) == "CreateJob: InvalidParameter: no such image (request R-1)"

    def test_it_names_the_missing_right(self) -> None:
        """A refusal by RAM says which action is missing."""
        body = b'{"Code":"Forbidden.RAM","Message":"denied","AccessDeniedDetail":{"AuthAction":"paidlc:CreateJob"}}'
        assert "paidlc:CreateJob" in answered(403, body).message

    def test_xml_is_understood(self) -> None:
        """The gateway answers in XML where it did not get as far as the API."""
        body = b"<?xml version='1.0'?><Error><Code>Throttling.User</Code><Message>a &lt; b</Message></Error>"
        failed = answered(400, body)
        assert isinstance(failed, NotDone)
        assert failed.message == "a < b"

    @pytest.mark.parametrize("body", [b"", b"<html>Bad gateway</html>", b"[1]", b'{"Code":5}', b"\xff\xfe"])
    def test_a_body_without_a_code_leaves_the_status(self, body: bytes) -> None:
        """An answer of some proxy is judged by its status, and still has a request id where a header tells one."""
        failed = answered(502, body, **{"x-acs-request-id": "R-2"})
        assert isinstance(failed, OutcomeUnknown)
        assert (failed.code, failed.request_id) == ("http_502", "R-2")

    def test_secrets_that_the_service_quotes_are_hidden(self) -> None:
        """A service that echoes what was signed does not bring the caller's secrets into an error."""
        failed = answered(
            400, b'{"Code":"SignatureDoesNotMatch","Message":"x-acs-security-token:t0ken-value s3cret-value"}'
        )
        assert "t0ken" not in str(failed)
        assert "s3cret" not in str(failed)
        assert "[hidden]" in str(failed)

    def test_a_success_is_no_failure(self) -> None:
        """A clear yes raises nothing, whatever its body holds."""
        assert failure("GetJob", Answer(Phase.ANSWERED, 200, {}, b'{"Code":"x"}'), KEYS) is None
