"""How junbi shows itself to an image registry: Basic, or a token that is asked for where the registry says.

A registry that was taken over, or a line that was tapped, must not learn the credential by naming a place to send it
to: which places may is decided here.
"""

from __future__ import annotations

import base64
import ipaddress
import re
from typing import TYPE_CHECKING
from urllib.parse import SplitResult, quote, urlsplit

from junbi.errors import Refused

if TYPE_CHECKING:
    from collections.abc import Collection

#: Where registries have their tokens given out, besides under their own host.
#: Source: the challenges of these registries, as clients of theirs print them; for Alibaba Cloud its list of addresses
#: too (``dockerauth.<region>``, ``dockerauth-<region>``, ``dockerauth-ee.<region>``; those of a VPC are assumed).
#: Regions are spelled out, for ``<name>.oss-<region>`` is anybody's bucket.
_REGION = "(?:ap|cn|eu|me|na|us)-[a-z0-9-]+"
_REALMS = (
    (re.compile(r"(?:.+\.)?docker\.io"), re.compile(r"auth\.docker\.io")),
    (re.compile(r".+\.aliyuncs\.com"), re.compile(rf"dockerauth(?:-ee)?(?:-vpc)?(?:[.-]{_REGION})?\.aliyuncs\.com")),
    (re.compile(r"registry\.gitlab\.com"), re.compile(r"gitlab\.com")),
)


class Login:
    """The credential of one registry, and which places it may be shown to.

    Args:
        registry: the registry's address.
        credential: ``user:password``; empty for public images.
        realms: further hosts that may give out tokens for it.
    """

    def __init__(self, registry: str, credential: str, realms: Collection[str] = ()) -> None:
        self._registry, self._credential, self._realms = urlsplit(registry), credential, realms

    @property
    def given(self) -> bool:
        """Whether there is a credential."""
        return bool(self._credential)

    def basic(self) -> dict[str, str]:
        """The header that shows the credential to the registry itself, none where there is no credential."""
        return self._header(self._registry)

    def question(self, operation: str, challenge: dict[str, str | None], scope: str) -> tuple[str, dict[str, str]]:
        """Address and headers of the question for a token.

        Args:
            operation: for the error.
            challenge: what the registry said: ``realm`` and ``service``.
            scope: what the token is for.

        Raises:
            Refused: ``RealmNotTrusted``; nothing was sent there.
        """
        realm = challenge.get("realm") or ""
        try:
            where = urlsplit(realm)
            trusted = self._trusts(where)
        except ValueError:
            where, trusted = SplitResult("", "", "", "", ""), False
        if not trusted:
            shown = where.netloc.rpartition("@")[2][:255] or "a place that is no address"
            told = (
                f"{self._registry.netloc} has its tokens given out by {shown}, which junbi does not know: the "
                "credential was not sent. If that is right, name the host among the registry's realms."
            )
            raise Refused(operation, "RealmNotTrusted", told, status=401)
        asked = "&".join(
            f"{name}={quote(value, safe='')}"
            for name, value in (("service", challenge.get("service")), ("scope", scope))
            if value
        )
        joint = "&" if where.query else "?"
        return f"{realm}{joint}{asked}", self._header(where)

    def hide(self, text: str) -> str:
        """A text of somebody else's without the credential in it."""
        password = self._credential.partition(":")[2] or self._credential
        for secret in filter(None, (self._credential, self._pair(), password)):
            text = text.replace(secret, "[hidden]")
        return text

    def _trusts(self, where: SplitResult) -> bool:
        if where.scheme not in {"https", "http"} or not where.hostname:
            return False
        if where.scheme == "http" and not loopback(where.hostname):
            return False
        if where.netloc.lower() == self._registry.netloc.lower() or where.netloc.lower() in self._realms:
            return True
        host = self._registry.hostname or ""
        return any(ours.fullmatch(host) and theirs.fullmatch(where.netloc.lower()) for ours, theirs in _REALMS)

    def _header(self, where: SplitResult) -> dict[str, str]:
        if not self._credential or (where.scheme != "https" and not loopback(where.hostname or "")):
            return {}
        return {"authorization": f"Basic {self._pair()}"}

    def _pair(self) -> str:
        return base64.b64encode(self._credential.encode()).decode()


def loopback(host: str) -> bool:
    """Whether a host is this machine: plain HTTP is spoken with nobody else."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
