"""Which commits a repository's branches and tags are at, asked of Git's own server and of worse ones."""

from __future__ import annotations

import base64
import random
import socket
import threading
import time
from contextlib import closing, suppress
from typing import TYPE_CHECKING, Any

import pytest
from tests.contract.git.conftest import GitServer, git

from junbi.clients.git import refs
from junbi.emulator.server import Server
from junbi.errors import CallFailed, NotDone, Refused

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

REPOSITORY = "/vision/trainer.git"


def shown(user: str, password: str) -> str:
    """The header that shows a credential."""
    return f"Basic {base64.b64encode(f'{user}:{password}'.encode()).decode()}"


@pytest.fixture(params=[True, False], ids=["version 2", "version 0"])
def spoken(request: pytest.FixtureRequest, server: Any) -> None:
    """Each version of the protocol that servers speak."""
    server.newest = request.param


@pytest.mark.usefixtures("spoken")
class TestRefs:
    """What is read."""

    def test_branches_and_tags_by_their_full_names(self, server: Any, repository: Any) -> None:
        """Names with slashes and of any script; what only merge requests make is not there."""
        head = git(repository.clone, "rev-parse", "HEAD")
        repository.push("HEAD:refs/heads/feature/augmentation/v2", "HEAD:refs/heads/数据")
        repository.push("HEAD:refs/tags/v1", "HEAD:refs/pull/1/head", "HEAD:refs/merge-requests/1/head")
        names = ["refs/heads/main", "refs/heads/feature/augmentation/v2", "refs/heads/数据", "refs/tags/v1"]
        assert refs(server.url + REPOSITORY) == dict.fromkeys(names, head)

    def test_annotated_tags_are_peeled(self, server: Any, repository: Any) -> None:
        """To the commit, also through a tag of a tag; a tag that only looks peeled is none."""
        head = git(repository.clone, "rev-parse", "HEAD")
        git(repository.clone, "tag", "-a", "-m", "one", "v1")
        git(repository.clone, "tag", "-a", "-m", "of a tag", "v1-final", "v1")
        repository.push("--tags")
        found = refs(server.url + REPOSITORY)
        assert {name: found[name] for name in found if "tags" in name} == {
            "refs/tags/v1": head,
            "refs/tags/v1-final": head,
        }

    def test_each_look_is_a_new_one(self, server: Any, repository: Any) -> None:
        """A push is seen by the next look."""
        before = refs(server.url + REPOSITORY)["refs/heads/main"]
        commit = repository.commit("two")
        assert refs(server.url + REPOSITORY)["refs/heads/main"] == commit != before

    def test_an_empty_repository_has_none(self, server: Any, tmp_path: Any) -> None:
        """That is no failure."""
        empty = tmp_path / "git/empty.git"
        empty.mkdir()
        git(empty, "init", "-q", "--bare")
        assert refs(f"{server.url}/empty.git") == {}

    def test_thousands_of_branches(self, server: Any, repository: Any) -> None:
        """All of them, in little time."""
        head = git(repository.clone, "rev-parse", "HEAD")
        with (repository.bare / "packed-refs").open("a") as file:
            file.writelines(f"{head} refs/heads/b{number:05}\n" for number in range(20_000))
        began = time.monotonic()
        assert len(refs(server.url + REPOSITORY)) == 20_001
        assert time.monotonic() - began < 10


class TestCredentials:
    """Who asks."""

    def test_a_private_repository_is_read_with_its_token(self, server: Any) -> None:
        """As a user's, or alone; without one and with a wrong one it is refused, and the token is not in the error."""
        server.token = "hunter2"
        for credential in ("robot:hunter2", "hunter2"):
            assert "refs/heads/main" in refs(server.url + REPOSITORY, credential)
        assert [auth for _, auth in server.asked if auth][-1] == shown("oauth2", "hunter2")
        for wrong in ("robot:hunter3", "hunter3", ""):
            with pytest.raises(Refused) as caught:
                refs(server.url + REPOSITORY, wrong)
            assert (caught.value.code, caught.value.status) == ("CredentialRefused", 401)
            assert "hunter3" not in f"{caught.value} {vars(caught.value)}"

    def test_a_renamed_repository_is_followed(self, server: Any) -> None:
        """On its own host, with the token."""
        server.token = "hunter2"
        server.moved["/vision/old.git"] = REPOSITORY
        assert "refs/heads/main" in refs(f"{server.url}/vision/old.git", "robot:hunter2")

    def test_the_token_goes_to_no_other_host(self, server: Any, repository: Any) -> None:
        """Wherever the repository's host sends us; another port is another host."""
        other = GitServer(repository.bare.parent.parent)
        try:
            server.moved["/vision/old.git"] = other.url + REPOSITORY
            with pytest.raises(Refused, match=other.url) as caught:
                refs(f"{server.url}/vision/old.git", "robot:hunter2")
            assert (caught.value.code, other.asked) == ("RepositoryMoved", [])
            assert "hunter2" not in f"{caught.value} {vars(caught.value)}"
        finally:
            other.server.stop()

    def test_a_host_that_sends_us_round_in_circles_is_left(self, server: Any) -> None:
        """After a few steps; and a redirect to a page to sign in at is no repository."""
        server.moved["/vision/old.git"] = "/vision/old.git"
        with pytest.raises(CallFailed, match="sends us on"):
            refs(f"{server.url}/vision/old.git", timeout=1.5)
        server.moved["/vision/old.git"] = "/users/sign_in?from="
        with pytest.raises(CallFailed, match="no repository"):
            refs(f"{server.url}/vision/old.git", timeout=1.5)

    def test_what_is_not_there_is_a_clear_no(self, server: Any) -> None:
        """As is what may be there and is not shown to us."""
        with pytest.raises(Refused) as caught:
            refs(f"{server.url}/vision/none.git")
        assert (caught.value.code, caught.value.status) == ("RepositoryNotFound", 404)


class or_failed:  # noqa: N801 - used like a function
    """What happens inside may fail as a call does, and in no other way."""

    def __enter__(self) -> None:
        """Nothing to do."""

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> bool:
        return kind is None or issubclass(kind, CallFailed)


def answering(status: str, headers: list[tuple[str, str]], body: bytes) -> Server:
    """A server that says always the same."""

    def answer(_: dict[str, Any], start_response: Callable[..., object]) -> Iterable[bytes]:
        start_response(status, [*headers, ("Content-Length", str(len(body)))])
        return [body]

    return Server(answer)


ADVERTISED = [("Content-Type", "application/x-git-upload-pack-advertisement")]


class TestTrouble:
    """Servers that are none, or not today."""

    @pytest.mark.parametrize(
        ("status", "code"),
        [
            ("403 Forbidden", "CredentialRefused"),
            ("429 Too Many", ""),
            ("500 Broken", ""),
            ("503 Later", ""),
            ("204 Nothing", ""),
        ],
    )
    def test_other_answers(self, status: str, code: str) -> None:
        """A clear no is told from what may be otherwise later."""
        server = answering(status, [], b"")
        try:
            with pytest.raises(CallFailed) as caught:
                refs(f"{server.url}/a.git", timeout=1.5)
        finally:
            server.stop()
        assert isinstance(caught.value, Refused) == bool(code)
        assert not code or caught.value.code == code

    def test_too_many_requests_are_no_refusal(self) -> None:
        """Hosts say 403 to them too; what they ask us to wait is told."""
        server = answering("403 Forbidden", [("Retry-After", "30")], b"")
        try:
            with pytest.raises(NotDone) as caught:
                refs(f"{server.url}/a.git", timeout=1.5)
        finally:
            server.stop()
        assert caught.value.retry_after == 30

    @pytest.mark.parametrize(
        "url", ["http://127.0.0.1:1/a.git", "http://nowhere.invalid/a.git", "https://[::1/a.git", "x"]
    )
    def test_nobody_there(self, url: str) -> None:
        """No answer, told as such."""
        with pytest.raises(CallFailed):
            refs(url, timeout=1.5)

    def test_a_server_that_does_not_speak_tls(self, server: Any) -> None:
        """No answer, told as such."""
        with pytest.raises(CallFailed):
            refs(server.url.replace("http:", "https:") + REPOSITORY, timeout=2)

    @pytest.mark.parametrize(
        "body",
        [
            b"",
            b"<html>Sign in</html>",
            b"001e# service=git-upload-pack\n",
            b"001e# service=git-upload-pack\n0000",
            b"001e# service=git-upload-pack\n0000ffff",
            b"001e# service=git-upload-pack\n00000003",
            b"001e# service=git-upload-pack\n0000000aERR no0000",
            b"001e# service=git-upload-pack\n0000000dnonsense\n0000",
            b"001e# service=git-upload-pack\n0000000eversion 2\n0000",
            b"000eversion 2\n0000",
            b"001e# service=git-upload-pack\n0000000eversion 9\n0000",
            b"\xff" * 4096,
        ],
    )
    def test_what_is_no_advertisement_is_no_answer(self, body: bytes) -> None:
        """It is never taken for a repository that lost its branches, unless it says that it has none."""
        server = answering("200 OK", ADVERTISED, body)
        try:
            with pytest.raises(CallFailed) as caught:
                refs(f"{server.url}/a.git", timeout=1.5)
        finally:
            server.stop()
        assert caught.value.code == "unreadable_answer"

    def test_an_advertisement_of_another_type_is_none(self) -> None:
        """A page that shows one, or a plain file of that name, is no repository that is served."""
        body = b"001e# service=git-upload-pack\n0000" + b"003d" + b"ab" * 20 + b" refs/heads/main\n0000"
        for headers, read in ((ADVERTISED, {"refs/heads/main": "ab" * 20}), ([("Content-Type", "text/plain")], None)):
            server = answering("200 OK", headers, body)
            try:
                if read:
                    assert refs(f"{server.url}/a.git") == read
                else:
                    with pytest.raises(CallFailed, match="smart HTTP"):
                        refs(f"{server.url}/a.git", timeout=1.5)
            finally:
                server.stop()

    def test_mangled_advertisements_raise_nothing_else(self, server: Any) -> None:
        """Whatever bytes come, it is an answer or a failed call."""
        import urllib.request

        url = f"{server.url}{REPOSITORY}/info/refs?service=git-upload-pack"
        with urllib.request.urlopen(url) as answer:
            good = answer.read()
        dice, body = random.Random(4), [b""]

        def answer_with(_: dict[str, Any], start_response: Callable[..., object]) -> Iterable[bytes]:
            start_response("200 OK", [*ADVERTISED, ("Content-Length", str(len(body[0])))])
            return body

        mangler = Server(answer_with)
        try:
            for _ in range(60):
                mangled = bytearray(good)
                for _ in range(dice.randint(1, 6)):
                    mangled[dice.randrange(len(mangled))] = dice.randrange(256)
                body[0] = bytes(mangled[: dice.randrange(len(mangled) + 1)])
                with or_failed():
                    refs(f"{mangler.url}/a.git", timeout=0.15)
        finally:
            mangler.stop()

    @pytest.mark.parametrize("drip", [0.0, 0.2])
    def test_a_server_that_keeps_us_waiting_is_left(self, drip: float) -> None:
        """In the time we have, whether it says nothing or a byte now and then."""
        listener = socket.create_server(("127.0.0.1", 0))
        ended = threading.Event()

        def serve() -> None:
            connection, _ = listener.accept()
            with connection, suppress(OSError):
                connection.recv(65536)
                if drip:
                    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\nX-Slow: ")
                while not ended.wait(drip or 0.1):
                    if drip:
                        connection.sendall(b"x")

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        began = time.monotonic()
        with closing(listener):
            try:
                with pytest.raises(CallFailed):
                    refs(f"http://127.0.0.1:{listener.getsockname()[1]}/a.git", timeout=1)
            finally:
                took = time.monotonic() - began
                ended.set()
                thread.join(5)
        assert took < 3
