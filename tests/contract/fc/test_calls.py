"""Synchronous calls: instances, their limits, their ends, and what callers are told."""

from __future__ import annotations

import json
import re
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest

from junbi.emulator.api_error import ApiError
from junbi.emulator.faults import Fault

if TYPE_CHECKING:
    from tests.contract.fc.conftest import Cloud


def order(**what: object) -> bytes:
    """A payload that tells the sample function what to do."""
    return json.dumps(what).encode()


class TestInstances:
    """Processes: started, shared, limited, lost."""

    def test_headers(self, cloud: Cloud) -> None:
        """A call carries FC's headers, an own request id and credentials of the function's role, each call its own."""
        cloud.fc.deploy([cloud.plain(timeout=30)])
        seen = json.loads(cloud.fc.invoke("plain", b"\x00\xff raw".replace(b"\xff", b"")).reply.body)
        headers = seen["headers"]
        assert (seen["method"], seen["path"], seen["body"]) == ("POST", "/invoke", "\x00 raw")
        assert headers["content-type"] == "application/octet-stream"
        assert headers["x-fc-control-path"] == "/invoke"
        assert headers["x-fc-function-name"] == "plain"
        assert headers["x-fc-function-timeout"] == "30"
        assert headers["x-fc-region"] == "cn-hangzhou"
        assert headers["x-fc-account-id"] == "1234567890123456"
        assert re.fullmatch(r"1-[0-9a-f]{8}-[0-9a-f]{8}-[0-9a-f]{12}", headers["x-fc-request-id"])
        key = cloud.keys.find(headers["x-fc-access-key-id"], headers["x-fc-security-token"])
        assert key
        assert key.secret == headers["x-fc-access-key-secret"]
        assert key.key_id.startswith("STS.plain.")

    def test_reuse(self, cloud: Cloud) -> None:
        """Calls one after another use one process and one connection, as FC keeps both."""
        cloud.fc.deploy([cloud.plain()])
        assert cloud.fc.instances("plain") == 0
        seen = [json.loads(cloud.fc.invoke("plain", b"").reply.body) for _ in range(3)]
        assert len({(call["pid"], call["connection"]) for call in seen}) == 1

    def test_environment(self, cloud: Cloud, monkeypatch: pytest.MonkeyPatch) -> None:
        """An instance sees its own variables and FC's, and none of the emulator's."""
        monkeypatch.setenv("ALIBABA_CLOUD_ACCESS_KEY_SECRET", "of-the-developer")
        spec = cloud.plain()
        probe = "import os; print(sorted(os.environ), os.environ['FC_FUNCTION_NAME']); raise SystemExit(4)"
        cloud.fc.deploy([type(spec)("probe", (spec.command[0], "-c", probe), {"OWN": "1"}, cloud.data)])
        with pytest.raises(ApiError, match="FunctionNotStarted"):
            cloud.fc.invoke("probe", b"")
        said = cloud.fc.logs("probe")
        assert "FC_SERVER_PORT" in said
        assert "OWN" in said
        assert "] probe" in said
        assert "ALIBABA" not in said

    def test_limits(self, cloud: Cloud) -> None:
        """Two instances of two calls each take four calls; the fifth is throttled, and told so."""
        cloud.fc.deploy([cloud.plain(instance_concurrency=2, max_instances=2)])
        with ThreadPoolExecutor(4) as pool:
            working = [pool.submit(cloud.fc.invoke, "plain", order(sleep=1.0)) for _ in range(4)]
            while len(cloud.trace()) < 4:
                time.sleep(0.01)
            with pytest.raises(ApiError) as refused:
                cloud.fc.invoke("plain", b"")
            assert (refused.value.status, refused.value.code) == (429, "ResourceExhausted")
            assert len({json.loads(call.result().reply.body)["pid"] for call in working}) == 2

    def test_death(self, cloud: Cloud) -> None:
        """An instance that dies fails its call with its last words; the next call gets a new one."""
        cloud.fc.deploy([cloud.plain()])
        outcome = cloud.fc.invoke("plain", order(do="die"))
        assert outcome.error_type == "UnhandledInvocationError"
        assert "exit code 3" in outcome.message
        assert "my last words" in outcome.message
        assert not cloud.fc.invoke("plain", b"").error_type

    @pytest.mark.parametrize("what", [{"sleep": 30}, {"do": "trickle"}], ids=["silent", "trickling"])
    def test_timeout(self, cloud: Cloud, what: dict[str, object]) -> None:
        """A call that takes too long is a function error, and its instance is killed."""
        cloud.fc.deploy([cloud.plain(timeout=0.5)])
        begin = time.monotonic()
        outcome = cloud.fc.invoke("plain", order(**what))
        assert time.monotonic() - begin < 5
        assert outcome.error_type == "UnhandledInvocationError"
        assert "timed out after 0.5 seconds" in outcome.message
        assert cloud.fc.instances("plain") == 0

    def test_handled_error(self, cloud: Cloud) -> None:
        """The function's own error is told apart from a success by x-fc-status alone."""
        cloud.fc.deploy([cloud.plain()])
        outcome = cloud.fc.invoke("plain", order(do="fail"))
        assert (outcome.error_type, json.loads(outcome.reply.body)) == (
            "HandledInvocationError",
            {"message": "as ordered"},
        )
        assert cloud.fc.invoke("plain", order(status=500)).error_type == ""

    def test_unstartable(self, cloud: Cloud) -> None:
        """A command that does not exist, and one that ends at once, are told with their reason."""
        spec = cloud.plain()
        missing = type(spec)("missing", ("/nowhere/python",), {}, cloud.data)
        cloud.fc.deploy([missing, cloud.junbi("broken")])
        with pytest.raises(ApiError, match="cannot run /nowhere/python"):
            cloud.fc.invoke("missing", b"")
        with pytest.raises(ApiError, match=r"exit code 1.*\n(.*\n)*.*No module named 'nowhere'"):
            cloud.fc.invoke("broken", b"")

    def test_never_listens(self, cloud: Cloud) -> None:
        """A process that never serves is given up and killed, for all who wait for it."""
        cloud.fc._home = type(cloud.fc._home)("r", "a", cloud.keys, cloud.data / "logs", start_seconds=0.5)
        cloud.fc.deploy([cloud.plain(environment={"START_SECONDS": "60"})])
        with ThreadPoolExecutor(2) as pool:
            errors = [pool.submit(cloud.fc.invoke, "plain", b"").exception() for _ in range(2)]
        assert all("no server on port" in str(error) for error in errors)
        assert cloud.fc.instances("plain") == 0

    def test_unknown(self, cloud: Cloud) -> None:
        """A function that is not deployed is not found."""
        with pytest.raises(ApiError, match="404 FunctionNotFound"):
            cloud.fc.invoke("ghost", b"")


class TestLifeCycle:
    """From the first hook to the last."""

    def test_initialize(self, cloud: Cloud) -> None:
        """With an initializer, /initialize comes once per instance and before the first call."""
        cloud.fc.deploy([cloud.plain(initializer=True)])
        for _ in range(2):
            cloud.fc.invoke("plain", b"")
        assert [call["path"] for call in cloud.trace(control="/initialize")] == ["/initialize"]

    def test_initialize_fails(self, cloud: Cloud) -> None:
        """Where /initialize fails the instance is discarded and the call not made."""
        cloud.fc.deploy([cloud.plain(initializer=True, environment={"INITIALIZE": "fail"})])
        with pytest.raises(ApiError, match=r"/initialize failed.*no database"):
            cloud.fc.invoke("plain", b"")
        assert cloud.fc.instances("plain") == 0
        assert not cloud.trace()

    def test_deploy(self, cloud: Cloud) -> None:
        """Instances of a function that stays the same stay; one that changed is replaced; one that is gone ends."""
        cloud.fc.deploy([cloud.plain("same"), cloud.plain("changed"), cloud.plain("gone")])
        before = {
            name: json.loads(cloud.fc.invoke(name, b"").reply.body)["pid"] for name in ("same", "changed", "gone")
        }
        cloud.fc.deploy([cloud.plain("same"), cloud.plain("changed", environment={"NEW": "1"})])
        after = {name: json.loads(cloud.fc.invoke(name, b"").reply.body)["pid"] for name in ("same", "changed")}
        assert after["same"] == before["same"]
        assert after["changed"] != before["changed"]
        with pytest.raises(ApiError, match="FunctionNotFound"):
            cloud.fc.invoke("gone", b"")
        assert len(cloud.trace("gone", "/pre-stop")) == len(cloud.trace("changed", "/pre-stop")) == 1
        assert not cloud.trace("same", "/pre-stop")

    def test_deploy_spares_calls(self, cloud: Cloud) -> None:
        """A call that is at work when its function changes ends in peace."""
        cloud.fc.deploy([cloud.plain()])
        with ThreadPoolExecutor(1) as pool:
            working = pool.submit(cloud.fc.invoke, "plain", order(sleep=0.5))
            while not cloud.trace():
                time.sleep(0.01)
            cloud.fc.deploy([cloud.plain(environment={"NEW": "1"})])
            assert not working.result().error_type
        assert len(cloud.trace(control="/pre-stop")) == 1

    def test_stop(self, cloud: Cloud) -> None:
        """Stopping ends every process and thread within seconds, calls at work included."""
        cloud.fc.deploy([cloud.plain()])
        pool = ThreadPoolExecutor(1)
        working = pool.submit(cloud.fc.invoke, "plain", order(sleep=30))
        while not cloud.trace():
            time.sleep(0.01)
        pid = cloud.trace()[0]["pid"]
        begin = time.monotonic()
        cloud.fc.stop()
        assert time.monotonic() - begin < 4
        assert "503 ServiceUnavailable" in str(working.exception())
        pool.shutdown()
        assert len(cloud.trace(control="/pre-stop")) == 1
        assert not (cloud.data / f"/proc/{pid}").exists()
        assert not [thread for thread in threading.enumerate() if thread.name.startswith(("fc-queue", "fc-timers"))]

    def test_faults(self, cloud: Cloud) -> None:
        """An ordered error before the call prevents it; one after it hides that it was made."""
        cloud.fc.deploy([cloud.plain()])
        cloud.faults.order(Fault("fc.invoke", status=503, code="Busy"))
        with pytest.raises(ApiError, match="503 Busy"):
            cloud.fc.invoke("plain", b"")
        assert not cloud.trace()
        cloud.faults.order(Fault("fc.invoke.plain", when="after"))
        with pytest.raises(ApiError, match="500 InternalError"):
            cloud.fc.invoke("plain", b"")
        assert len(cloud.trace()) == 1
