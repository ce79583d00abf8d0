"""The ``images`` of junbi.yaml: a fixed address, or a repository whose tags are watched, and what these compile to."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self

from pydantic import AfterValidator, Discriminator, Field, Tag, model_validator

from junbi.config.code import known_secret, secret_names, tag_pattern
from junbi.config.findings import listed
from junbi.config.section import Section
from junbi.config.types import Address, Expression, Key, Label, Text, refuse
from junbi.core.image import registry
from junbi.core.plan import ImageSpec

if TYPE_CHECKING:
    from junbi.config.findings import Findings
    from junbi.config.model import Config
    from junbi.config.tree import Path

_REPOSITORY = r"(?:[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+(?::\d+)?|localhost(?::\d+)?)(?:/[a-z0-9]+(?:[._-]+[a-z0-9]+)*)+"
_HOST = re.compile(r"[A-Za-z0-9.-]+(?::\d+)?")


def _repository(address: str) -> str:
    if re.fullmatch(_REPOSITORY, address) is None:
        raise refuse(
            "expected host and repository such as registry.example.com/vision/torch, without https:// and tag, "
            f"got {address!r}"
        )
    return address


def _tag(tag: str) -> str:
    if re.fullmatch(r"[A-Za-z0-9_][A-Za-z0-9._-]{0,127}", tag) is None:
        raise refuse(f"expected a tag such as latest, got {tag!r}")
    return tag


def _host(name: str) -> str:
    if _HOST.fullmatch(name) is None:
        raise refuse(f"expected a host such as auth.example.com, got {name!r}")
    return name.lower()


Host = Annotated[str, AfterValidator(_host)]


class Image(Section):
    """A container image that stays as it is."""

    uri: Address
    """Its registry address."""


class WatchedImage(Section):
    """A container image that jobs train with as it was pushed last: one tag, or the tags of a pattern."""

    repository: Annotated[
        str, AfterValidator(_repository), Field(json_schema_extra={"pattern": f"^(?:{_REPOSITORY})$"})
    ]
    """Host and repository as jobs pull it, such as registry-vpc.cn-hangzhou.aliyuncs.com/vision/torch."""
    tag: Annotated[str, AfterValidator(_tag)] | None = None
    """The tag whose present digest is trained with, such as latest."""
    tags: Text | None = None
    """Instead of a tag: tags such as v{semver}, of which newest says which is trained with."""
    newest: Literal["semver", "time"] | None = None
    """With tags: whether the greatest version counts, or the tag that was pushed last; semver unless it is said."""
    allow: Expression | None = None
    """With tags: a regular expression for them, in place of [A-Za-z0-9._-]{1,128}."""
    webhook: Key | None = None
    """One of secrets, which its registry shows when it tells of a push; without it a look every five minutes does."""
    unsigned: bool = False
    """true: the registry can prove nothing, so the address that it calls may hold the secret, as ?secret=…"""
    credentials: Key | None = None
    """One of secrets: user:password that reads the repository. Without it the repository is public."""
    realms: list[Host] = []
    """Further hosts that give out tokens for the registry, to whom the credentials may be shown."""
    initial: Literal["ignore", "adopt"] | None = None
    """Whether the image that is there at the first apply starts plans; the file's own initial unless it is said."""
    registers: Annotated[bool, Field(alias="register")] = False
    """true: each digest is registered in the workspace, where people find it too."""
    chip: Label | None = None
    """With register: the label for what it runs on, such as GPU."""
    framework: Label | None = None
    """With register: the label for its framework, such as PyTorch 2.4."""
    rdma: bool = False
    """true: it carries what RDMA needs. With register, a label says so."""

    @model_validator(mode="after")
    def _one_line(self) -> Self:
        if (self.tag is None) == (self.tags is None):
            raise refuse("needs exactly one of tag and tags")
        if self.tags is None and (self.allow is not None or self.newest is not None):
            raise refuse("allow and newest belong to tags: a tag is named in full")
        if self.unsigned and self.webhook is None:
            raise refuse("unsigned needs webhook: the secret that stands in the address")
        if not self.registers and (self.chip is not None or self.framework is not None):
            raise refuse("chip and framework are labels of a registered image: they need register: true")
        return self


#: The two kinds of images are told apart by these, which stand in the places of errors as well.
FIXED, FOLLOWED = "(fixed)", "(followed)"


def _kind(value: Any) -> str:
    followed = isinstance(value, WatchedImage) or (isinstance(value, dict) and "repository" in value)
    return FOLLOWED if followed else FIXED


#: An image that stays as it is, or one that is watched.
AnyImage = Annotated[Annotated[Image, Tag(FIXED)] | Annotated[WatchedImage, Tag(FOLLOWED)], Discriminator(_kind)]


def compile_images(config: Config, findings: Findings) -> dict[str, ImageSpec]:
    """Every watched image that is right, by name."""
    specs = {}
    for name, entry in config.images.items():
        if not isinstance(entry, WatchedImage):
            continue
        path: Path = ("images", name)
        pattern = tag_pattern(entry.tags, entry.allow, path, findings)
        right = [known_secret(config, entry.webhook, (*path, "webhook"), findings)]
        right += [known_secret(config, entry.credentials, (*path, "credentials"), findings)]
        right += [_distinct(config, name, path, findings)]
        if pattern is not None and all(right):
            specs[name] = _spec(config, name, entry, pattern)
    return specs


def address(entry: Image | WatchedImage) -> str:
    """What a plan's jobs pull, of a watched one without its digest."""
    return entry.repository if isinstance(entry, WatchedImage) else entry.uri


def _spec(config: Config, name: str, entry: WatchedImage, pattern: str) -> ImageSpec:
    host, _, path = entry.repository.partition("/")
    given = {"allow": entry.allow} if entry.allow is not None else {}
    known_as = registry(host)
    return ImageSpec(
        name=name,
        repository=entry.repository,
        host=known_as,
        path=f"library/{path}" if known_as == "docker.io" and "/" not in path else path,
        tag=entry.tag or "",
        tags=pattern,
        newest=entry.newest or "semver",
        webhook=secret_names(config, entry.webhook),
        unsigned=entry.unsigned,
        credentials=(*secret_names(config, entry.credentials), "")[0],
        realms=tuple(entry.realms),
        initial=entry.initial or config.initial,
        registers=entry.registers,
        chip=entry.chip or "",
        framework=entry.framework or "",
        rdma=entry.rdma,
        **given,
    )


def _distinct(config: Config, name: str, path: Path, findings: Findings) -> bool:
    kinds = [kind for kind, names in (("dataset", config.datasets), ("line of code", config.code)) if name in names]
    if kinds:
        message = f"a {listed(kinds)} is called {name!r} too: inputs are told apart by their names"
        findings.error(path, message, key=True)
    return not kinds
