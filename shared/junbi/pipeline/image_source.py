"""Reads the tags of a watched image: from its registry, or from one nearby that stands for it."""

from __future__ import annotations

import os
from contextlib import suppress
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from junbi.clients.registry import Registry
from junbi.errors import Refused
from junbi.pipeline.secrets import secret

if TYPE_CHECKING:
    from junbi.core.plan import ImageSpec


class ImageSource:
    """One watched image's repository. Raises the errors of ``clients.registry``.

    ``JUNBI_ENDPOINT_REGISTRY`` is a registry that may stand for others: it is asked first, for ``<host>/<path>``. Where
    it has the repository its answer counts, a no included.
    """

    def __init__(self, line: ImageSpec) -> None:
        host = line.repository.partition("/")[0]
        self._own = Registry(host, secret(line.credentials), realms=line.realms), line.path
        self._nearby: tuple[Registry, str] | None = None
        nearby = os.environ.get("JUNBI_ENDPOINT_REGISTRY")
        if nearby and urlsplit(nearby).netloc != host and ":" not in host:
            self._nearby = Registry(urlsplit(nearby).netloc, url=nearby), f"{host}/{line.path}"

    def digest(self, tag: str) -> str:
        """What a tag names."""
        registry, path = self._asked()
        return registry.digest(path, tag)

    def tags(self) -> list[str]:
        """Every tag there is."""
        registry, path = self._asked()
        return registry.tags(path)

    def _asked(self) -> tuple[Registry, str]:
        if self._nearby is not None:
            registry, path = self._nearby
            with suppress(Refused):
                registry.tags(path)
                return self._nearby
        return self._own
