"""Our client of image registries, against the local one and against registries that misbehave."""

from __future__ import annotations

import base64
import hashlib
import time
from typing import Any

import pytest

from junbi.clients.registry import Registry
from junbi.clients.registry_login import Login
from junbi.emulator.registry.access import Access
from junbi.errors import CallFailed, NotDone, OutcomeUnknown, Refused

CREDENTIAL = "robot:hunter2"
PAIR = base64.b64encode(CREDENTIAL.encode()).decode()
DIGEST = f"sha256:{'ab' * 32}"
FOUND = (200, {"Docker-Content-Digest": DIGEST}, b"")


def asked(error: Any) -> str:
    """Everything that an error shows."""
    return f"{error} {error!r} {vars(error)}"


class TestDigests:
    """What a tag names."""

    def test_a_tag_names_its_index(self, local: Any) -> None:
        """An image for several platforms is known by the digest of its index; each platform by its own."""
        registry = local()
        index, manifest = registry.push("vision/torch", "v1.2")
        client = registry.client()
        assert client.digest("vision/torch", "v1.2") == index
        assert client.digest("vision/torch", index) == index
        assert client.digest("vision/torch", manifest) == manifest

    def test_a_tag_that_moved_is_seen(self, local: Any) -> None:
        """Each question is asked anew."""
        registry = local()
        first, _ = registry.push("vision/torch", "latest")
        client = registry.client()
        assert client.digest("vision/torch", "latest") == first
        second, _ = registry.push("vision/torch", "latest", config=b'{"v":2}')
        assert client.digest("vision/torch", "latest") == second != first

    @pytest.mark.parametrize(("repository", "tag"), [("vision/torch", "v2"), ("vision/nothing", "v1.2")])
    def test_what_is_not_there_is_a_clear_no(self, local: Any, repository: str, tag: str) -> None:
        """A missing tag and a missing repository are refusals that name what was asked for."""
        registry = local()
        registry.push("vision/torch", "v1.2")
        with pytest.raises(Refused, match=f"{repository}:{tag}") as caught:
            registry.client().digest(repository, tag)
        assert (caught.value.code, caught.value.status) == ("ImageNotFound", 404)

    @pytest.mark.parametrize(
        ("repository", "tag"), [("../x", "v1"), ("a//b", "v1"), ("a", "v 1"), ("a", "../b"), ("a?b", "v1"), ("A", "v1")]
    )
    def test_a_name_that_no_registry_takes_is_asked_of_none(self, scripted: Any, repository: str, tag: str) -> None:
        """It could lead to another address than meant."""
        server = scripted(FOUND)
        with pytest.raises(Refused) as caught:
            Registry(server.name).digest(repository, tag)
        assert (caught.value.code, server.asked) == ("InvalidName", [])

    @pytest.mark.parametrize("first", [(200, {}, b""), (200, {"Docker-Content-Digest": "md5:1"}, b""), (405, {}, b"")])
    def test_a_registry_that_tells_no_digest_is_read(self, scripted: Any, first: Any) -> None:
        """Where HEAD is not served or says nothing, the digest is that of the manifest's bytes."""
        manifest = b'{"schemaVersion":2}'
        server = scripted(first, (200, {}, manifest))
        assert Registry(server.name).digest("a/b", "v1") == f"sha256:{hashlib.sha256(manifest).hexdigest()}"
        assert [method for method, _, _ in server.asked] == ["HEAD", "GET"]

    def test_another_digest_than_asked_for_is_no_answer(self, scripted: Any) -> None:
        """A registry that answers with something else is not believed."""
        with pytest.raises(OutcomeUnknown):
            Registry(scripted(FOUND).name, deadline=1.5).digest("a/b", f"sha256:{'cd' * 32}")


class TestTags:
    """Which tags there are."""

    def test_every_tag_is_listed(self, local: Any) -> None:
        """In the registry's order; a repository that is not there is a refusal."""
        registry = local()
        for tag in ("v1", "v10", "v2"):
            registry.push("vision/torch", tag)
        assert registry.client().tags("vision/torch") == ["v1", "v10", "v2"]
        with pytest.raises(Refused, match="NAME_UNKNOWN"):
            registry.client().tags("vision/none")

    def test_the_local_registry_pages_as_asked(self, local: Any) -> None:
        """The next page begins behind the last tag, and the last page leads nowhere."""
        registry = local()
        for tag in ("a", "b", "c"):
            registry.push("x", tag)
        _, headers, body = registry.call("GET", "/v2/x/tags/list?n=2")
        assert (headers["Link"], b'"a","b"' in body) == ('</v2/x/tags/list?last=b&n=2>; rel="next"', True)
        _, headers, body = registry.call("GET", "/v2/x/tags/list?last=b&n=2")
        assert (headers["Link"], b'["c"]' in body) == (None, True)

    @pytest.mark.parametrize("base", ["", "http://other.example:5000", "https://127.0.0.1"])
    def test_pages_are_followed_on_this_registry_alone(self, scripted: Any, base: str) -> None:
        """Relative or not, and whatever host a proxy writes into it: the next page is asked of the same registry."""
        link = {"Link": f'<{base}/v2/a/tags/list?last=v2&n=2>; rel="next"'}
        server = scripted((200, link, b'{"tags":["v1","v2"]}'), (200, {}, b'{"tags":["v2","v3"]}'))
        assert Registry(server.name).tags("a") == ["v1", "v2", "v3"]
        assert server.asked[1][1] == "/v2/a/tags/list?last=v2&n=2"

    def test_a_repository_without_tags_has_none(self, scripted: Any) -> None:
        """Some registries write null."""
        assert Registry(scripted((200, {}, b'{"name":"a","tags":null}')).name).tags("a") == []

    @pytest.mark.parametrize("body", [b"<html>", b"[]", b'{"tags":7}', b"\xff", b"[" * 5000])
    def test_what_is_no_list_is_no_answer(self, scripted: Any, body: bytes) -> None:
        """It is not taken for an empty one."""
        with pytest.raises(OutcomeUnknown, match="no list"):
            Registry(scripted((200, {}, body)).name, deadline=1.5).tags("a")

    def test_a_list_without_end_is_given_up(self, scripted: Any) -> None:
        """A page that leads to itself does not hold us."""
        link = {"Link": '</v2/a/tags/list?n=1000>; rel="next"'}
        with pytest.raises(OutcomeUnknown, match="does not end"):
            Registry(scripted((200, link, b'{"tags":["v1"]}')).name).tags("a")


class TestCredentials:
    """Who asks."""

    @pytest.mark.parametrize("kind", ["basic", "bearer"])
    def test_a_private_image_is_seen_with_its_credential(self, local: Any, kind: Any) -> None:
        """By password or by token; a wrong one and none at all are refused, and shown nowhere."""
        index, _ = local().push("vision/torch", "v1")
        registry = local(Access({"robot": "hunter2"}, kind=kind))
        client = registry.client(CREDENTIAL)
        assert (client.digest("vision/torch", "v1"), client.tags("vision/torch")) == (index, ["v1"])
        for wrong in ("robot:hunter3", "nobody:hunter3", ""):
            with pytest.raises(Refused) as caught:
                registry.client(wrong).digest("vision/torch", "v1")
            assert (caught.value.code, caught.value.status) == ("CredentialRefused", 401)
            assert "hunter3" not in asked(caught.value)

    def test_a_token_that_got_old_is_asked_for_anew(self, local: Any) -> None:
        """A client that lives longer than its token goes on."""
        index, _ = local().push("vision/torch", "v1")
        client = local(Access({"robot": "hunter2"}, token_life=0.3)).client(CREDENTIAL)
        assert client.digest("vision/torch", "v1") == index
        time.sleep(0.4)
        assert client.digest("vision/torch", "v1") == index

    def test_a_token_is_used_again(self, scripted: Any) -> None:
        """The credential is shown once, to where tokens are given out, and for pulling alone."""
        challenge = {}
        server = scripted((401, challenge, b""), (200, {}, b'{"access_token":"t1"}'), FOUND)
        challenge["WWW-Authenticate"] = (
            f'Bearer realm="http://{server.name}/auth",service="s:1",scope="repository:a:pull"'
        )
        client = Registry(server.name, CREDENTIAL)
        assert client.digest("a", "v1") == client.digest("a", "v2") == DIGEST
        assert [shown for _, _, shown in server.asked] == ["", f"Basic {PAIR}", "Bearer t1", "Bearer t1"]
        assert server.asked[1][1] == "/auth?service=s%3A1&scope=repository%3Aa%3Apull"

    def test_the_credential_goes_nowhere_else(self, scripted: Any) -> None:
        """Where a registry names another host for its tokens, that host hears nothing, unless we allow it."""
        other = scripted((200, {}, b'{"token":"t1"}'))
        challenge = {"WWW-Authenticate": f'Bearer realm="http://{other.name}/auth",service="s"'}
        server = scripted((401, challenge, b""), (401, challenge, b""), FOUND)
        with pytest.raises(Refused, match=other.name) as caught:
            Registry(server.name, CREDENTIAL).digest("a", "v1")
        assert (caught.value.code, other.asked) == ("RealmNotTrusted", [])
        assert "hunter2" not in asked(caught.value)
        assert Registry(server.name, CREDENTIAL, realms=[other.name]).digest("a", "v1") == DIGEST

    def test_a_redirect_is_not_followed(self, scripted: Any) -> None:
        """Wherever the registry sends us, nothing goes there."""
        other = scripted(FOUND)
        server = scripted((307, {"Location": f"http://{other.name}/v2/a/manifests/v1"}, b""))
        with pytest.raises(OutcomeUnknown):
            Registry(server.name, CREDENTIAL, deadline=1.5).digest("a", "v1")
        assert other.asked == []

    @pytest.mark.parametrize(
        ("registry", "realm", "trusted"),
        [
            ("https://registry.cn-hangzhou.aliyuncs.com", "https://dockerauth.cn-hangzhou.aliyuncs.com/auth", True),
            (
                "https://registry-vpc.cn-beijing.aliyuncs.com",
                "https://dockerauth-vpc.cn-beijing.aliyuncs.com/auth",
                True,
            ),
            (
                "https://lab-registry.cn-hangzhou.cr.aliyuncs.com",
                "https://dockerauth-ee.cn-hangzhou.aliyuncs.com/a",
                True,
            ),
            (
                "https://crpi-x.cn-guangzhou.personal.cr.aliyuncs.com",
                "https://dockerauth-cn-guangzhou.aliyuncs.com/a",
                True,
            ),
            (
                "https://registry.cn-hangzhou.aliyuncs.com",
                "https://dockerauth-vpc.oss-cn-hangzhou.aliyuncs.com/a",
                False,
            ),
            ("https://registry-1.docker.io", "https://auth.docker.io/token", True),
            ("https://ghcr.io", "https://ghcr.io/token", True),
            ("https://registry.gitlab.com", "https://gitlab.com/jwt/auth", True),
            ("https://registry.cn-hangzhou.aliyuncs.com", "http://dockerauth.cn-hangzhou.aliyuncs.com/auth", False),
            ("https://registry.cn-hangzhou.aliyuncs.com", "https://dockerauth.aliyuncs.com.evil.example/auth", False),
            ("https://registry.cn-hangzhou.aliyuncs.com", "https://evil.oss-cn-hangzhou.aliyuncs.com/auth", False),
            (
                "https://registry.cn-hangzhou.aliyuncs.com",
                "https://dockerauth.cn-hangzhou.aliyuncs.com:8443/auth",
                False,
            ),
            (
                "https://registry.cn-hangzhou.aliyuncs.com",
                "https://u:p@dockerauth.cn-hangzhou.aliyuncs.com/auth",
                False,
            ),
            ("https://registry.example", "https://dockerauth.cn-hangzhou.aliyuncs.com/auth", False),
            ("https://registry.example", "http://registry.example/token", False),
            ("https://registry.example", "https://registry.example:444/token", False),
            ("https://registry.example", "https://registry.example@evil.example/token", False),
            ("https://registry.example", "//evil.example/token", False),
            ("https://registry.example", "https://[::1/token", False),
            ("https://registry.example", "", False),
        ],
    )
    def test_who_may_give_out_tokens(self, registry: str, realm: str, trusted: bool) -> None:  # noqa: FBT001
        """The registry's own host and the known partners of known registries, encrypted."""
        login = Login(registry, CREDENTIAL)
        if trusted:
            url, headers = login.question("o", {"realm": realm, "service": "a b"}, "repository:x:pull")
            assert url == f"{realm}?service=a%20b&scope=repository%3Ax%3Apull"
            assert headers == {"authorization": f"Basic {PAIR}"}
        else:
            with pytest.raises(Refused) as caught:
                login.question("o", {"realm": realm}, "s")
            assert caught.value.code == "RealmNotTrusted"

    def test_nothing_secret_goes_over_an_open_line(self) -> None:
        """Plain HTTP carries no credential, unless it stays on this machine."""
        assert Login("http://registry.example", CREDENTIAL).basic() == {}
        assert Login("http://127.0.0.1:5000", CREDENTIAL).basic() == {"authorization": f"Basic {PAIR}"}

    def test_a_registry_that_quotes_the_credential_does_not_get_it_into_the_logs(self, scripted: Any) -> None:
        """The registry's own words are shown without it."""
        said = f'{{"errors":[{{"code":"UNSUPPORTED","message":"{CREDENTIAL} {PAIR} hunter2"}}]}}'.encode()
        server = scripted((400, {}, said))
        with pytest.raises(Refused, match="UNSUPPORTED") as caught:
            Registry(server.name, CREDENTIAL).tags("a")
        assert "hunter2" not in asked(caught.value)
        assert PAIR not in asked(caught.value)

    @pytest.mark.parametrize(
        "answer", [b"", b"{}", b"[]", b'{"token":"a\\r\\nb"}', b'{"token":"\xc3\xa9"}', b'{"token":1}']
    )
    def test_an_answer_without_a_token_is_none(self, scripted: Any, answer: bytes) -> None:
        """Nor is one that no header can carry."""
        challenge: dict[str, str] = {}
        server = scripted(*[(401, challenge, b""), (200, {}, answer)] * 8)
        challenge["WWW-Authenticate"] = f'Bearer realm="http://{server.name}/auth"'
        with pytest.raises(OutcomeUnknown, match="there was none"):
            Registry(server.name, CREDENTIAL, deadline=1.5).tags("a")

    def test_where_nobody_gives_out_tokens_no_image_is_missing(self, scripted: Any) -> None:
        """A 404 there says nothing of the image; it is asked for again later."""
        challenge: dict[str, str] = {}
        server = scripted(*[(401, challenge, b""), (404, {}, b"")] * 8)
        challenge["WWW-Authenticate"] = f'Bearer realm="http://{server.name}/auth"'
        with pytest.raises(OutcomeUnknown, match="tokens given out"):
            Registry(server.name, CREDENTIAL, deadline=1.5).digest("a", "v1")


class TestTrouble:
    """Registries that cannot answer."""

    def test_a_limit_on_requests_says_how_long(self, scripted: Any) -> None:
        """Surely not answered, and worth asking again after the time that the registry names."""
        server = scripted((429, {"Retry-After": "40"}, b'{"errors":[{"code":"TOOMANYREQUESTS","message":"m"}]}'))
        with pytest.raises(NotDone) as caught:
            Registry(server.name).tags("a")
        assert (caught.value.code, caught.value.retry_after) == ("TOOMANYREQUESTS", 40.0)

    def test_a_fault_that_passes_is_not_seen(self, scripted: Any) -> None:
        """Questions are asked again."""
        assert Registry(scripted((503, {}, b""), FOUND).name).digest("a", "v1") == DIGEST

    def test_nobody_there(self) -> None:
        """Surely not answered; the host is named."""
        with pytest.raises(CallFailed, match=r"127\.0\.0\.1:1"):
            Registry("127.0.0.1:1", deadline=1.5).digest("a", "v1")

    @pytest.mark.parametrize(
        ("host", "url"),
        [
            ("docker.io", "https://registry-1.docker.io"),
            ("registry-vpc.cn-hangzhou.aliyuncs.com", "https://registry-vpc.cn-hangzhou.aliyuncs.com"),
            ("localhost:5000", "http://localhost:5000"),
            ("[::1]:5000", "http://[::1]:5000"),
            ("127.0.0.1.evil.example", "https://127.0.0.1.evil.example"),
        ],
    )
    def test_where_a_registry_answers(self, host: str, url: str) -> None:
        """Encrypted, except on this machine; Docker Hub under its other name."""
        assert Registry(host).url == url
