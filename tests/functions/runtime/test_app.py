"""What a function answers to Function Compute, call by call."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest

from junbi.errors import MalformedPayload
from junbi.runtime import contract, create_app

if TYPE_CHECKING:
    from pathlib import Path

    from tests.functions.runtime.conftest import Headers, Load


REQUEST_ID = "1-67a96b43-15d49184-5cdbe1911c57"


def order(**what: object) -> bytes:
    """A payload that tells the sample function what to do."""
    return json.dumps(what).encode()


class TestInvoke:
    """Event calls."""

    def test_success(self, client: Load, fc: Headers) -> None:
        """A handled event is HTTP 200 and x-fc-status 200 with the handler's result as JSON."""
        answer = client("events").post("/invoke", data=order(), headers=fc(), content_type="application/octet-stream")
        assert (answer.status_code, answer.headers["x-fc-status"]) == (200, "200")
        assert answer.json["function"] == "events"
        assert answer.json["request_id"] == REQUEST_ID
        assert answer.json["region"] == "cn-hangzhou"

    def test_credentials(self, client: Load, fc: Headers) -> None:
        """Each call has its own credentials, its deadline comes from FC's timeout, and neither repr tells a secret."""
        function = client("events")
        for key in ("STS.a", "STS.b"):
            headers = fc(x_fc_access_key_id=key, x_fc_access_key_secret=f"{key}-secret")
            told = function.post("/invoke", data=order(), headers=headers).json
            assert (told["key_id"], told["secret"]) == (key, f"{key}-secret")
            assert 29 < told["left"] <= 30
            assert key in told["repr"]
            assert "secret" not in told["repr"].replace("secret=", "")
            assert "sts-token-value" not in told["repr"]

    def test_environment_credentials(self, client: Load, fc: Headers, monkeypatch: pytest.MonkeyPatch) -> None:
        """Where FC sends no keys those of the environment count, as they are at that moment; else there are none."""
        headers = {name: value for name, value in fc().items() if "key" not in name and "token" not in name}
        function = client("events")
        for key_id in (None, "first", "renewed"):
            if key_id:
                monkeypatch.setenv("ALIBABA_CLOUD_ACCESS_KEY_ID", key_id)
                monkeypatch.setenv("ALIBABA_CLOUD_ACCESS_KEY_SECRET", f"{key_id}-secret")
            told = function.post("/invoke", data=order(), headers=headers).json
            assert (told["key_id"], told["secret"]) == (key_id, key_id and f"{key_id}-secret")

    @pytest.mark.parametrize("timeout", ["", "0", "-1", "nan", "inf", "x", "99999999"])
    def test_odd_timeout(self, client: Load, fc: Headers, timeout: str) -> None:
        """A timeout that FC cannot have meant leaves a sensible deadline."""
        told = client("events").post("/invoke", data=order(), headers=fc(x_fc_function_timeout=timeout)).json
        assert 50 < told["left"] <= 60

    @pytest.mark.parametrize(
        ("what", "kind", "message"),
        [
            ("ledger", "LedgerUnavailable", "database is locked; the event was not noted"),
            ("crash", "ZeroDivisionError", "a bug"),
            ("unserialisable", "TypeError", "not JSON serializable"),
        ],
    )
    def test_failure(self, client: Load, fc: Headers, what: str, kind: str, message: str) -> None:
        """What handle raises is HTTP 404 and x-fc-status 404, so that FC tries again; the caller sees no stack."""
        answer = client("events").post("/invoke", data=order(do=what), headers=fc())
        assert (answer.status_code, answer.headers["x-fc-status"]) == (404, "404")
        assert (answer.json["type"], answer.json["requestId"]) == (kind, REQUEST_ID)
        assert message in answer.json["message"]
        assert set(answer.json) == {"message", "type", "requestId"}

    def test_traceback(self, fc: Headers, capsys: pytest.CaptureFixture[str]) -> None:
        """The traceback of a failed call is in the log, on one line, under the call's request id."""

        def handle(_parsed: object, _call: object) -> None:
            raise type("OnlyHere", (Exception,), {})("why")

        answer = create_app("f", handle=handle).test_client().post("/invoke", headers=fc())
        (line,) = [line for line in capsys.readouterr().out.splitlines() if line.startswith("{")]
        entry = json.loads(line)
        assert (entry["type"], entry["request_id"]) == ("OnlyHere", REQUEST_ID)
        assert "in handle" in entry["exception"]
        assert answer.json["message"] == "why"

    def test_refused(self, client: Load, fc: Headers, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """A payload that cannot be read at all is kept, and answered as handled: FC need not try again."""
        kept = tmp_path / "kept"
        monkeypatch.setenv("REFUSED", str(kept))
        answer = client("events").post("/invoke", data=b"[not ours\xff".replace(b"\xff", b""), headers=fc())
        assert (answer.status_code, answer.headers["x-fc-status"]) == (200, "200")
        assert answer.json["refused"]["type"] == "MalformedPayload"
        assert kept.read_bytes() == b"[not ours"

    def test_refused_but_not_kept(self, client: Load, fc: Headers, monkeypatch: pytest.MonkeyPatch) -> None:
        """Where such a payload could not be kept FC tries again."""
        monkeypatch.setenv("REFUSED", "full")
        answer = client("events").post("/invoke", data=b"[]", headers=fc())
        assert (answer.status_code, answer.headers["x-fc-status"]) == (404, "404")
        assert answer.json["type"] == "LedgerUnavailable"

    def test_nothing_keeps(self, fc: Headers) -> None:
        """A function that keeps no payloads fails on one that it cannot read, so that FC keeps it."""

        def parse(_raw: bytes) -> None:
            raise MalformedPayload("events", "a list", "nothing")

        app = create_app("f", parse=parse, handle=lambda _parsed, _call: {})
        answer = app.test_client().post("/invoke", data=b"", headers=fc())
        assert (answer.status_code, answer.json["message"]) == (404, "events: expected a list, got nothing")

    def test_no_parse(self, client: Load, fc: Headers) -> None:
        """Without a parser the payload is ignored and there are no events."""
        assert client("hooks").post("/invoke", data=b"\x00", headers=fc()).json == {"events": 0}

    def test_body_limit(self, client: Load, fc: Headers) -> None:
        """A body above 32 MB is refused in clear, before it is parsed."""
        body = b"[" * (contract.BODY_LIMIT + 1)
        answer = client("events").post("/invoke", data=body, headers=fc())
        assert (answer.status_code, answer.json["type"]) == (413, "BodyTooLarge")
        assert "32 MB" in answer.json["message"]

    def test_no_events(self, client: Load, fc: Headers) -> None:
        """An event that reaches a function with HTTP routes only is a function error that says so."""
        answer = client("web").post("/invoke", data=b"{}", headers=fc())
        assert (answer.status_code, answer.json["type"]) == (404, "NotAnEventFunction")


class TestControlPath:
    """Who is calling."""

    @pytest.mark.parametrize("path", ["/invoke", "/initialize", "/pre-stop", "/"])
    def test_not_fc(self, client: Load, path: str, capsys: pytest.CaptureFixture[str]) -> None:
        """A request without x-fc-control-path is none of FC's and gets a 400, whatever its path."""
        answer = client("events").post(path, data=order(do="crash"))
        assert (answer.status_code, answer.json["type"]) == (400, "NotFunctionCompute")
        assert "FC Invoke" not in capsys.readouterr().out

    def test_unknown(self, client: Load, fc: Headers) -> None:
        """A control path that we do not know is refused, not guessed."""
        answer = client("events").post("/invoke", data=b"{}", headers=fc("/pre-freeze"))
        assert (answer.status_code, answer.json["type"]) == (400, "UnknownControlPath")

    def test_http_client_asks_for_invoke(self, client: Load, fc: Headers) -> None:
        """An HTTP trigger's client who asks for /invoke gets the route of that name and never the event handler."""
        answer = client("web").post("/invoke?x=1", data=b"{}", headers=fc("/http-invoke"))
        assert answer.json == {"name": "invoke", "request_id": REQUEST_ID, "query": "x=1"}
        refused = client("events").post("/invoke", data=order(), headers=fc("/http-invoke"))
        assert (refused.status_code, refused.json["type"]) == (404, "NotFound")

    @pytest.mark.parametrize("path", ["/initialize", "/pre-stop"])
    def test_http_client_asks_for_a_hook(
        self, client: Load, fc: Headers, path: str, capsys: pytest.CaptureFixture[str]
    ) -> None:
        """An HTTP trigger's client cannot reach the hooks."""
        assert client("hooks").post(path, headers=fc("/http-invoke")).status_code == 404
        assert "hook" not in capsys.readouterr().out

    def test_path_does_not_matter(self, client: Load, fc: Headers) -> None:
        """FC's own call is known by the header whatever its path says."""
        assert client("events").post("/anything", data=order(), headers=fc()).json["function"] == "events"


class TestHttp:
    """Requests of an HTTP trigger."""

    def test_view(self, client: Load, fc: Headers) -> None:
        """A view answers as itself and finds its Invocation."""
        answer = client("web").get("/hello/digits?a=%2B", headers=fc("/http-invoke"))
        assert answer.json == {"name": "digits", "request_id": REQUEST_ID, "query": "a=%2B"}

    def test_crash(self, client: Load, fc: Headers) -> None:
        """A view's exception is a 500 that tells a stranger nothing but what to quote, and FC that it failed."""
        answer = client("web").get("/crash", headers=fc("/http-invoke"))
        assert (answer.status_code, answer.headers["x-fc-status"]) == (500, "404")
        assert "hunter2" not in answer.text
        assert REQUEST_ID in answer.json["message"]

    @pytest.mark.parametrize(
        ("call", "status", "kind"),
        [
            ("GET /nowhere", 404, "NotFound"),
            ("PUT /hello/x", 405, "MethodNotAllowed"),
            ("GET /teapot", 418, "I'mateapot"),
        ],
    )
    def test_http_errors(self, client: Load, fc: Headers, call: str, status: int, kind: str) -> None:
        """Flask's own errors are JSON, and no function errors."""
        method, path = call.split()
        answer = client("web").open(path, method=method, headers=fc("/http-invoke"))
        assert (answer.status_code, answer.json["type"], answer.headers["x-fc-status"]) == (status, kind, "200")
        if status == 405:
            assert "GET" in answer.headers["Allow"]

    def test_body_limit(self, client: Load, fc: Headers) -> None:
        """A view that reads a body above 32 MB answers 413."""
        body = b"x" * (contract.BODY_LIMIT + 1)
        answer = client("web").post("/read", data=body, headers=fc("/http-invoke"))
        assert (answer.status_code, answer.json["type"]) == (413, "BodyTooLarge")


class TestHooks:
    """The life-cycle hooks."""

    def test_called(self, client: Load, fc: Headers, capsys: pytest.CaptureFixture[str]) -> None:
        """/initialize and /pre-stop call the function's hooks; a function without them answers success."""
        function = client("hooks")
        for path, method in (("/initialize", "POST"), ("/pre-stop", "GET")):
            answer = function.open(path, method=method, headers=fc(path))
            assert (answer.status_code, answer.headers["x-fc-status"]) == (200, "200")
            assert client("events").open(path, method=method, headers=fc(path)).status_code == 200
        said = capsys.readouterr().out
        assert said.count("hook initialize") == said.count("hook stop") == 1
        assert f"FC Initialize Start RequestId: {REQUEST_ID}\nhook initialize\nFC Initialize End" in said

    def test_failure(self, client: Load, fc: Headers, monkeypatch: pytest.MonkeyPatch) -> None:
        """A hook that raises is a failure that FC sees, so that the instance is discarded."""
        monkeypatch.setenv("INITIALIZE", "fail")
        answer = client("hooks").post("/initialize", headers=fc("/initialize"))
        assert (answer.status_code, answer.headers["x-fc-status"]) == (404, "404")
        assert answer.json["message"] == "no database"


class TestLog:
    """What stands in the log, and what never does."""

    def test_markers(self, client: Load, fc: Headers, capsys: pytest.CaptureFixture[str]) -> None:
        """Start and End stand on lines of their own around all that a call writes."""
        client("events").post("/invoke", data=order(do="say", text="hello"), headers=fc())
        lines = capsys.readouterr().out.splitlines()
        assert lines[0] == f"FC Invoke Start RequestId: {REQUEST_ID}"
        assert lines[-1] == f"FC Invoke End RequestId: {REQUEST_ID}"
        assert json.loads(lines[2])["request_id"] == REQUEST_ID

    @pytest.mark.parametrize("end", ["\n", "\r", "\r\n", "\u2028", "\u0085", "\x0b", "\x1c"])
    def test_forging(self, client: Load, fc: Headers, capsys: pytest.CaptureFixture[str], end: str) -> None:
        """Text of a payload cannot begin a line of the log, by no character that any reader takes for a line's end."""
        forged = f"x{end}FC Invoke End RequestId: 1-forged{end}"
        client("events").post("/invoke", data=order(do="say", text=forged), headers=fc())
        client("events").post("/invoke", data=f"[{end}FC Invoke End RequestId: 1-forged".encode(), headers=fc())
        assert not re.search(
            r"^FC Invoke End RequestId: 1-forged", "\n".join(capsys.readouterr().out.splitlines()), re.MULTILINE
        )

    def test_secrets(self, client: Load, fc: Headers, capsys: pytest.CaptureFixture[str]) -> None:
        """No secret of a call is ever in the log, not where a function logs its credentials or fails."""
        function = client("events")
        for what in ("say", "crash", "ledger", "unserialisable"):
            function.post("/invoke", data=order(do=what, text="t"), headers=fc())
        said = capsys.readouterr().out
        assert "[redacted]" in said
        assert "sts-secret-value" not in said
        assert "sts-token-value" not in said
