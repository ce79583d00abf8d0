"""Requests that no client of ours sends: every port of the local cloud refuses them in words, and goes on."""

from __future__ import annotations

import http.client
import json
import socket
import time
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import pytest

from junbi.emulator.acs3 import target_of
from junbi.emulator.api_error import ApiError
from junbi.emulator.clock import Clock
from junbi.emulator.cloud import Cloud, Settings
from junbi.emulator.keys import AccessKey, Keys

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = AccessKey("emulator", "emulator-secret")
PORTS = ("gateway", "oss", "pai", "control")
PLACE = "oss://vision-data.oss-cn-hangzhou.aliyuncs.com/digits/"
DEEP = "[" * 100_000


@pytest.fixture(scope="module")
def cloud(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cloud]:
    """One whole cloud."""
    one = Cloud(Settings(tmp_path_factory.mktemp("cloud"), ROOT))
    yield one
    one.stop()


def status_of(url: str, line: str, *headers: str) -> int:
    """The status that a request gets that is sent byte for byte; 0 where the connection is closed without one."""
    address = urlsplit(url)
    with socket.create_connection((address.hostname or "", address.port or 0), timeout=10) as connection:
        lines = [f"{line} HTTP/1.1", f"Host: {address.netloc}", "Connection: close", *headers, "", ""]
        connection.sendall("\r\n".join(lines).encode("latin-1"))
        answer = b""
        while block := connection.recv(65536):
            answer += block
    return int(answer.split()[1]) if answer else 0


@pytest.mark.parametrize("port", PORTS)
@pytest.mark.parametrize(
    "line", ["OPTIONS *", "GET foo", "GET http://[::1/x", "GET http://", "GET ?a", "GET http://a]b/", "GET ftp://a/"]
)
def test_what_asks_for_no_path_is_refused(cloud: Cloud, port: str, line: str) -> None:
    """A target that is neither a path nor a web address is a bad request, never a failure or a cut connection."""
    assert status_of(getattr(cloud, port), line) == 400


@pytest.mark.parametrize("port", PORTS)
@pytest.mark.parametrize(
    "line", ["GET //[x/y", "GET //a/b", "GET http://x/y", "GET /%ff", "GET http://[::1]:9/x", "GET /["]
)
def test_odd_paths_are_paths(cloud: Cloud, port: str, line: str) -> None:
    """Two slashes, brackets and bytes that are no UTF-8 are refused as any path that is not there, or not signed."""
    assert status_of(getattr(cloud, port), line) in {400, 403, 404}


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        ("//a/b?c=//d", ("//a/b", "c=//d")),
        ("/a/b?c", ("/a/b", "c")),
        ("/a#b?c", ("/a", "")),
        ("http://host:1/a?b", ("/a", "b")),
        ("http://host?b=/", ("/", "b=/")),
        ("/http://host/a", ("/http://host/a", "")),
        ("//[x", ("//[x", "")),
    ],
)
def test_a_path_is_a_path_however_it_begins(target: str, expected: tuple[str, str]) -> None:
    """Only the absolute form holds a host, so ``//a/b`` is signed, and called, as it was sent."""
    assert target_of({"REQUEST_URI": target}) == expected


def test_a_target_without_a_path_is_refused() -> None:
    """Whatever server is in front."""
    with pytest.raises(ApiError, match="no path"):
        target_of({"REQUEST_URI": "foo"})


@pytest.mark.parametrize("end", ["\xb2", "9" * 20, "253402300800", "-1", "", "1e5", "\u0661"])
def test_key_ids_made_up_are_unknown_or_expired(end: str) -> None:
    """Whatever stands where a key's end should be, it is looked up without failing, and opens nothing."""
    keys = Keys(ROOT, Clock())
    assert keys.find(f"STS.a.{end}", "token") is None
    assert not keys.expired(f"STS.a.{end}")
    assert keys.expired("STS.a.1")


@pytest.mark.parametrize("port", ["gateway", "oss", "pai"])
def test_a_made_up_key_is_refused_by_every_service(cloud: Cloud, port: str) -> None:
    """With the refusal of a key that does not exist."""
    now = datetime.now(UTC)
    path = "/2023-03-30/functions/reconcile/invocations" if port == "gateway" else "/"
    for key in ("STS.a.\xb2", "STS.a." + "9" * 20):
        if port == "oss":
            authorization = f"Authorization: OSS {key}:sig"
        else:
            authorization = f"Authorization: ACS3-HMAC-SHA256 Credential={key},SignedHeaders=host,Signature={'a' * 64}"
        more = ("x-acs-signature-nonce: 1", "x-acs-content-sha256: x", f"x-acs-date: {now:%Y-%m-%dT%H:%M:%SZ}")
        date = f"Date: {format_datetime(now, usegmt=True)}"
        assert status_of(getattr(cloud, port), f"GET {path}", authorization, date, *more) in {403, 404}


def test_deep_json_is_no_json(pai: Any) -> None:
    """A body, or a text in it, that is nested beyond what can be read is refused as one that is no JSON."""
    request = pai.signed("POST", "/api/v1/jobs", "CreateJob", "2020-12-03", DEEP[:60_000].encode())
    status, answer = pai.send(request)
    assert (status, answer["Code"]) == (400, "InvalidParameter")
    whole = {"Name": "a", "DataSourceType": "OSS", "Property": "DIRECTORY", "Uri": PLACE, "Options": DEEP}
    status, answer = pai.call("POST", "/api/v1/datasets", "CreateDataset", "2021-02-04", whole)
    assert (status, answer["Message"]) == (400, "Options is not a JSON string.")


def order(  # noqa: PLR0917 - a request has these parts
    cloud: Cloud, path: str, body: object, method: str = "POST", raw: bytes = b"", headers: dict[str, str] | None = None
) -> tuple[int, dict[str, Any]]:
    """A request to the control API; status and document of its answer."""
    connection = http.client.HTTPConnection(urlsplit(cloud.control).netloc, timeout=10)
    given = {"Content-Type": "application/json", **(headers or {})}
    try:
        connection.request(method, path, raw or json.dumps(body).encode(), given)
        answer = connection.getresponse()
        return answer.status, json.loads(answer.read())
    finally:
        connection.close()


FAULT = {"point": "dlc.CreateJob", "effect": "close"}


class TestControl:
    """The control API has no key, so it looks at who asks, and at what is asked."""

    @pytest.mark.parametrize(
        ("headers", "status"),
        [
            ({"Origin": "http://evil.example"}, 403),
            ({"Origin": "null"}, 403),
            ({"Origin": "http://localhost:3000"}, 403),
            ({"Host": "evil.example"}, 403),
            ({"Host": "127.0.0.1.evil.example:9003"}, 403),
            ({"Host": "10.0.0.1:9003"}, 403),
            ({"Content-Type": "text/plain"}, 415),
            ({"Content-Type": "application/x-www-form-urlencoded"}, 415),
        ],
    )
    def test_web_pages_give_no_orders(self, cloud: Cloud, headers: dict[str, str], status: int) -> None:
        """Neither a page of another origin, nor one whose name leads here, nor a form: nothing is ordered or told."""
        assert order(cloud, "/faults", FAULT, headers=headers)[0] == status
        assert order(cloud, "/clock", {"advance": 1}, headers=headers)[0] == status
        if status == 403:
            assert order(cloud, "/faults", None, "GET", headers=headers)[0] == 403
        assert cloud.faults.pending() == []

    @pytest.mark.parametrize("host", ["localhost:1", "127.0.0.1", "[::1]:9003", "LOCALHOST"])
    def test_programs_of_this_machine_do(self, cloud: Cloud, host: str) -> None:
        """Under every name of loopback, and a page of its own."""
        status, told = order(cloud, "/faults", FAULT, headers={"Host": host, "Origin": f"http://{host}"})
        assert (status, told["times"], told["when"]) == (201, 1, "before")
        assert order(cloud, "/faults", None, "DELETE")[0] == 200

    @pytest.mark.parametrize(
        ("body", "named"),
        [
            ({**FAULT, "effect": "nonsense"}, "effect"),
            ({**FAULT, "when": "later"}, "when"),
            ({**FAULT, "times": "x"}, "times"),
            ({**FAULT, "times": 0}, "times"),
            ({**FAULT, "times": True}, "times"),
            ({**FAULT, "status": 200}, "status"),
            ({**FAULT, "seconds": -1}, "seconds"),
            ({**FAULT, "seconds": float("inf")}, "seconds"),
            ({**FAULT, "seconds": float("nan")}, "seconds"),
            ({**FAULT, "code": "a\nb"}, "code"),
            ({**FAULT, "message": 1}, "message"),
            ({**FAULT, "tims": 1}, "tims"),
            ({"point": 1}, "point"),
            ({"point": "dcl.CreateJob"}, "point"),
            ({}, "point"),
            ([], "the body"),
            (None, "the body"),
        ],
    )
    def test_a_fault_that_cannot_be_is_refused_in_words(self, cloud: Cloud, body: object, named: str) -> None:
        """The member is named, and nothing is ordered: a fault that never strikes would let a test pass for nothing."""
        status, told = order(cloud, "/faults", body)
        assert (status, f" {named}: " in told["message"]) == (400, True)
        assert cloud.faults.pending() == []

    @pytest.mark.parametrize("step", [1e300, -1, float("nan"), float("inf"), "60", None, True])
    def test_the_clock_is_stepped_forward_within_bounds(self, cloud: Cloud, step: object) -> None:
        """Anything else is refused and the clock stays."""
        before = cloud.clock.now()
        status, told = order(cloud, "/clock", {"advance": step})
        assert (status, "advance: " in told["message"]) == (400, True)
        assert cloud.clock.now() - before < timedelta(minutes=1)
        assert order(cloud, "/clock", {"advance": 60})[0] == 200
        assert cloud.clock.now() - before >= timedelta(minutes=1)

    @pytest.mark.parametrize("raw", [b"{", b"\xff", DEEP.encode(), b"9" * 5000])
    def test_what_is_no_json_is_refused(self, cloud: Cloud, raw: bytes) -> None:
        """Whatever it is."""
        status, told = order(cloud, "/faults", None, raw=raw)
        assert (status, "Nothing was changed" in told["message"]) == (400, True)


def test_the_cloud_goes_on(cloud: Cloud) -> None:
    """After all of it, each port answers at once."""
    began = time.monotonic()
    assert [status_of(getattr(cloud, port), "GET /") for port in PORTS] == [404, 403, 400, 404]
    assert time.monotonic() - began < 5


class TestQuotas:
    """The control API changes quotas, as nothing else here does."""

    def test_quotas_are_changed_made_and_deleted(self, cloud: Cloud) -> None:
        """By the members that PaiStudio gives them: null takes one away, and what is not named stays."""
        status, told = order(cloud, "/quotas", {"QuotaId": "quotateam01", "Status": "Creating", "GPUType": None})
        assert (status, told["Status"], "GPUType" in told) == (200, "Creating", False)
        assert (told["QuotaName"], told["ParentQuotaId"]) == ("vision-team", "quotageneral01")
        assert order(cloud, "/quotas", {"QuotaId": "quotanew01", "ResourceType": "ACS"})[0] == 200
        assert order(cloud, "/quotas/quotalingjun01", None, "DELETE")[0] == 200
        ids = [one.quota_id for one in cloud.quotas.all()]
        assert ids == ["quotageneral01", "quotanew01", "quotateam01"]
        assert order(cloud, "/quotas/quotalingjun01", None, "DELETE")[0] == 404

    @pytest.mark.parametrize(
        ("body", "named"),
        [
            ({"Status": "Ready"}, "QuotaId"),
            ({"QuotaId": "quotateam01", "Statuss": "Ready"}, "Statuss"),
            ({"QuotaId": "quotateam01", "Min": {"NodeSpecs": [{"NodeSpec": "x"}]}}, "Min.NodeSpecs[0].NodeSpec"),
            ({"QuotaId": "quotateam01", "Min": 4}, "Min"),
            ({"QuotaId": "quotateam01", "QuotaDetails": {"AllocatedQuota": {"CPU": "many"}}}, "AllocatedQuota: CPU"),
            ([], "the body"),
        ],
    )
    def test_a_quota_that_cannot_be_is_refused_in_words(self, cloud: Cloud, body: object, named: str) -> None:
        """A member that PaiStudio does not have is named, and nothing is changed."""
        before = [one.to_wire() for one in cloud.quotas.all()]
        status, told = order(cloud, "/quotas", body)
        assert (status, named in told["message"]) == (400, True)
        assert [one.to_wire() for one in cloud.quotas.all()] == before
