"""XML as OSS writes and reads it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import quote
from xml.etree import ElementTree as ET

from junbi.emulator.oss.errors import OssError

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from junbi.emulator.oss.call import Call

_NUMBER = re.compile(r"[0-9]{1,15}")
#: Children of an element, in order: text, or children again.
Children = list[tuple[str, "str | Children"]]


def document(name: str, children: Children | str) -> bytes:
    """A whole XML document."""
    root = ET.Element(name)
    _fill(root, children)
    body: bytes = ET.tostring(root, encoding="utf-8", xml_declaration=True)
    return body


def _fill(element: ET.Element, children: Children | str) -> None:
    if isinstance(children, str):
        element.text = children
        return
    for name, inner in children:
        _fill(ET.SubElement(element, name), inner)


def moment(when: datetime) -> str:
    """A time as OSS's documents have it."""
    return when.strftime("%Y-%m-%dT%H:%M:%S.000Z")


class Names:
    """Writes keys plainly, or URL-encoded where the call asks for ``encoding-type=url``."""

    def __init__(self, call: Call) -> None:
        asked = call.query.get("encoding-type", "")
        if asked not in {"", "url"}:
            raise OssError("InvalidArgument", ArgumentName="encoding-type", ArgumentValue=asked)
        self._encoded = asked == "url"

    def __call__(self, key: str) -> str:
        """The key as it is to be written."""
        return quote(key, safe="") if self._encoded else key

    @property
    def mark(self) -> Children:
        """The element that says so."""
        return [("EncodingType", "url")] if self._encoded else []


def _parse(body: bytes, root: str) -> ET.Element:
    if b"<!DOCTYPE" in body or b"<!ENTITY" in body:  # entities could blow up, and OSS's documents have none
        raise OssError("MalformedXML")
    try:
        element = ET.fromstring(body)  # noqa: S314 - no document type gets here
    except (ET.ParseError, ValueError) as error:
        raise OssError("MalformedXML") from error
    for node in element.iter():
        node.tag = node.tag.rpartition("}")[2]
    if element.tag != root:
        raise OssError("MalformedXML")
    return element


def _texts(elements: Iterable[ET.Element], name: str) -> list[str]:
    found = [element.findtext(name) for element in elements]
    if not found or any(not text for text in found):
        raise OssError("MalformedXML")
    return [text for text in found if text]


def parse_delete(body: bytes) -> tuple[list[str], bool]:
    """The keys of a ``Delete`` document, and whether to be quiet. ``MalformedXML``."""
    root = _parse(body, "Delete")
    return _texts(root.findall("Object"), "Key"), (root.findtext("Quiet") or "").lower() == "true"


def parse_complete(body: bytes) -> list[tuple[int, str]]:
    """Number and ETag of every part of a ``CompleteMultipartUpload`` document. ``MalformedXML``."""
    parts = _parse(body, "CompleteMultipartUpload").findall("Part")
    numbers, etags = _texts(parts, "PartNumber"), _texts(parts, "ETag")
    if not all(_NUMBER.fullmatch(number) for number in numbers):
        raise OssError("MalformedXML")
    return [(int(number), etag.strip('"')) for number, etag in zip(numbers, etags, strict=True)]
