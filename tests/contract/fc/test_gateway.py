"""The port the world calls: signed calls of the official SDK, HTTP triggers with strangers behind them, the domain."""

from __future__ import annotations

import http.client
import json
from io import BytesIO
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import pytest
from alibabacloud_tea_openapi.client import Client
from alibabacloud_tea_openapi.models import Config, OpenApiRequest, Params
from alibabacloud_tea_util.models import RuntimeOptions

from junbi.emulator.fc import HttpTrigger
from junbi.emulator.fc.headers import from_client

if TYPE_CHECKING:
    from tests.contract.fc.conftest import Cloud, Eventually


EVERY_METHOD = ("GET", "POST", "PUT", "DELETE", "HEAD")


def order(**what: object) -> bytes:
    """A payload that tells the sample function what to do."""
    return json.dumps(what).encode()


def sdk_invoke(
    cloud: Cloud,
    name: str,
    body: bytes,
    *,
    secret: str = "emulator-secret",
    action: str = "InvokeFunction",
    **headers: str,
) -> tuple[int, dict[str, str], Any]:
    """InvokeFunction as the official SDK sends it; status, headers and body of the answer."""
    endpoint = urlsplit(cloud.url).netloc
    client = Client(Config(access_key_id="emulator", access_key_secret=secret, endpoint=endpoint))
    path = f"/2023-03-30/functions/{name}/invocations"
    params = Params(
        action=action, version="2023-03-30", protocol="HTTP", pathname=path, method="POST",
        auth_type="AK", style="ROA", req_body_type="json", body_type="binary",
    )  # fmt: skip
    answer = client.call_api(params, OpenApiRequest(headers=headers, stream=BytesIO(body)), RuntimeOptions())
    content = answer.get("body")
    return answer["statusCode"], answer["headers"], content.read() if hasattr(content, "read") else content


def http_call(
    cloud: Cloud, method: str, target: str, body: bytes = b"", headers: tuple[tuple[str, str], ...] = ()
) -> tuple[http.client.HTTPResponse, bytes]:
    """A request byte for byte as a stranger may send it."""
    connection = http.client.HTTPConnection(urlsplit(cloud.url).netloc, timeout=20)
    try:
        connection.putrequest(method, target, skip_accept_encoding=True)
        for name, value in (*headers, ("Content-Length", str(len(body)))):
            connection.putheader(name, value)
        connection.endheaders(body)
        response = connection.getresponse()
        return response, response.read()
    finally:
        connection.close()


class TestApi:
    """InvokeFunction."""

    def test_sync(self, cloud: Cloud) -> None:
        """A signed synchronous call answers with the function's result and FC's request id."""
        cloud.fc.deploy([cloud.plain()])
        status, headers, body = sdk_invoke(cloud, "plain", b"hello")
        seen = json.loads(body)
        assert (status, seen["body"]) == (200, "hello")
        assert headers["x-fc-request-id"] == seen["headers"]["x-fc-request-id"]
        assert "x-fc-error-type" not in headers

    def test_async(self, cloud: Cloud, eventually: Eventually) -> None:
        """A signed asynchronous call answers 202 at once and is delivered under the request id it was told."""
        cloud.fc.deploy([cloud.plain()])
        status, headers, _ = sdk_invoke(cloud, "plain", b"later", **{"x-fc-invocation-type": "Async"})
        assert status == 202
        eventually(lambda: not cloud.fc.pending())
        (call,) = cloud.trace()
        assert (call["body"], call["headers"]["x-fc-request-id"]) == ("later", headers["x-fc-request-id"])

    def test_function_errors(self, cloud: Cloud) -> None:
        """A function error is HTTP 200 with X-Fc-Error-Type, whether the function told of it or died."""
        cloud.fc.deploy([cloud.plain()])
        status, headers, body = sdk_invoke(cloud, "plain", order(do="fail"))
        assert (status, headers["x-fc-error-type"]) == (200, "HandledInvocationError")
        assert json.loads(body) == {"message": "as ordered"}
        status, headers, body = sdk_invoke(cloud, "plain", order(do="die"))
        assert (status, headers["x-fc-error-type"]) == (200, "UnhandledInvocationError")
        assert "Process exited unexpectedly" in json.loads(body)["errorMessage"]

    @pytest.mark.parametrize(
        ("name", "how", "code", "status"),
        [
            ("ghost", {}, "FunctionNotFound", 404),
            ("ghost", {"x-fc-invocation-type": "Async"}, "FunctionNotFound", 404),
            ("plain", {"secret": "wrong"}, "SignatureDoesNotMatch", 400),
            ("plain", {"action": "DeleteFunction"}, "InvalidArgument", 400),
        ],
        ids=["unknown", "unknown-async", "wrong-secret", "other-action"],
    )
    def test_refused(self, cloud: Cloud, name: str, how: dict[str, str], code: str, status: int) -> None:
        """What is not well signed, or asks for what is not there, is refused with FC's error and calls nothing."""
        cloud.fc.deploy([cloud.plain()])
        with pytest.raises(Exception) as refused:  # noqa: PT011 - the SDK's own error class varies with the status
            sdk_invoke(cloud, name, b"", **how)
        assert (refused.value.code, refused.value.statusCode) == (code, status)
        assert not cloud.trace()

    def test_unsigned(self, cloud: Cloud) -> None:
        """Without a signature nobody calls a function through the API."""
        cloud.fc.deploy([cloud.plain(triggers=(HttpTrigger(),))])
        response, body = http_call(cloud, "POST", "/2023-03-30/functions/plain/invocations", b"x")
        assert (response.status, json.loads(body)["Code"]) == (400, "IncompleteSignature")
        assert response.headers["X-Fc-Request-Id"] == json.loads(body)["RequestId"]
        assert not cloud.trace()

    def test_async_limit(self, cloud: Cloud) -> None:
        """An asynchronous body of 128 KB passes; one byte more is refused."""
        cloud.fc.deploy([cloud.plain()])
        kind = {"x-fc-invocation-type": "Async"}
        assert sdk_invoke(cloud, "plain", b"x" * (128 << 10), **kind)[0] == 202
        with pytest.raises(Exception, match="131072 bytes"):
            sdk_invoke(cloud, "plain", b"x" * (1 + (128 << 10)), **kind)

    def test_large(self, cloud: Cloud) -> None:
        """A synchronous body may be larger than an asynchronous one."""
        cloud.fc.deploy([cloud.plain()])
        assert len(json.loads(sdk_invoke(cloud, "plain", b"x" * (256 << 10))[2])["body"]) == 256 << 10


class TestHttpTrigger:
    """Requests of anyone."""

    def test_passes(self, cloud: Cloud) -> None:
        """Method, path, query, headers and body reach the function as the client sent them."""
        cloud.fc.deploy([cloud.plain(triggers=(HttpTrigger(EVERY_METHOD),))])
        target = "/plain/a%2Fb//c%20d/../e?x=1&x=%E7%94%BB+%2B"
        response, body = http_call(cloud, "PUT", target, b"raw", (("X-Own", "1"), ("Host", "hooks.example.com")))
        seen = json.loads(body)
        assert response.status == 200
        assert (seen["method"], seen["path"], seen["body"]) == ("PUT", target.removeprefix("/plain"), "raw")
        assert seen["headers"]["x-own"] == "1"
        assert seen["headers"]["x-fc-control-path"] == "/http-invoke"
        assert seen["headers"]["x-fc-request-id"] == response.headers["X-Fc-Request-Id"]

    def test_root(self, cloud: Cloud) -> None:
        """The bare name of the function is its root path."""
        cloud.fc.deploy([cloud.plain(triggers=(HttpTrigger(),))])
        assert json.loads(http_call(cloud, "GET", "/plain?q")[1])["path"] == "/?q"

    def test_forged_headers(self, cloud: Cloud) -> None:
        """No header of a client's can pass for FC's: not the control path, not credentials, in no spelling."""
        cloud.fc.deploy([cloud.plain(triggers=(HttpTrigger(),))])
        forged = (
            ("x-fc-control-path", "/invoke"),
            ("X-FC-Access-Key-Id", "mallory"),
            ("X_Fc_Security_Token", "forged"),
            ("x-fc-request-id", "1-forged"),
        )
        _, body = http_call(cloud, "POST", "/plain/invoke", b"{}", forged)
        headers = json.loads(body)["headers"]
        assert headers["x-fc-control-path"] == "/http-invoke"
        assert headers["x-fc-access-key-id"].startswith("STS.plain.")
        assert "forged" not in body.decode()
        assert "mallory" not in body.decode()
        assert not cloud.trace(control="/invoke")

    def test_underscores(self) -> None:
        """A spelling that some servers fold into FC's own is dropped too, before any server sees it."""
        assert from_client([("X_Fc_Control_Path", "/invoke"), ("x-fc_request-id", "1"), ("X-Own", "1")]) == [
            ("X-Own", "1")
        ]

    def test_response_headers(self, cloud: Cloud) -> None:
        """FC's own and connection headers of the function are dropped on the way out, others are kept."""
        cloud.fc.deploy([cloud.plain(triggers=(HttpTrigger(),))])
        response, _ = http_call(cloud, "POST", "/plain", order(status=418))
        assert response.status == 418
        assert response.headers["X-Own"] == "kept"
        assert not {"X-Fc-Forged", "Keep-Alive"} & set(response.headers)
        assert "BaseHTTP" not in response.headers["Server"]

    def test_limits(self, cloud: Cloud) -> None:
        """A method that is not let through, a long target and long headers are refused before the function."""
        cloud.fc.deploy([cloud.plain(triggers=(HttpTrigger(("POST",)),))])
        assert http_call(cloud, "GET", "/plain")[0].status == 405
        assert http_call(cloud, "POST", "/plain/" + "x" * 4096)[0].status == 400
        assert http_call(cloud, "POST", "/plain", headers=(("X-Long", "x" * 8192),))[0].status == 400
        response, body = http_call(cloud, "POST", "/plain", b"x" * (1 + (32 << 20)))
        assert (response.status, json.loads(body)["Code"]) == (413, "RequestEntityTooLarge")
        assert not cloud.trace(control="/http-invoke")
        response, body = http_call(cloud, "POST", "/plain", order(do="long_header"))
        assert (response.status, json.loads(body)["Code"]) == (502, "BadResponse")

    def test_dies(self, cloud: Cloud) -> None:
        """Where the function dies or does not start a stranger learns that, and nothing of its log."""
        cloud.fc.deploy([cloud.plain(triggers=(HttpTrigger(),)), cloud.junbi("broken", triggers=(HttpTrigger(),))])
        for target in ("/plain", "/broken"):
            response, body = http_call(cloud, "POST", target, order(do="die"))
            assert response.status == 502
            assert response.headers["X-Fc-Error-Type"] in {"UnhandledInvocationError", "FunctionNotStarted"}
            assert b"words" not in body
            assert b"nowhere" not in body
        assert "my last words" in cloud.fc.logs("plain")
        assert "nowhere" in cloud.fc.logs("broken")

    def test_head(self, cloud: Cloud) -> None:
        """A HEAD request gets its headers and no body, and the connection stays usable."""
        cloud.fc.deploy([cloud.plain(triggers=(HttpTrigger(EVERY_METHOD),))])
        for _ in range(2):
            response, body = http_call(cloud, "HEAD", "/plain")
            assert (response.status, body) == (200, b"")

    def test_domain(self, cloud: Cloud) -> None:
        """Every other path goes to the domain's function whole, that of a function without an HTTP trigger too."""
        cloud.fc.deploy([cloud.plain("http_api", triggers=(HttpTrigger(),)), cloud.plain("silent")])
        for target in ("/v1/launches?limit=1", "/silent/x", "/", "/2023-03-30/functions/silent"):
            response, body = http_call(cloud, "GET", target)
            seen = json.loads(body)
            assert (response.status, seen["path"]) == (200, target)
            assert seen["headers"]["x-fc-function-name"] == "http_api"
        assert not cloud.trace("silent", "/http-invoke")

    def test_nobody(self, cloud: Cloud) -> None:
        """Without a domain function other paths are not found."""
        cloud.fc.deploy([cloud.plain()])
        response, body = http_call(cloud, "GET", "/plain")
        assert (response.status, json.loads(body)["Code"]) == (404, "FunctionNotFound")

    def test_signed_trigger(self) -> None:
        """A trigger that would need a signature cannot be deployed, instead of being left open."""
        with pytest.raises(ValueError, match="anonymous triggers only"):
            HttpTrigger(auth_type="function")
