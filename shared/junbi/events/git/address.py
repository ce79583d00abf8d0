"""The one spelling of a repository's address: ``host/path``, however it is cloned."""

from __future__ import annotations

import re
from urllib.parse import unquote

_URL = re.compile(
    r"(?P<scheme>[a-z][a-z0-9+.-]*)://(?:[^/@]*@)?(?P<host>\[[^\]/]+\]|[^/:]*)(?::(?P<port>\d*))?(?P<path>/.*)?",
    re.IGNORECASE,
)
_SCP = re.compile(r"(?:(?P<user>[^/@:]+)@)?(?P<host>\[[^\]/]+\]|[^/:@]+):(?P<path>.+)")
_HOST = re.compile(r"(?:[\w.-]+|\[[0-9a-f:.]+\])(?::[0-9]+)?")
_LONGEST = 2048  #: characters; more than any host accepts
_PORTS = {"http": "80", "https": "443", "ssh": "22", "git": "9418", "git+ssh": "22"}


def canonical(url: str) -> str:
    """``host/path`` of ``https://``, ``ssh://``, ``git@host:path`` and ``host/path`` itself.

    Without scheme, user, port of the scheme, ``.git`` and slashes at either end; the host in lower case. The path keeps
    its case: whether it counts is the host's affair, see ``alike``. A file on this machine is ``localhost/path``.

    Raises:
        ValueError: it is no address of a repository.
    """
    shown = repr(url.rpartition("@")[2][:80])  # without user and password
    if len(url) > _LONGEST:
        raise ValueError(f"{shown}… is no address of a repository: it has {len(url)} characters")
    host, path = _split(url.strip())
    path = _bare(path)
    if not _HOST.fullmatch(host) or not path:
        raise ValueError(f"{shown} is no address of a repository, such as https://host/group/name.git")
    if not path.isprintable() or any(part in {".", ".."} for part in path.split("/")):
        raise ValueError(f"{shown} has a path that no repository can have")
    return f"{host}/{path}"


def alike(address: str) -> str:
    """What addresses of one repository have in common; the hosts we know do not tell capitals from small letters."""
    return address.casefold()


def known(*urls: str) -> tuple[str, ...]:
    """The different addresses among these, in their order; what is none is left out, for the others say enough."""
    found: dict[str, None] = {}
    for url in urls:
        try:
            found[canonical(url)] = None
        except ValueError:
            continue
    return tuple(found)


def _bare(path: str) -> str:
    """A path without ``.git`` and what else says nothing; what comes out stays as it is when it comes again."""
    path = re.sub("/+", "/", path).strip("/ ")
    return _bare(path.removesuffix(".git")) if path.endswith(".git") else path


def _split(url: str) -> tuple[str, str]:
    """Host with a port that is worth telling, and path."""
    if match := _URL.fullmatch(url):
        scheme, host, port = match["scheme"].lower(), match["host"].lower(), match["port"] or ""
        if scheme == "file":
            host = host or "localhost"
        return host if port in {"", _PORTS.get(scheme)} else f"{host}:{port}", unquote(match["path"] or "")
    match = _SCP.fullmatch(url)
    if match is None or (not match["user"] and re.match(r"\d+/", match["path"])):
        host, _, path = url.partition("/")  # it is spelled as we do
        return host.lower(), path
    return match["host"].lower(), match["path"]
