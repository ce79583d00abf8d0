"""Asks a Git repository which commits its branches and tags are at, over smart HTTP. The only importer of dulwich.

dulwich reads the protocol's lines; the requests are ours, so that they end in time and lead nowhere else.
Source: Git's documentation, gitprotocol-http and gitprotocol-v2.
"""

from __future__ import annotations

import base64
import re
import time
from io import BytesIO
from typing import TYPE_CHECKING
from urllib.parse import urljoin, urlsplit

from junbi.clients.outcome import Phase, classify, retry_after
from junbi.clients.retry import reading
from junbi.errors import NotDone, OutcomeUnknown, Refused

if TYPE_CHECKING:
    from collections.abc import Mapping

    from junbi.clients.answer import Answer

#: Seconds that a look may take in all.
TIMEOUT = 10.0

_OPERATION = "git ls-remote"
_SERVICE = "git-upload-pack"
_QUESTION = f"/info/refs?service={_SERVICE}"
_PEELED = "^{}"
#: Refs that anybody who pushes can make, and that no line watches, are not among them.
_WATCHABLE = ("refs/heads/", "refs/tags/")
_COMMIT = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
#: How often a repository's host may send us on.
_HOPS = 3
_UNAUTHORIZED, _FORBIDDEN, _GONE = 401, 403, frozenset({404, 410})


def refs(repository: str, credential: str = "", timeout: float = TIMEOUT) -> Mapping[str, str]:
    """Branches and tags by their full names, and the commits they are at; annotated tags peeled.

    Args:
        repository: its http(s) address.
        credential: ``user:token``, or a token alone; empty for a public repository. It is sent to the repository's own
            origin only: redirects are followed there, and nowhere else.
        timeout: seconds in all.

    Raises:
        Refused: ``CredentialRefused``, ``RepositoryNotFound`` or ``RepositoryMoved``. Hosts say the second of private
            ones, too.
        CallFailed: no usable answer; ask again later.
    """
    return reading(lambda seconds: _Look(repository, credential, time.monotonic() + seconds).refs(), timeout)


class _Look:
    """One look at a repository, which ends at ``end`` on the monotonic clock."""

    def __init__(self, repository: str, credential: str, end: float) -> None:
        self._url, self._given, self._end = repository.rstrip("/"), bool(credential), end
        self._headers = {"user-agent": "git/junbi", "git-protocol": "version=2", **_authorization(credential)}

    def refs(self) -> dict[str, str]:
        from dulwich.errors import GitProtocolError, HangupException  # only a look at code needs dulwich

        advertised = self._advertisement()
        try:
            lines, sections = _read(advertised.body)
            if lines[:1] == [f"# service={_SERVICE}"]:
                lines, sections = lines[1:], sections - 1
            if lines[:1] == ["version 2"]:
                lines, sections = _read(self._list())
                return _listed(_whole(lines, sections))
            return _first_version(_whole(lines, sections))
        except (GitProtocolError, HangupException, ValueError) as error:
            raise _unreadable(f"what came is not what a Git repository says ({type(error).__name__})") from None

    def _advertisement(self) -> Answer:
        for _ in range(_HOPS + 1):
            answer = self._ask("GET", self._url + _QUESTION)
            if answer.status not in _REDIRECTS:
                return self._usable(answer, "advertisement")
            self._url = self._moved(urljoin(self._url + _QUESTION, answer.headers.get("location", "")))
        raise _unreadable(f"it sends us on more than {_HOPS} times")

    def _list(self) -> bytes:
        from dulwich.protocol import pkt_line

        wanted = ["peel", *(f"ref-prefix {prefix}" for prefix in _WATCHABLE)]
        body = pkt_line(b"command=ls-refs\n") + b"0001" + b"".join(pkt_line(f"{one}\n".encode()) for one in wanted)
        return self._usable(self._ask("POST", f"{self._url}/{_SERVICE}", body + b"0000"), "result").body

    def _ask(self, method: str, url: str, body: bytes = b"") -> Answer:
        from junbi.clients.http import ask

        headers = {**self._headers, "content-type": f"application/x-{_SERVICE}-request"} if body else self._headers
        try:
            return ask(method, url, headers=headers, body=body, seconds=max(self._end - time.monotonic(), 0.0))
        except ValueError as error:
            raise Refused(_OPERATION, "RepositoryNotFound", f"this is no address of a repository: {error}") from None

    def _moved(self, there: str) -> str:
        """Where the repository is now, if that is with the same host."""
        here, new = urlsplit(self._url), urlsplit(there)
        if (here.scheme, here.netloc.lower()) != (new.scheme, new.netloc.lower()):
            what = f"it moved to {new.scheme}://{new.netloc.rpartition('@')[2]}{new.path}"[:500]
            told = f"{what}: what is watched there must be said by its new address, and no token was sent to it"
            raise Refused(_OPERATION, "RepositoryMoved", told, status=301)
        if not there.endswith(_QUESTION):
            raise _unreadable("it sends us to a page that is no repository, as some hosts do where a token is wanted")
        return there.removesuffix(_QUESTION)

    def _usable(self, answer: Answer, kind: str) -> Answer:
        self._check(answer)
        found = answer.headers.get("content-type", "").partition(";")[0].strip()
        if found != f"application/x-{_SERVICE}-{kind}":
            raise _unreadable("what answers is no Git repository that speaks smart HTTP")
        return answer

    def _check(self, answer: Answer) -> None:
        failed = classify(answer.phase, answer.status)
        if failed is None:
            return
        later = retry_after(answer.headers)
        if answer.phase is not Phase.ANSWERED:
            raise failed(_OPERATION, answer.code, answer.trouble)
        if answer.status == _FORBIDDEN and later is not None:
            raise NotDone(_OPERATION, "http_403", "too many requests, it says", status=403, retry_after=later)
        if answer.status in {_UNAUTHORIZED, _FORBIDDEN}:
            told = "refuses this token" if self._given else "wants a token"
            raise Refused(
                _OPERATION, "CredentialRefused", f"the repository {told} ({answer.status})", status=answer.status
            )
        if answer.status in _GONE:
            hint = "the token may not see it" if self._given else "a private one says so too, where no token is given"
            raise Refused(
                _OPERATION,
                "RepositoryNotFound",
                f"there is no repository ({answer.status}); {hint}",
                status=answer.status,
            )
        raise failed(
            _OPERATION, f"http_{answer.status}", f"HTTP {answer.status}", status=answer.status, retry_after=later
        )


def _authorization(credential: str) -> dict[str, str]:
    """Git hosts take a token as the password of any user; ``oauth2`` is the one that all of them accept."""
    if not credential:
        return {}
    pair = credential if ":" in credential else f"oauth2:{credential}"
    return {"authorization": f"Basic {base64.b64encode(pair.encode()).decode()}"}


def _read(body: bytes) -> tuple[list[str], int]:
    """The lines of an answer, and how many sections of it came to their end."""
    from dulwich.protocol import Protocol

    stream, lines, sections = BytesIO(body), list[str](), 0
    protocol = Protocol(stream.read, lambda _: None)
    while stream.tell() < len(body):
        line = protocol.read_pkt_line()
        if line is None:
            sections += 1
        elif line.startswith(b"ERR "):
            raise _unreadable(f"the repository says: {line[4:].decode('utf-8', 'replace').strip()[:500]}")
        else:
            lines.append(line.decode("utf-8", "surrogateescape").rstrip("\n"))
    return lines, sections


def _whole(lines: list[str], sections: int) -> list[str]:
    """A list that was cut off would look as if branches had been deleted."""
    if sections < 1:
        raise _unreadable("the answer was cut off")
    return lines


def _first_version(lines: list[str]) -> dict[str, str]:
    """Refs as versions 0 and 1 advertise them: capabilities stand behind the first."""
    if lines[:1] == ["version 1"]:
        lines = lines[1:]
    told: dict[str, str] = {}
    for line in lines:
        commit, _, name = line.partition("\0")[0].partition(" ")
        told[name] = _checked(commit)
    return _peeled(told)


def _listed(lines: list[str]) -> dict[str, str]:
    """Refs as version 2 lists them: ``<commit> <name> [peeled:<commit>]``."""
    told: dict[str, str] = {}
    for line in lines:
        commit, name, *more = line.split(" ")
        peeled = next((one.removeprefix("peeled:") for one in more if one.startswith("peeled:")), commit)
        told[name] = _checked(peeled)
    return _peeled(told)


def _checked(commit: str) -> str:
    if not _COMMIT.fullmatch(commit):
        raise ValueError(commit)
    return commit


def _peeled(told: Mapping[str, str]) -> dict[str, str]:
    """A tag object is no commit: where the repository tells what it stands for, that is what counts."""
    names = [name for name in told if name.startswith(_WATCHABLE) and not name.endswith(_PEELED)]
    return {name: told.get(name + _PEELED, told[name]) for name in names}


def _unreadable(told: str) -> OutcomeUnknown:
    return OutcomeUnknown(_OPERATION, "unreadable_answer", told)
