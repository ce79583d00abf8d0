"""The ``secrets`` and ``code`` of junbi.yaml: what they may say, and what they compile to."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated, Literal, Self
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field, model_validator

from junbi.config.expressions import slow_to_match
from junbi.config.findings import listed, suggestion
from junbi.config.section import Section
from junbi.config.types import Expression, Key, Mount, Text, refuse
from junbi.core.placeholders import Reference, parse
from junbi.core.plan import CodeSpec
from junbi.events.git.address import alike, canonical

if TYPE_CHECKING:
    from junbi.config.findings import Findings
    from junbi.config.model import Config
    from junbi.config.tree import Path


def _repository(url: str) -> str:
    parts = urlsplit(url)
    if parts.scheme not in {"https", "http"} or not parts.hostname or len(parts.path.strip("/")) < 1:
        raise refuse(f"expected an address such as https://git.example.com/team/project.git, got {url!r}")
    if parts.username is not None or parts.password is not None:
        raise refuse("holds a user or a password: name a secret as 'credentials' instead")
    if parts.query or parts.fragment or re.search(r"\s", url):
        raise refuse("holds a query, a fragment or a blank, which no repository's address has")
    try:
        canonical(url)
    except ValueError as mistake:
        raise refuse(str(mistake)) from None
    return url


class Code(Section):
    """A line of a Git repository that jobs train with: one branch, or the tags of a pattern."""

    repository: Annotated[str, AfterValidator(_repository), Field(json_schema_extra={"pattern": "^https?://[^\\s]+$"})]
    """The address that jobs clone, with https://."""
    branch: Text | None = None
    """The branch whose newest commit is trained with."""
    tags: Text | None = None
    """Instead of a branch: tags such as v{semver}, of which the highest version is trained with."""
    allow: Expression | None = None
    """With tags: a regular expression for them, in place of [A-Za-z0-9._-]{1,128}."""
    paths: list[Text] = []
    """Globs such as train/**: a commit that changes nothing under them starts nothing."""
    webhook: Key | None = None
    """One of secrets, with which the repository signs its pushes; without it a look every five minutes finds them."""
    credentials: Key | None = None
    """One of secrets: a token, or user:token, that reads the repository. Without it the repository is public."""
    initial: Literal["ignore", "adopt"] | None = None
    """Whether the commit that is there at the first apply starts plans; the file's own initial unless it is said."""
    mount: Mount = "/root/code"
    """Where jobs find it."""

    @model_validator(mode="after")
    def _one_line(self) -> Self:
        if (self.branch is None) == (self.tags is None):
            raise refuse("needs exactly one of branch and tags")
        if self.allow is not None and self.tags is None:
            raise refuse("allow belongs to tags: a branch is named in full")
        return self


def compile_code(config: Config, findings: Findings) -> dict[str, CodeSpec]:
    """Every line of code that is right, by name."""
    specs = {}
    for name, entry in config.code.items():
        path: Path = ("code", name)
        pattern = tag_pattern(entry.tags, entry.allow, path, findings)
        right = [known_secret(config, entry.webhook, (*path, "webhook"), findings)]
        right += [known_secret(config, entry.credentials, (*path, "credentials"), findings)]
        right += [_distinct(config, name, path, findings), _globs(entry, path, findings)]
        if pattern is None or not all(right):
            continue
        given = {"allow": entry.allow} if entry.allow is not None else {}
        specs[name] = CodeSpec(
            name=name,
            repository=entry.repository,
            address=alike(canonical(entry.repository)),
            branch=entry.branch or "",
            tags=pattern,
            paths=tuple(entry.paths),
            webhook=secret_names(config, entry.webhook),
            credentials=(*secret_names(config, entry.credentials), "")[0],
            initial=entry.initial or config.initial,
            mount=entry.mount,
            **given,
        )
    return specs


def secret_names(config: Config, name: str | None) -> tuple[str, ...]:
    """The variables behind a secret of the file; none for none."""
    names = config.secrets.get(name or "", [])
    return (names,) if isinstance(names, str) else tuple(names)


def known_secret(config: Config, name: str | None, path: Path, findings: Findings) -> bool:
    """Whether the file names such a secret, or none is asked for; notes where not."""
    if name is None or name in config.secrets:
        return True
    known = list(config.secrets)
    findings.error(path, f"no secret {name!r}{suggestion(name, known)}; there are: {listed(known)}")
    return False


def _distinct(config: Config, name: str, path: Path, findings: Findings) -> bool:
    if name in config.datasets:
        findings.error(path, f"a dataset is called {name!r} too: inputs are told apart by their names", key=True)
    return name not in config.datasets


def _globs(entry: Code, path: Path, findings: Findings) -> bool:
    right = True
    for index, pattern in enumerate(entry.paths):
        if pattern.startswith("/") or ".." in pattern.split("/"):
            findings.error((*path, "paths", index), "paths are written from the repository's root, such as train/**")
            right = False
    if entry.paths and all(pattern.startswith("!") for pattern in entry.paths):
        findings.warn((*path, "paths"), "only says what does not count: everything else does")
    return right


def tag_pattern(tags: str | None, allow: str | None, path: Path, findings: Findings) -> str | None:
    """The expression of a tag pattern, empty where there is none; None where it is wrong."""
    if tags is None:
        return ""
    names = [piece.name for piece in parse(tags) if isinstance(piece, Reference)]
    wrong = next((name for name in names if re.fullmatch(r"[a-z][a-z0-9_]{0,31}", name) is None), None)
    if len(names) != 1 or wrong is not None:
        findings.error((*path, "tags"), "needs exactly one placeholder of a-z, 0-9 and _, such as v{semver}")
        return None
    risk = slow_to_match(allow or "")
    if risk:
        findings.error((*path, "allow"), risk)
        return None
    pieces = parse(tags)
    return "".join(f"(?P<{it.name}>.+)" if isinstance(it, Reference) else re.escape(it) for it in pieces)
