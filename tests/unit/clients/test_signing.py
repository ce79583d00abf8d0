"""The signature, against the published example and the official SDK."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime, timedelta, timezone
from types import SimpleNamespace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from junbi.clients.credentials import Credentials
from junbi.clients.signing import Stamp, encode, sign

KEYS = Credentials("YourAccessKeyId", "YourAccessKeySecret")
STAMP = Stamp("3156853299f313e23d1673dc12e1703d", "2023-10-26T10:22:32Z")
HEADERS = {"host": "ecs.cn-shanghai.aliyuncs.com", "x-acs-action": "RunInstances", "x-acs-version": "2014-05-26"}


def authorization(headers: dict[str, str]) -> str:
    """The header that carries the signature."""
    return headers["Authorization"]


class TestPublishedExample:
    """The example of the signature's documentation."""

    def test_it_is_reproduced(self) -> None:
        """The documented request gets the documented signature."""
        query = [("RegionId", "cn-shanghai"), ("ImageId", "win2019_1809_x64_dtc_zh-cn_40G_alibase_20230811.vhd")]
        added = sign("POST", "/", query, headers=HEADERS, body=b"", credentials=KEYS, stamp=STAMP)
        assert authorization(added) == (
            "ACS3-HMAC-SHA256 Credential=YourAccessKeyId,SignedHeaders=host;x-acs-action;x-acs-content-sha256;"
            "x-acs-date;x-acs-signature-nonce;x-acs-version,"
            "Signature=06563a9e1b43f5dfe96b81484da74bceab24a1d853912eee15083a6f0f3283c0"
        )


names = st.text("abcABC019-_.~", min_size=1, max_size=12)
values = st.text(st.characters(exclude_categories=["Cs"]), max_size=20) | st.sampled_from(
    ["", "a b", "a+b", "*~", "日本/語"]
)


class TestOfficialSdk:
    """The official SDK's signature of the same request."""

    @given(
        method=st.sampled_from(["GET", "POST", "PUT", "DELETE"]),
        segments=st.lists(values.filter(bool), max_size=3),
        query=st.dictionaries(names, values, max_size=5),
        body=st.binary(max_size=200),
        token=st.sampled_from(["", "CAISbase64+/="]),
    )
    @settings(max_examples=200, deadline=None)
    def test_every_request_is_signed_as_the_sdk_signs_it(
        self, method: str, segments: list[str], query: dict[str, str], body: bytes, token: str
    ) -> None:
        """Paths, queries and bodies of any characters, with and without a security token, get the SDK's signature."""
        from alibabacloud_tea_openapi.utils import Utils  # slow to load

        path = "/api/" + "/".join(encode(segment) for segment in segments)
        keys = Credentials("key", "secret", token)
        headers = HEADERS | ({"content-type": "application/json; charset=utf-8"} if body else {})
        ours = sign(method, path, query.items(), headers=headers, body=body, credentials=keys, stamp=STAMP)
        signed = headers | {name: value for name, value in ours.items() if name != "Authorization"}
        request = SimpleNamespace(method=method, pathname=path, query=query, headers=signed)
        digest = hashlib.sha256(body).hexdigest()
        theirs = Utils.get_authorization(request, "ACS3-HMAC-SHA256", digest, keys.key_id, keys.secret)
        assert authorization(ours) == theirs


class TestWhatIsSigned:
    """Which headers the signature covers."""

    def test_headers_of_the_library_are_left_out(self) -> None:
        """What an HTTP library adds or changes by itself is not signed."""
        noisy = HEADERS | {"user-agent": "x", "accept": "*/*", "connection": "keep-alive", "content-type": "a/b"}
        added = sign("GET", "/", [], headers=noisy, body=b"", credentials=KEYS, stamp=STAMP)
        assert "SignedHeaders=content-type;host;x-acs-action;x-acs-content-sha256;" in authorization(added)
        assert not {"user-agent", "accept", "connection"} & set(authorization(added).replace(",", ";").split(";"))

    def test_a_security_token_is_sent_and_signed(self) -> None:
        """Short-lived keys send their token, under the signature."""
        keys = Credentials("key", "secret", "token")
        added = sign("GET", "/", [], headers=HEADERS, body=b"", credentials=keys, stamp=STAMP)
        assert added["x-acs-security-token"] == "token"
        assert "x-acs-security-token" in authorization(added)

    @pytest.mark.parametrize("change", ["method", "path", "query", "body", "nonce", "date", "header", "secret"])
    def test_nothing_can_be_changed_unnoticed(self, change: str) -> None:
        """A change of any part changes the signature."""
        part = {
            "method": "POST", "path": "/a", "query": [("a", "b")], "body": b"{}", "nonce": "n", "date": "d",
            "header": "v", "secret": "s",
        }  # fmt: skip
        altered = part | {change: [("a", "c")] if change == "query" else b"[]" if change == "body" else "other"}
        signatures = {
            authorization(
                sign(
                    it["method"], it["path"], it["query"], body=it["body"], headers=HEADERS | {"x-acs-x": it["header"]},
                    credentials=Credentials("key", it["secret"]), stamp=Stamp(it["nonce"], it["date"]),
                )
            )
            for it in (part, altered)
        }  # fmt: skip
        assert len(signatures) == 2


class TestStamp:
    """What makes a request unique."""

    def test_fresh_stamps_differ_and_are_dated_in_utc(self) -> None:
        """Two stamps of one moment have different nonces and one date, in UTC to the second."""
        now = datetime(2026, 11, 30, 19, 22, 32, 999, tzinfo=timezone(timedelta(hours=9)))
        first, second = Stamp.fresh(now), Stamp.fresh(now.astimezone(UTC))
        assert first.date == second.date == "2026-11-30T10:22:32Z"
        assert first.nonce != second.nonce
        assert len(first.nonce) == 32
