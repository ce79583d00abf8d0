"""Git's own HTTP server on a real port, with a repository that people pushed to."""

from __future__ import annotations

import base64
import os
import subprocess
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest

from junbi.clients.http import ask
from junbi.emulator.server import Server

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path


@dataclass
class GitServer:
    """Serves the repositories below a directory; with a token, to whoever shows it as the password."""

    root: Path
    token: str = ""
    newest: bool = True  #: whether version 2 of the protocol is spoken, or only version 0
    port: int = 0
    moved: dict[str, str] = field(default_factory=dict)  #: where requests for a path's beginning are sent
    asked: list[tuple[str, str]] = field(default_factory=list)  #: target and Authorization

    def __post_init__(self) -> None:
        self.server = Server(self._answer, self.port)

    @property
    def url(self) -> str:
        """Without a slash at its end."""
        return self.server.url.rstrip("/")

    def _answer(self, environ: dict[str, Any], start_response: Callable[..., object]) -> Iterable[bytes]:
        target, shown = environ["REQUEST_URI"], environ.get("HTTP_AUTHORIZATION", "")
        self.asked.append((target, shown))
        body = environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
        for begin, end in self.moved.items():
            if target.startswith(begin):
                start_response("301 Moved", [("Location", end + target.removeprefix(begin)), ("Content-Length", "0")])
                return [b""]
        if self.token and base64.b64decode(shown.partition(" ")[2]).partition(b":")[2].decode() != self.token:
            start_response("401 No", [("WWW-Authenticate", 'Basic realm="git"'), ("Content-Length", "0")])
            return [b""]
        return self._cgi(environ, body, start_response)

    def _cgi(self, environ: dict[str, Any], body: bytes, start_response: Callable[..., object]) -> Iterable[bytes]:
        names = {name: value for name, value in environ.items() if name.isupper() and isinstance(value, str)}
        names.pop("HTTP_GIT_PROTOCOL", "")
        version = environ.get("HTTP_GIT_PROTOCOL", "") if self.newest else ""
        settings = {"GIT_PROJECT_ROOT": str(self.root), "GIT_HTTP_EXPORT_ALL": "1", "GIT_PROTOCOL": version}
        said = subprocess.run(
            ["git", "http-backend"],
            input=body,
            env={**os.environ, **names, **settings},
            capture_output=True,
            check=True,
        ).stdout
        head, _, content = said.partition(b"\r\n\r\n")
        headers = [tuple(line.split(": ", 1)) for line in head.decode().split("\r\n")]
        status = next((value for name, value in headers if name == "Status"), "200 OK")
        headers = [(name, value) for name, value in headers if name != "Status"]
        start_response(status, [*headers, ("Content-Length", str(len(content)))])
        return [content]


def git(where: Path, *arguments: str) -> str:
    """Run git as some person."""
    names = {f"GIT_{who}_{what}": "p@q.example" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    settings = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1", "HOME": str(where)}
    command = ["git", "-C", str(where), "-c", "init.defaultBranch=main", *arguments]
    done = subprocess.run(command, env={**os.environ, **names, **settings}, capture_output=True, text=True, check=True)
    return done.stdout.strip()


@dataclass
class Repository:
    """A bare repository and a clone of it to push from."""

    bare: Path
    clone: Path

    def commit(self, text: str, path: str = "train.py") -> str:
        """Commit and push a file's new content; the commit."""
        (self.clone / path).write_text(text, "utf-8")
        git(self.clone, "add", "-A")
        git(self.clone, "commit", "-q", "-m", f"Say {text} 🎉")
        git(self.clone, "push", "-q", "origin", "HEAD:refs/heads/main")
        return git(self.clone, "rev-parse", "HEAD")

    def push(self, *refspecs: str) -> None:
        """Push refs."""
        git(self.clone, "push", "-q", "-f", "origin", *refspecs)


@pytest.fixture(autouse=True, scope="session")
def _ready() -> None:
    """The first request of a process takes longer, as it reads the certificates: not within a test's short deadline."""
    ask("GET", "http://127.0.0.1:1/", headers={}, seconds=20)


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    """``vision/trainer.git`` with one commit on ``main``."""
    bare, clone = tmp_path / "git/vision/trainer.git", tmp_path / "clone"
    bare.mkdir(parents=True)
    git(bare, "init", "-q", "--bare")
    git(tmp_path, "clone", "-q", str(bare), str(clone))
    made = Repository(bare, clone)
    made.commit("one")
    return made


@pytest.fixture
def server(repository: Repository) -> Iterator[GitServer]:
    """A server of it."""
    running = GitServer(repository.bare.parent.parent)
    yield running
    running.server.stop()
