"""Asks an image registry which manifest a tag names and which tags there are, over the OCI distribution API.

Source: OCI distribution specification 1.1, and Docker's registry for the handshake that gives tokens.
"""

from __future__ import annotations

import hashlib
import re
import time
from typing import TYPE_CHECKING
from urllib.parse import urljoin, urlsplit

from pydantic import BaseModel, Field, ValidationError

from junbi.clients.outcome import Phase, classify, retry_after
from junbi.clients.paging import LAST
from junbi.clients.registry_login import Login, loopback
from junbi.clients.retry import reading
from junbi.errors import OutcomeUnknown, Refused

if TYPE_CHECKING:
    from collections.abc import Collection

    from junbi.clients.answer import Answer

#: Seconds for a question, or a page of a list, its token and its repetitions included.
DEADLINE = 10.0

#: The indexes stand first: of an image for several platforms it is the index whose digest names it.
_MANIFESTS = (
    "application/vnd.oci.image.index.v1+json, application/vnd.docker.distribution.manifest.list.v2+json, "
    "application/vnd.oci.image.manifest.v1+json, application/vnd.docker.distribution.manifest.v2+json"
)
#: Source: OCI distribution and image specifications.
_REPOSITORY = re.compile(r"[a-z0-9]+(?:[._-]+[a-z0-9]+)*(?:/[a-z0-9]+(?:[._-]+[a-z0-9]+)*)*")
_REFERENCE = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]{0,127}|sha256:[0-9a-f]{64}|sha512:[0-9a-f]{128}")
_DIGEST = re.compile(r"sha256:[0-9a-f]{64}|sha512:[0-9a-f]{128}")
_NEXT = re.compile(r'<([^>]*)>\s*;[^,]*\brel="?next"?', re.IGNORECASE)
#: Docker Hub answers under another name than its images have. Source: its documentation.
_SERVED_BY = {"docker.io": "registry-1.docker.io", "index.docker.io": "registry-1.docker.io"}
_PAGE = 1000
_UNAUTHORIZED, _FORBIDDEN, _NOT_FOUND, _NOT_ALLOWED = 401, 403, 404, 405


class _Token(BaseModel):
    token: str = ""
    access_token: str = ""


class _Tags(BaseModel):
    tags: list[str] | None = None


class _Error(BaseModel):
    code: str = ""
    message: str = ""


class _Errors(BaseModel):
    errors: list[_Error] = Field(default_factory=list)


class Registry:
    """One registry, as one user.

    Every question raises Refused for a clear no (``ImageNotFound``, ``CredentialRefused``, ``RealmNotTrusted``,
    ``InvalidName``, or the registry's own code), and NotDone or OutcomeUnknown where it is worth asking again later.

    Args:
        host: as images are named by it: ``registry-vpc.cn-hangzhou.aliyuncs.com``, ``docker.io``, ``127.0.0.1:5000``.
        credential: ``user:password``; empty for public images. It is shown to the registry, and to where the registry
            has its tokens given out if that is its own host, known to belong to it, or named in ``realms``.
        realms: hosts, as ``host[:port]``.
        url: ``scheme://host[:port]`` where it is not ``https://`` and the host; plain HTTP is spoken with this machine.
        deadline: seconds for each question in all; for each page of a list.
    """

    def __init__(
        self,
        host: str,
        credential: str = "",
        *,
        realms: Collection[str] = (),
        url: str = "",
        deadline: float = DEADLINE,
    ) -> None:
        served = _SERVED_BY.get(host, host)
        plain = loopback(urlsplit(f"//{served}").hostname or "")
        self.url = (url or f"{'http' if plain else 'https'}://{served}").rstrip("/")
        self._hub = host in _SERVED_BY
        self._login = Login(self.url, credential, realms)
        self._deadline = deadline
        self._shown: dict[str, dict[str, str]] = {}  #: by repository, the header that it wants

    def digest(self, repository: str, reference: str) -> str:
        """The digest of what a tag or a digest names, of the index where the image is for several platforms."""
        operation = f"GetManifest {repository}:{reference}"
        if not _REFERENCE.fullmatch(reference):
            raise Refused(operation, "InvalidName", "this is neither a tag nor a digest that a registry takes")
        named = self._named(operation, repository)

        def once(seconds: float) -> str:
            found = self._manifest(operation, named, reference, time.monotonic() + seconds)
            kind = found.partition(":")[0]
            if reference.startswith(f"{kind}:") and reference != found:
                raise OutcomeUnknown(operation, "unreadable_answer", f"the registry answers with {found}")
            return found

        return reading(once, self._deadline)

    def _manifest(self, operation: str, repository: str, reference: str, end: float) -> str:
        path = f"/v2/{repository}/manifests/{reference}"
        answer = self._ask(operation, "HEAD", path, repository, end)
        found = answer.headers.get("docker-content-digest", "").lower()
        if answer.status == _NOT_ALLOWED or (_success(answer) and not _DIGEST.fullmatch(found)):
            answer = self._ask(operation, "GET", path, repository, end)
            found = f"sha256:{hashlib.sha256(answer.body).hexdigest()}"
        self._check(operation, answer)
        return found

    def tags(self, repository: str) -> list[str]:
        """Every tag of a repository, in the registry's order; OutcomeUnknown where the list does not end."""
        operation = f"ListTags {repository}"
        named = self._named(operation, repository)
        path = f"/v2/{named}/tags/list?n={_PAGE}"
        found: dict[str, None] = {}
        read: set[str] = set()
        while path not in read and len(read) < LAST:
            read.add(path)
            page, path = self._page(operation, path, named)
            found.update(dict.fromkeys(page))
            if not path:
                return list(found)
        raise OutcomeUnknown(operation, "too_many_pages", "the list does not end")

    def _page(self, operation: str, path: str, repository: str) -> tuple[list[str], str]:
        def once(seconds: float) -> tuple[list[str], str]:
            answer = self._ask(operation, "GET", path, repository, time.monotonic() + seconds)
            self._check(operation, answer)
            try:
                tags = _Tags.model_validate_json(answer.body).tags or []
            except ValidationError:
                raise OutcomeUnknown(operation, "unreadable_answer", "success, but the answer is no list") from None
            return tags, self._following(path, answer.headers.get("link", ""))

        return reading(once, self._deadline)

    def _following(self, path: str, link: str) -> str:
        """The path of the next page, empty after the last; it is asked of this registry, whatever host is named."""
        match = _NEXT.search(link)
        if match is None:
            return ""
        there = urlsplit(urljoin(self.url + path, match[1]))
        return f"{there.path}?{there.query}"

    def _ask(self, operation: str, method: str, path: str, repository: str, end: float) -> Answer:
        """Ask, and once more with what the registry wants to see; a token that got old is asked for anew."""
        answer = self._send(method, path, self._shown.get(repository, {}), end)
        if answer.status != _UNAUTHORIZED or answer.phase is not Phase.ANSWERED:
            return answer
        shown = self._answer(operation, answer.headers.get("www-authenticate", ""), repository, end)
        if not shown:
            return answer
        self._shown[repository] = shown
        return self._send(method, path, shown, end)

    def _send(self, method: str, path: str, shown: dict[str, str], end: float) -> Answer:
        from junbi.clients.http import ask  # whoever asks nothing loads no HTTP client

        headers = {
            "accept": _MANIFESTS if "/manifests/" in path else "application/json",
            "user-agent": "junbi",
            **shown,
        }
        return ask(method, self.url + path, headers=headers, seconds=max(end - time.monotonic(), 0.0))

    def _answer(self, operation: str, challenge: str, repository: str, end: float) -> dict[str, str]:
        from werkzeug.datastructures import WWWAuthenticate  # knows the grammar; only private registries need it

        wanted = WWWAuthenticate.from_header(challenge)
        if wanted is None or wanted.type == "basic":
            return self._login.basic()
        if wanted.type != "bearer":
            return {}
        url, headers = self._login.question(operation, dict(wanted.parameters), f"repository:{repository}:pull")
        from junbi.clients.http import ask

        answer = ask(
            "GET", url, headers={"accept": "application/json", **headers}, seconds=max(end - time.monotonic(), 0.0)
        )
        if answer.status == _NOT_FOUND:
            raise OutcomeUnknown(operation, "http_404", "nobody answers where the registry has its tokens given out")
        self._check(operation, answer)
        try:
            read = _Token.model_validate_json(answer.body)
        except ValidationError:
            read = _Token()
        token = read.token or read.access_token
        if not token or not token.isascii() or not token.isprintable():
            raise OutcomeUnknown(
                operation, "unreadable_answer", "where tokens are given out, there was none in the answer"
            )
        return {"authorization": f"Bearer {token}"}

    def _named(self, operation: str, repository: str) -> str:
        if not _REPOSITORY.fullmatch(repository):
            raise Refused(operation, "InvalidName", "no registry takes this as the name of a repository")
        return f"library/{repository}" if self._hub and "/" not in repository else repository

    def _check(self, operation: str, answer: Answer) -> None:
        kind = classify(answer.phase, answer.status)
        if kind is None:
            return
        code, told = self._told(answer)
        raise kind(operation, code, told, status=answer.status, retry_after=retry_after(answer.headers))

    def _told(self, answer: Answer) -> tuple[str, str]:
        """Code and text of a failure."""
        if answer.phase is not Phase.ANSWERED:
            return answer.code, answer.trouble
        if answer.status in {_UNAUTHORIZED, _FORBIDDEN}:
            who = "to this credential" if self._login.given else "without a credential"
            return "CredentialRefused", f"the registry refuses to show this image {who} ({answer.status})"
        said = _said(answer.body)
        if answer.status == _NOT_FOUND:
            return "ImageNotFound", f"the registry has no such image ({said.code or answer.status})"
        text = said.message or "no explanation"
        return said.code or f"http_{answer.status}", f"HTTP {answer.status}: {self._login.hide(text)[:500]}"


def _success(answer: Answer) -> bool:
    return classify(answer.phase, answer.status) is None


def _said(body: bytes) -> _Error:
    try:
        return next(iter(_Errors.model_validate_json(body).errors), _Error())
    except ValidationError:
        return _Error()
