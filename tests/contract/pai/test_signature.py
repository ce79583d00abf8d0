"""Who may call: signatures, dates and nonces, judged against the published vector and the official signer."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from alibabacloud_aiworkspace20210204 import models as sdk
from alibabacloud_tea_openapi.exceptions import ClientException

from junbi.emulator import acs3
from junbi.emulator.keys import AccessKey
from junbi.emulator.nonces import Nonces

WORKSPACES = ("GET", "/api/v1/workspaces", "ListWorkspaces", "2021-02-04")
EMPTY_HASH = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"


def test_published_vector() -> None:
    """The signature printed in the vendor's documentation is the one we compute."""
    headers = {
        "host": "ecs.cn-shanghai.aliyuncs.com",
        "x-acs-action": "RunInstances",
        "x-acs-content-sha256": EMPTY_HASH,
        "x-acs-date": "2023-10-26T10:22:32Z",
        "x-acs-signature-nonce": "3156853299f313e23d1673dc12e1703d",
        "x-acs-version": "2014-05-26",
    }
    request = acs3.canonical_request(
        method="POST",
        path="/",
        query="RegionId=cn-shanghai&ImageId=win2019_1809_x64_dtc_zh-cn_40G_alibase_20230811.vhd",
        headers=headers,
        signed=tuple(sorted(headers)),
        body_hash=EMPTY_HASH,
    )
    expected = "06563a9e1b43f5dfe96b81484da74bceab24a1d853912eee15083a6f0f3283c0"
    assert acs3.signature("YourAccessKeySecret", request) == expected


def test_query_is_signed_as_it_means_not_as_it_travels() -> None:
    """A space may travel as a plus, in any order of parameters; an empty value keeps its equals sign."""
    assert acs3.canonical_query("b=a+b%2Fc~%2A&a=&B=%E6%97%A5") == "B=%E6%97%A5&a=&b=a%20b%2Fc~%2A"


def test_wrong_secret_is_refused(pai: Any) -> None:
    """A key that exists, with another secret, opens nothing."""
    client = pai.workspace_sdk(AccessKey("emulator", "guessed"))
    with pytest.raises(ClientException) as caught:
        client.list_workspaces(sdk.ListWorkspacesRequest())
    assert (caught.value.code, caught.value.status_code) == ("SignatureDoesNotMatch", 400)


def test_unknown_key_is_refused(pai: Any) -> None:
    """A key that does not exist is named as such."""
    client = pai.workspace_sdk(AccessKey("nobody", "emulator-secret"))
    with pytest.raises(ClientException) as caught:
        client.list_workspaces(sdk.ListWorkspacesRequest())
    assert (caught.value.code, caught.value.status_code) == ("InvalidAccessKeyId.NotFound", 404)


def test_short_lived_key_works_with_its_token_only(pai: Any) -> None:
    """The SDK signs with an issued key; with another's token it is refused."""
    key = pai.keys.issue("reconcile")
    assert pai.workspace_sdk(key).list_workspaces(sdk.ListWorkspacesRequest()).body.total_count == 1
    other = AccessKey(key.key_id, key.secret, pai.keys.issue("other").token)
    with pytest.raises(ClientException, match="access key is not found"):
        pai.workspace_sdk(other).list_workspaces(sdk.ListWorkspacesRequest())


@pytest.mark.parametrize("minutes", [-16, 16])
def test_date_outside_the_window_is_refused(pai: Any, minutes: int) -> None:
    """A date more than 15 minutes off, either way, is expired, however well it is signed."""
    date = f"{datetime.now(UTC) + timedelta(minutes=minutes):%Y-%m-%dT%H:%M:%SZ}"
    status, answer = pai.send(pai.signed(*WORKSPACES, **{"x-acs-date": date}))
    assert (status, answer["Code"]) == (400, "InvalidTimeStamp.Expired")


@pytest.mark.parametrize("minutes", [-14, 14])
def test_date_inside_the_window_is_accepted(pai: Any, minutes: int) -> None:
    """Clocks may differ by less than 15 minutes, whatever the emulated time."""
    pai.clock.advance(86_400)
    date = f"{datetime.now(UTC) + timedelta(minutes=minutes):%Y-%m-%dT%H:%M:%SZ}"
    assert pai.send(pai.signed(*WORKSPACES, **{"x-acs-date": date}))[0] == 200


def test_repeated_nonce_is_refused_also_after_a_restart(pai: Any) -> None:
    """The same signed request is carried out once; a restart forgets no nonce."""
    request = pai.signed(*WORKSPACES)
    assert pai.send(request)[0] == 200
    assert pai.send(request)[1]["Code"] == "SignatureNonceUsed"
    nonce = request.headers["x-acs-signature-nonce"]
    pai.restart()
    status, answer = pai.send(pai.signed(*WORKSPACES, **{"x-acs-signature-nonce": nonce}))
    assert (status, answer["Code"]) == (400, "SignatureNonceUsed")


def test_nonce_counts_as_used_whatever_became_of_the_request(pai: Any) -> None:
    """A well-signed request that failed used its nonce up; a badly signed one did not."""
    missing = ("GET", "/api/v1/workspaces/7", "GetWorkspace", "2021-02-04")
    failed = pai.signed(*missing)
    assert pai.send(failed)[1]["Code"] == "NotFound"
    assert pai.send(failed)[1]["Code"] == "SignatureNonceUsed"
    nonce = "a-nonce-that-was-never-used"
    bad = pai.signed(*WORKSPACES, key=AccessKey("emulator", "guessed"), **{"x-acs-signature-nonce": nonce})
    assert pai.send(bad)[1]["Code"] == "SignatureDoesNotMatch"
    assert pai.send(pai.signed(*WORKSPACES, **{"x-acs-signature-nonce": nonce}))[0] == 200


def test_nonces_are_forgotten_once_no_request_can_repeat_them(pai: Any) -> None:
    """A nonce past its time is deleted, the others are not, so that the records do not grow for ever."""
    nonces, now = Nonces(pai.records), datetime.now(UTC)
    assert nonces.use("short", now, now + timedelta(minutes=1))
    assert nonces.use("long", now, now + timedelta(minutes=9))
    assert not nonces.use("short", now, now + timedelta(minutes=9))
    later = now + timedelta(minutes=2)
    assert nonces.use("other", later, later + timedelta(minutes=9))
    assert sorted(kept["Nonce"] for kept in pai.records.all("used-nonce")) == ["long", "other"]
    assert not nonces.use("long", later, later + timedelta(minutes=9))


@pytest.mark.parametrize("name", ["x-acs-date", "x-acs-signature-nonce", "x-acs-content-sha256"])
def test_missing_header_is_named(pai: Any, name: str) -> None:
    """A header that the signature needs is asked for by its name."""
    request = pai.signed(*WORKSPACES)
    del request.headers[name]
    status, answer = pai.send(request)
    assert (status, answer["Code"]) == (400, "MissingParameter")
    assert name in answer["Message"]


def test_missing_or_foreign_authorization(pai: Any) -> None:
    """No signature, or one of another algorithm, is no signature."""
    for text in (None, "acs emulator:abcdef"):
        request = pai.signed(*WORKSPACES)
        del request.headers["Authorization"]
        if text:
            request.headers["Authorization"] = text
        assert pai.send(request)[1]["Code"] == "IncompleteSignature"


def test_body_is_part_of_the_signature(pai: Any) -> None:
    """Neither another body under the signed hash nor a signed hash of another body passes."""
    changed = pai.signed("POST", "/api/v1/datasets", "CreateDataset", "2021-02-04", b'{"Name":"a"}')
    changed.body = b'{"Name":"b"}'
    assert pai.send(changed)[1]["Code"] == "SignatureDoesNotMatch"
    lying = pai.signed("POST", "/api/v1/datasets", "CreateDataset", "2021-02-04", b'{"Name":"a"}', digest=EMPTY_HASH)
    assert pai.send(lying)[1]["Code"] == "SignatureDoesNotMatch"
    two_hashes = pai.signed(*WORKSPACES, **{"x-acs-content-sha256": "0" * 64})
    assert pai.send(two_hashes)[1]["Code"] == "SignatureDoesNotMatch"


def test_query_is_part_of_the_signature(pai: Any) -> None:
    """A parameter that was not signed is not accepted."""
    request = pai.signed(*WORKSPACES)
    request.target += "?Status=ENABLED"
    assert pai.send(request)[1]["Code"] == "SignatureDoesNotMatch"


def test_unsigned_action_is_refused(pai: Any) -> None:
    """What decides the operation must be signed: an x-acs header that is not in SignedHeaders is refused."""
    request = pai.signed(*WORKSPACES)
    request.headers["x-acs-extra"] = "1"
    assert pai.send(request)[1]["Code"] == "SignatureDoesNotMatch"


def test_refusal_does_not_show_the_token(pai: Any) -> None:
    """A security token is never echoed in a message."""
    key = pai.keys.issue("reconcile")
    headers = {"x-acs-security-token": key.token, "x-acs-accesskey-id": key.key_id}
    wrong = AccessKey(key.key_id, "guessed", key.token)
    _, answer = pai.send(pai.signed(*WORKSPACES, key=wrong, **headers))
    assert answer["Code"] == "SignatureDoesNotMatch"
    assert key.token not in str(answer)
