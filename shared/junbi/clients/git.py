"""Asks a Git repository which commits its branches and tags are at, over smart HTTP. The only importer of dulwich."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from junbi.errors import CallFailed, Refused

if TYPE_CHECKING:
    from collections.abc import Mapping

#: Seconds that each step of a question may take, connecting and reading.
TIMEOUT = 10.0

_OPERATION = "git ls-remote"
_PEELED = b"^{}"
#: Refs that anybody who pushes can make, and that no line watches.
_WATCHABLE = (b"refs/heads/", b"refs/tags/")


def refs(repository: str, credential: str = "", timeout: float = TIMEOUT) -> Mapping[str, str]:
    """Branches and tags by their full names, and the commits they are at; annotated tags peeled.

    Args:
        repository: its http(s) address.
        credential: ``user:token``, or a token alone; empty for a public repository. It is sent to the repository's own
            origin only, wherever that redirects to.
        timeout: seconds, see ``TIMEOUT``.

    Raises:
        Refused: ``CredentialRefused`` or ``RepositoryNotFound``. Hosts say the latter of private ones, too.
        CallFailed: no usable answer; ask again later.
    """
    from dulwich.client import HttpGitClient, HTTPUnauthorized  # 37 ms, and only a look at code needs it
    from dulwich.errors import GitProtocolError, NotGitRepository

    parts = urlsplit(repository)
    user, password = _user(credential)
    try:
        origin = f"{parts.scheme}://{parts.netloc}"
        with closing(HttpGitClient(origin, username=user, password=password, timeout=timeout, quiet=True)) as client:
            found = client.get_refs(parts.path, ref_prefix=_WATCHABLE).refs
    except HTTPUnauthorized:
        raise Refused(_OPERATION, "CredentialRefused", _unauthorized(credential), status=401) from None
    except NotGitRepository:
        raise Refused(_OPERATION, "RepositoryNotFound", _not_found(credential), status=404) from None
    except GitProtocolError as error:
        raise _failed(str(error)) from None
    except (OSError, ValueError, AssertionError) as error:
        raise CallFailed(_OPERATION, "connection", f"{type(error).__name__}: {error}") from None
    return _peeled({name: value for name, value in found.items() if value is not None})


def _user(credential: str) -> tuple[str | None, str | None]:
    """Git hosts take a token as the password of any user; ``oauth2`` is the one that all of them accept."""
    if not credential:
        return None, None
    user, colon, token = credential.partition(":")
    return (user, token) if colon else ("oauth2", credential)


def _peeled(found: Mapping[bytes, bytes]) -> dict[str, str]:
    """A tag object is no commit: where the repository tells what it stands for, that is what counts."""
    names = [name for name in found if name.startswith(_WATCHABLE) and not name.endswith(_PEELED)]
    return {name.decode("utf-8", "surrogateescape"): found.get(name + _PEELED, found[name]).decode() for name in names}


def _failed(said: str) -> CallFailed:
    # dulwich tells other statuses in words alone.
    if "resp 403" in said:
        return Refused(_OPERATION, "CredentialRefused", "the repository forbids it (403)", status=403)
    return CallFailed(_OPERATION, "protocol", said)


def _unauthorized(credential: str) -> str:
    return "the repository refuses this token (401)" if credential else "the repository wants a token (401)"


def _not_found(credential: str) -> str:
    hint = "the token may not see it" if credential else "a private one says so too, where no token is given"
    return f"there is no repository (404); {hint}"
