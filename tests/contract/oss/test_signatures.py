"""Who may call: both signature versions, in headers and URLs, long-lived keys and short-lived ones."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from io import BytesIO
from typing import TYPE_CHECKING

import oss2
import pytest
import requests

from junbi.emulator.clock import Clock
from junbi.emulator.keys import Keys
from junbi.emulator.oss import signature_v1
from junbi.emulator.oss.call import Call

if TYPE_CHECKING:
    from pathlib import Path

    from tests.contract.oss.conftest import Cloud

KEY = "日本/a b+c%2F"


class Shifted(Clock):
    """A clock whose wall is somewhere else in time."""

    def __init__(self, **by: float) -> None:
        self._by = timedelta(**by)
        super().__init__()

    def wall(self) -> datetime:
        """The real time, shifted."""
        return super().wall() + self._by


def code_of(answer: requests.Response) -> str:
    """The error code in an answer."""
    return answer.text.partition("<Code>")[2].partition("</Code>")[0]


class TestHeaders:
    """Signatures in the Authorization header."""

    @pytest.mark.parametrize("version", ["v1", "v4"])
    def test_wrong_keys(self, cloud: Cloud, version: str) -> None:
        """A strange key id, a wrong secret and a wrong token are told apart, and change nothing."""
        sts = cloud.keys.issue("reconcile")
        wrong = [
            ("InvalidAccessKeyId", oss2.make_auth("stranger", "emulator-secret", version)),
            ("SignatureDoesNotMatch", oss2.make_auth("emulator", "wrong", version)),
            ("InvalidSecurityToken", oss2.StsAuth(sts.key_id, sts.secret, "wrong", version)),
            ("InvalidSecurityToken", oss2.StsAuth("emulator", "emulator-secret", sts.token, version)),
        ]
        for code, auth in wrong:
            with pytest.raises(oss2.exceptions.ServerError) as refused:
                cloud.client(auth).put_object(KEY, b"x")
            assert (refused.value.status, refused.value.code) == (403, code)
        assert list(cloud.buckets.list("vision-data")) == []
        assert cloud.events == []

    @pytest.mark.parametrize("version", ["v1", "v4"])
    def test_tokens(self, cloud: Cloud, version: str) -> None:
        """A short-lived key needs its token, and is refused once it has expired."""
        sts, old = cloud.keys.issue("reconcile"), Keys(cloud.keys.root, Shifted(hours=-37)).issue("reconcile")
        without = oss2.make_auth(sts.key_id, sts.secret, version)
        with pytest.raises(oss2.exceptions.ServerError) as refused:
            cloud.client(without).put_object(KEY, b"x")
        assert refused.value.code == "InvalidAccessKeyId"
        with pytest.raises(oss2.exceptions.ServerError) as refused:
            cloud.client(oss2.StsAuth(old.key_id, old.secret, old.token, version)).put_object(KEY, b"x")
        assert (refused.value.status, refused.value.code) == (403, "SecurityTokenExpired")

    @pytest.mark.parametrize("version", ["v1", "v4"])
    @pytest.mark.parametrize(("minutes", "fresh"), [(-16, False), (-14, True), (14, True), (16, False)])
    def test_dates(self, tmp_path: Path, cloud: Cloud, version: str, minutes: int, *, fresh: bool) -> None:
        """A date more than 15 minutes from the wall's time is RequestTimeTooSkewed, whatever the emulated time."""
        other = type(cloud)(tmp_path / "other", clock=Shifted(minutes=minutes))
        other.clock.advance(86_400)
        other.buckets.create_bucket("vision-data")
        client = other.client(other.auth(version))
        try:
            if fresh:
                client.put_object(KEY, b"x")
            else:
                with pytest.raises(oss2.exceptions.ServerError) as refused:
                    client.put_object(KEY, b"x")
                assert (refused.value.status, refused.value.code) == (403, "RequestTimeTooSkewed")
        finally:
            other.close()

    @pytest.mark.parametrize(
        ("hours", "zone", "code"),
        [(0, "GMT", 404), (8, "+0800", 404), (-5, "-0500", 404), (0, "+0800", 403), (0, "-0000", 404), (8, "GMT", 403)],
    )
    def test_a_date_is_read_with_its_zone(self, cloud: Cloud, hours: int, zone: str, code: int) -> None:
        """Version 1 dates may be written in any zone: they mean that moment, and not the same digits in UTC."""
        local = datetime.now(UTC) + timedelta(hours=hours)
        date = f"{format_datetime(local.replace(tzinfo=None)).removesuffix('-0000')}{zone}"
        signed = signature_v1.string_to_sign(Call("GET", "vision-data", "a", {}, {}, BytesIO(), "", ""), date)
        headers = {"Date": date, "Authorization": f"OSS emulator:{signature_v1.signature('emulator-secret', signed)}"}
        answer = requests.get(f"{cloud.server.url}/vision-data/a", headers=headers, timeout=20)
        assert (answer.status_code, code_of(answer)) == (code, "NoSuchKey" if code == 404 else "RequestTimeTooSkewed")

    @pytest.mark.parametrize(
        "date",
        ["Mon, 30 Nov 99999 21:00:00 GMT", "Fri, 31 Dec 9999 23:00:00 -0300", "30", "now"],
    )
    def test_what_is_no_date_is_refused(self, cloud: Cloud, date: str) -> None:
        """As a request without one, and not as a failure of the store."""
        answer = requests.get(
            f"{cloud.server.url}/vision-data/a",
            headers={"Date": date, "Authorization": "OSS emulator:sig"},
            timeout=20,
        )
        assert (answer.status_code, code_of(answer)) == (403, "AccessDenied")

    def test_nobody(self, cloud: Cloud) -> None:
        """There is no anonymous access, and version 2 and nonsense are refused by name."""
        with pytest.raises(oss2.exceptions.AccessDenied):
            cloud.client(oss2.AnonymousAuth()).get_object(KEY)
        for auth in (oss2.AuthV2("emulator", "emulator-secret"),):
            with pytest.raises(oss2.exceptions.ServerError) as refused:
                cloud.client(auth).get_object(KEY)
            assert refused.value.code == "InvalidArgument"
        for header in ("OSS", "OSS emulator", "Basic x", "OSS4-HMAC-SHA256 Credential=x", "OSS4-HMAC-SHA256"):
            answer = requests.get(f"{cloud.server.url}/vision-data/a", headers={"Authorization": header}, timeout=20)
            assert answer.status_code in {400, 403}
            assert code_of(answer) in {"InvalidArgument", "AccessDenied", "InvalidAccessKeyId"}

    def test_another_region(self, cloud: Cloud) -> None:
        """Version 4 names the region, and another one is refused."""
        with pytest.raises(oss2.exceptions.InvalidArgument) as refused:
            cloud.client(cloud.auth("v4"), region="cn-beijing").list_objects()
        assert "cn-beijing" in refused.value.message

    def test_the_documented_example(self) -> None:
        """Version 1 gives the signature that OSS's documentation has for its example."""
        headers = {
            "content-md5": "ODBGOERFMDMzQTczRUY3NUE3NzA5QzdFNUYzMDQxNEM=",
            "content-type": "text/html",
            "x-oss-meta-author": "foo@bar.com",
            "x-oss-magic": "abracadabra",
        }
        call = Call("PUT", "oss-example", "nelson", {}, headers, BytesIO(), "127.0.0.1", "")
        signed = signature_v1.string_to_sign(call, "Thu, 17 Nov 2005 18:49:58 GMT")
        secret = "OtxrzxIsfpFjA7SwPzILwy8Bw21TLhquhboDYROV"
        assert signature_v1.signature(secret, signed) == "26NBxoKdsyly4EDv6inkoDft/yA="


@pytest.mark.parametrize("query", ["Expires=9" + "9" * 5000, "Expires=x", "Expires=", "", "Expires=²"])
def test_nonsense_is_refused(cloud: Cloud, query: str) -> None:
    """Values that no signer makes are refused like any other, never an internal error."""
    url = f"{cloud.server.url}/vision-data/a?OSSAccessKeyId=emulator&Signature=x&{query}"
    assert code_of(requests.get(url, timeout=20)) in {"AccessDenied", "SignatureDoesNotMatch"}
    credential = "emulator%2F00010101%2Fcn-hangzhou%2Foss%2Faliyun_v4_request"
    version = "x-oss-signature-version=OSS4-HMAC-SHA256&x-oss-signature=x"
    url = f"{cloud.server.url}/vision-data/a?{version}&x-oss-credential={credential}&x-oss-date=00010101T000000Z"
    assert code_of(requests.get(f"{url}&x-oss-expires=60", timeout=20)) == "AccessDenied"


class TestUrls:
    """Signatures in presigned URLs."""

    @pytest.mark.parametrize("way", ["v1", "v4", "provider-v4", "sts-v1", "sts-v4"])
    def test_with_signed_headers(self, cloud: Cloud, way: str) -> None:
        """A presigned PUT keeps the headers it was signed with, and refuses others."""
        client = cloud.client(cloud.auth(way))
        headers = {"Content-Type": "text/csv", "x-oss-meta-a": "1"}
        url = client.sign_url("PUT", KEY, 60, headers=dict(headers))
        assert requests.put(url, data=b"x", headers=headers, timeout=20).status_code == 200
        assert client.head_object(KEY).headers["x-oss-meta-a"] == "1"
        answer = requests.put(url, data=b"y", headers=headers | {"x-oss-meta-a": "2"}, timeout=20)
        assert code_of(answer) == "SignatureDoesNotMatch"
        assert client.get_object(KEY).read() == b"x"

    @pytest.mark.parametrize("way", ["v1", "v4"])
    def test_good_for_one_thing(self, cloud: Cloud, way: str) -> None:
        """A URL is good for its method, key and parameters alone."""
        client = cloud.client(cloud.auth(way))
        client.put_object("a", b"x")
        url = client.sign_url("GET", "a", 60, params={"response-content-type": "text/plain"})
        assert requests.get(url, timeout=20).headers["Content-Type"] == "text/plain"
        changed = [url.replace("/a?", "/b?"), url.replace("text%2Fplain", "text%2Fhtml")]
        answers = [requests.get(one, timeout=20) for one in changed] + [requests.delete(url, timeout=20)]
        assert [code_of(answer) for answer in answers] == ["SignatureDoesNotMatch"] * 3
        assert client.object_exists("a")

    @pytest.mark.parametrize("way", ["v1", "v4"])
    def test_expiry(self, cloud: Cloud, way: str) -> None:
        """A URL that has expired is AccessDenied."""
        client = cloud.client(cloud.auth(way))
        cloud.buckets.put("vision-data", "a", BytesIO(b"x"))
        answer = requests.get(client.sign_url("GET", "a", -1 if way == "v1" else 0), timeout=20)
        assert answer.status_code in {400, 403}
        assert code_of(answer) in {"AccessDenied", "InvalidArgument"}

    def test_additional_headers(self, cloud: Cloud) -> None:
        """Version 4 can bind further headers to a URL."""
        client = cloud.client(cloud.auth("v4"))
        client.put_object("a", b"0123456789")
        headers = {"Range": "bytes=0-3"}
        url = client.sign_url("GET", "a", 60, headers=dict(headers), additional_headers=["range"])
        assert requests.get(url, headers=headers, timeout=20).content == b"0123"
        assert code_of(requests.get(url, headers={"Range": "bytes=0-9"}, timeout=20)) == "SignatureDoesNotMatch"
