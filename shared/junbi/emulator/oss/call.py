"""A request as OSS reads it: bucket and key from the undecoded path, query, headers, body."""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, Any
from urllib.parse import unquote_plus, unquote_to_bytes
from uuid import uuid4

from junbi.emulator.oss.errors import OssError

if TYPE_CHECKING:
    from collections.abc import Mapping

#: Headers that are kept with an object and returned with it. Source: OSS API reference, PutObject.
_KEPT = frozenset(
    {"content-type", "cache-control", "content-disposition", "content-encoding", "content-language", "expires"}
)
_META = "x-oss-meta-"
_LARGEST_XML = 4 << 20
_NUMBER = re.compile(r"[0-9]{1,15}")


@dataclass(frozen=True, slots=True)
class Call:
    """One request.

    Attributes:
        bucket: empty for the service itself.
        key: empty for a bucket; plain text.
        query: decoded; a parameter without a value has the empty string.
        headers: lower-case names; each character of a value is one byte of the wire.
        request_id: 24 hexadecimal digits, in every answer and event.
    """

    method: str
    bucket: str
    key: str
    query: Mapping[str, str]
    headers: Mapping[str, str]
    body: IO[bytes]
    source_ip: str
    request_id: str

    @property
    def kept_headers(self) -> dict[str, str]:
        """The headers that go with the object."""
        return {name: text for name, text in self.headers.items() if name in _KEPT or name.startswith(_META)}

    @property
    def md5(self) -> bytes | None:
        """The MD5 that the caller says the body has. ``InvalidDigest``."""
        try:
            given = base64.b64decode(self.headers.get("content-md5", ""), validate=True)
        except binascii.Error as error:
            raise OssError("InvalidDigest") from error
        if given and len(given) != 16:  # noqa: PLR2004 - an MD5 has 16 bytes
            raise OssError("InvalidDigest")
        return given or None

    @property
    def only_new(self) -> bool:
        """Whether the caller forbids overwriting."""
        return self.headers.get("x-oss-forbid-overwrite", "").lower() == "true"

    def number(self, name: str, default: int, least: int, most: int) -> int:
        """A query parameter as an integer. ``InvalidArgument`` where it is none or out of bounds."""
        text = self.query.get(name) or str(default)
        if not _NUMBER.fullmatch(text) or not least <= int(text) <= most:
            raise OssError(
                "InvalidArgument",
                f"{name} must be an integer from {least} to {most}.",
                ArgumentName=name,
                ArgumentValue=text,
            )
        return int(text)

    def small_body(self) -> bytes:
        """The body of a call whose content is XML. ``MalformedXML``, ``InvalidDigest``."""
        body = self.body.read(_LARGEST_XML + 1)
        if len(body) > _LARGEST_XML:
            raise OssError("MalformedXML", f"The XML is longer than {_LARGEST_XML} bytes.")
        if self.md5 not in {None, hashlib.md5(body, usedforsecurity=False).digest()}:
            raise OssError("InvalidDigest")
        return body


def new_request_id() -> str:
    """An id that looks like OSS's."""
    return uuid4().hex[:24].upper()


def read_call(environ: Mapping[str, Any], body: IO[bytes], request_id: str) -> Call:
    """Read a WSGI request. ``InvalidObjectName`` where the path is no UTF-8."""
    target = str(environ.get("REQUEST_URI") or environ["RAW_URI"])
    path, _, query = target.partition("?")
    if not path.startswith("/"):  # the absolute form, as proxies send it
        path = "/" + path.partition("://")[2].partition("/")[2]
    bucket, _, key = path[1:].partition("/")
    return Call(
        method=str(environ["REQUEST_METHOD"]),
        bucket=plain(bucket),
        key=plain(key),
        query=_query(query),
        headers=_headers(environ),
        body=body,
        source_ip=str(environ.get("REMOTE_ADDR", "127.0.0.1")),
        request_id=request_id,
    )


def plain(encoded: str) -> str:
    """Percent-encoded UTF-8, decoded once; ``+`` stays ``+``."""
    try:
        return unquote_to_bytes(encoded.encode("latin-1")).decode()
    except UnicodeDecodeError as error:
        raise OssError("InvalidObjectName", "The name is not valid UTF-8.") from error


def _query(text: str) -> dict[str, str]:
    pairs = (item.partition("=") for item in text.split("&") if item)
    return {unquote_plus(name): unquote_plus(value) for name, _, value in pairs}


def _headers(environ: Mapping[str, Any]) -> dict[str, str]:
    named = {name[5:]: text for name, text in environ.items() if name.startswith("HTTP_")}
    named |= {name: environ[name] for name in ("CONTENT_TYPE", "CONTENT_LENGTH") if environ.get(name)}
    return {name.replace("_", "-").lower(): str(text).strip() for name, text in named.items()}
