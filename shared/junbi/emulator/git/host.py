"""Serves bare repositories over smart HTTP, makes one at its first push, and tells its webhooks of every push."""

from __future__ import annotations

import base64
import hmac
import os
import re
import threading
from collections.abc import Callable, Iterable
from contextlib import closing
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from dulwich.errors import NotGitRepository
from dulwich.objects import Commit
from dulwich.repo import Repo
from dulwich.server import Backend, ReceivePackHandler
from dulwich.web import make_wsgi_chain

from junbi.emulator.git.webhooks import Push, Webhook, deliver

if TYPE_CHECKING:
    from pathlib import Path

_PATH = r"/(?P<name>(?:[A-Za-z0-9_-][A-Za-z0-9._-]*/)*[A-Za-z0-9_-][A-Za-z0-9._-]*?)(?:\.git)?"
_NAME = re.compile(rf"{_PATH}/?")
#: What Git's clients ask of a repository, behind its address.
_ASKED = re.compile(rf"{_PATH}(?P<rest>/info/refs|/git-(?:upload|receive)-pack)")
_MOVED = ".moved"  #: of a file in the place of a renamed repository, which says where it is
_RECEIVE = "git-receive-pack"

Environ = dict[str, Any]
StartResponse = Callable[..., Any]


class GitHost:
    """The WSGI application.

    Args:
        directory: where the repositories are, as ``<group>/<name>.git``.
        token: what callers must give as their password; None lets everybody on this machine read and push.
    """

    def __init__(self, directory: Path, token: str | None = None) -> None:
        self.directory, self.token = directory, token
        self.webhooks: list[Webhook] = []
        self.url = ""  #: where it listens, once it does; webhooks name it
        self._making = threading.Lock()

    def __call__(self, environ: Environ, start_response: StartResponse) -> Iterable[bytes]:
        """Answer one request."""
        if not self._may(environ):
            headers = [("WWW-Authenticate", 'Basic realm="git"'), ("Content-Type", "text/plain")]
            start_response("401 Unauthorized", headers)
            return [b"a token is needed as the password\n"]
        moved = self._moved(environ.get("PATH_INFO", ""))
        if moved:
            query = environ.get("QUERY_STRING", "")
            headers = [("Location", f"{moved}?{query}" if query else moved), ("Content-Length", "0")]
            start_response("301 Moved Permanently", headers)
            return [b""]
        making = _RECEIVE in environ.get("QUERY_STRING", "") or environ.get("PATH_INFO", "").endswith(f"/{_RECEIVE}")
        with closing(_Repositories(self, making=making)) as repositories:
            chain = make_wsgi_chain(repositories, handlers={b"git-receive-pack": self._receiver})
            return list(chain(environ, start_response))

    def path(self, name: str) -> Path:
        """Where the repository of an address's path lies. NotGitRepository for a name that none can have."""
        match = _NAME.fullmatch(name)
        if match is None:
            raise NotGitRepository(name)
        return self.directory / f"{match['name']}.git"

    def rename(self, old: str, new: str) -> None:
        """Give a repository another path; who asks for the old one is sent on, as GitHub does it.

        Its next pushes tell the new address alone. NotGitRepository for a name that none can have.
        """
        there = self.path(new)
        there.parent.mkdir(parents=True, exist_ok=True)
        self.path(old).rename(there)
        self.path(old).with_suffix(_MOVED).write_text(there.relative_to(self.directory).as_posix(), encoding="utf-8")

    def _moved(self, asked: str) -> str:
        """Where a renamed repository is now; empty for one that is where it is asked for."""
        match = _ASKED.fullmatch(asked)
        if match is None:
            return ""
        note = self.directory / f"{match['name']}{_MOVED}"
        if (self.directory / f"{match['name']}.git").exists() or not note.is_file():
            return ""
        return f"{self.url}/{note.read_text('utf-8')}{match['rest']}"

    def mirror(self, repository: str) -> str:
        """Where to clone a repository from: from here where it was pushed to, as ``<host>/<path>``, else itself."""
        parts = urlsplit(repository)
        try:
            here = self.path(f"/{parts.netloc}{parts.path}").exists()
        except NotGitRepository:
            here = False
        return f"{self.url}/{parts.netloc}{parts.path}" if here else repository

    def _named(self, name: str) -> str:
        """The address that a repository's pushes tell: its own, where it stands here for one of another host."""
        first = name.strip("/").partition("/")[0]
        return f"https:/{name}" if "." in first else f"{self.url}{name}"

    def open(self, name: str, *, making: bool = False) -> Repo:
        """A repository, made if it is pushed to for the first time. NotGitRepository where there is none."""
        path = self.path(name)
        with self._making:
            if making and not path.exists():
                path.mkdir(parents=True)
                return Repo.init_bare(str(path), default_branch=b"main")
        return Repo(str(path))

    def _may(self, environ: Environ) -> bool:
        if self.token is None:
            return True
        kind, _, given = environ.get("HTTP_AUTHORIZATION", "").partition(" ")
        if kind.lower() != "basic":
            return False
        password = base64.b64decode(given + "==").partition(b":")[2]
        return hmac.compare_digest(password, self.token.encode())

    def _receiver(self, backend: Backend, arguments: list[str], *rest: Any, **more: Any) -> ReceivePackHandler:
        name = os.fsdecode(arguments[0])

        class Receiver(ReceivePackHandler):
            def _on_post_receive(receiver, client_refs: Any) -> None:  # noqa: N805 - two selves
                super()._on_post_receive(client_refs)
                self._pushed(name, receiver.repo, client_refs)

        return Receiver(backend, arguments, *rest, **more)

    def _pushed(self, name: str, repository: Any, client_refs: Iterable[tuple[bytes, bytes, bytes]]) -> None:
        for before, after, ref in client_refs:
            push = Push(
                self._named(name), ref.decode(), before.decode(), after.decode(), _new(repository, before, after)
            )
            for webhook in list(self.webhooks):
                threading.Thread(target=deliver, args=(webhook, push), daemon=True).start()


class _Repositories(Backend):
    """Finds the repository of a request, and closes what it opened."""

    def __init__(self, host: GitHost, *, making: bool) -> None:
        self._host, self._making = host, making
        self._opened: list[Repo] = []

    def open_repository(self, path: str | bytes) -> Any:
        found = self._host.open(path if isinstance(path, str) else path.decode(), making=self._making)
        self._opened.append(found)
        return found

    def close(self) -> None:
        """Close every file of theirs."""
        for repository in self._opened:
            repository.close()


def _new(repository: Repo, before: Any, after: Any) -> list[tuple[str, dict[str, list[str]]]]:
    """The commits of a push, oldest first, and the paths that each changes; none for a deleted ref or a tag object."""
    if not after.strip(b"0") or not isinstance(repository[after], Commit):
        return []
    known = [before] if before.strip(b"0") else []
    walker = repository.get_walker(include=[after], exclude=known, reverse=True)
    return [(entry.commit.id.decode(), _changed(entry.changes())) for entry in walker]


def _changed(changes: Any) -> dict[str, list[str]]:
    paths: dict[str, list[str]] = {"added": [], "modified": [], "removed": []}
    kinds = {"add": "added", "copy": "added", "delete": "removed"}
    for found in changes:
        change = found[0] if isinstance(found, list) else found  # of a merge there is one for each parent
        old, new = (side.path.decode() if side and side.path else "" for side in (change.old, change.new))
        paths[kinds.get(change.type, "modified")].append(new or old)
        if change.type == "rename":
            paths["removed"].append(old)
    return paths
