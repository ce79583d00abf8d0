"""The answers of the local OSS."""

from __future__ import annotations

import base64
from email.utils import format_datetime
from typing import TYPE_CHECKING

from flask import Response

from junbi.emulator.oss.blobs import pieces_of
from junbi.emulator.oss.markup import Children, document

if TYPE_CHECKING:
    from typing import BinaryIO

    from junbi.emulator.oss.call import Call
    from junbi.emulator.oss.errors import OssError
    from junbi.emulator.oss.model import StoredObject

_NO_BODY = frozenset({204, 304})


def xml(name: str, children: Children | str) -> Response:
    """200 with an XML document."""
    return Response(document(name, children), content_type="application/xml")


def empty(status: int = 200, headers: dict[str, str] | None = None) -> Response:
    """No body."""
    answer = Response(status=status, headers=headers)
    del answer.headers["Content-Type"]
    return answer


def written(stored: StoredObject) -> Response:
    """200 with the ETag and CRC-64 of what was written."""
    return empty(headers={"ETag": f'"{stored.etag}"', "x-oss-hash-crc64ecma": str(stored.crc64)})


def refusal(error: OssError, call: Call | None, request_id: str) -> Response:
    """The error document; in ``x-oss-err`` where the answer may have no body."""
    details: Children = [("Code", error.code), ("Message", error.message), ("RequestId", request_id)]
    details += [("HostId", "oss.local"), *sorted(error.details.items())]
    body = document("Error", [(name, _printable(str(text))) for name, text in details])
    if error.status in _NO_BODY:
        return empty(error.status, error.headers)
    answer = Response(body, error.status, error.headers, content_type="application/xml")
    if call and call.method == "HEAD":
        answer.headers["x-oss-err"] = base64.b64encode(body).decode()
    return answer


def _printable(text: str) -> str:
    return "".join(character if character.isprintable() or character in "\n\t" else "?" for character in text)


def description(stored: StoredObject) -> dict[str, str]:
    """The headers that describe an object."""
    return {
        "content-type": "application/octet-stream",
        **stored.headers,
        "ETag": f'"{stored.etag}"',
        "Last-Modified": format_datetime(stored.last_modified, usegmt=True),
        "Accept-Ranges": "bytes",
        "x-oss-object-type": stored.kind,
        "x-oss-storage-class": "Standard",
        "x-oss-hash-crc64ecma": str(stored.crc64),
        **_position(stored),
    }


def _position(stored: StoredObject) -> dict[str, str]:
    return {"x-oss-next-append-position": str(stored.size)} if stored.kind == "Appendable" else {}


def content(status: int, headers: dict[str, str], stream: BinaryIO, length: int) -> Response:
    """Content piece by piece, from where the stream stands."""
    answer = Response(pieces_of(stream, length), status, headers, direct_passthrough=True)
    answer.headers["Content-Length"] = str(length)
    answer.call_on_close(stream.close)
    return answer
