"""One delivery of a webhook, as it came over the wire: raw bytes for the signature, JSON only on demand."""

from __future__ import annotations

import base64
import binascii
import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import parse_qs

from junbi.errors import MalformedPayload
from junbi.events.document import LARGEST_BODY, Node, load, shown

if TYPE_CHECKING:
    from collections.abc import Mapping

_FORM = "application/x-www-form-urlencoded"
_MOST_FIELDS = 16  #: of a form; senders use one


@dataclass(frozen=True, slots=True)
class Delivery:
    """A request that a webhook made.

    Attributes:
        headers: names in any case.
        body: exactly the bytes that were sent, for proofs cover them.
        query: what stands behind the ``?`` of the URL, decoded.
    """

    headers: Mapping[str, str]
    body: bytes
    query: Mapping[str, str]

    def __post_init__(self) -> None:
        """Headers are asked for in lower case from here on."""
        object.__setattr__(self, "headers", {name.lower(): value for name, value in self.headers.items()})

    @classmethod
    def from_event(cls, raw: bytes) -> Delivery:
        """A request that Function Compute packed into JSON, as it does for its built-in runtimes (version ``v1``).

        Raises:
            MalformedPayload: it is no such event.
        """
        event = load(raw)
        body = event["body"].text(optional=True)
        packed = event["isBase64Encoded"].value
        return cls(
            _texts(event["headers"]),
            _unpacked(body) if packed is True or packed == "true" else body.encode(),
            _texts(event["queryParameters"]),
        )

    def header(self, name: str) -> str:
        """A header without blanks around it; empty where it is missing."""
        return self.headers.get(name.lower(), "").strip()

    @property
    def is_form(self) -> bool:
        """Whether the body is a form, which GitHub and Gogs send on request: ``payload=…``."""
        content = self.header("Content-Type").partition(";")[0].strip().lower()
        return content == _FORM or (content != "application/json" and self.body.startswith(b"payload="))

    @property
    def digest(self) -> str:
        """Of the body, in hex: equal for equal bodies."""
        return hashlib.blake2b(self.body, digest_size=16).hexdigest()

    def document(self) -> Node:
        """The JSON of the body, or of its form's ``payload``.

        Raises:
            MalformedPayload: there is none that can be read, or it is too large or too deep.
        """
        return load(self._payload() if self.is_form else self.body)

    def _payload(self) -> str:
        if len(self.body) > LARGEST_BODY:
            raise MalformedPayload("", f"at most {LARGEST_BODY} bytes", f"{len(self.body)}")
        try:
            form = parse_qs(self.body.decode("ascii"), errors="strict", max_num_fields=_MOST_FIELDS)
        except ValueError as error:
            raise MalformedPayload("", "a form in ASCII with a member 'payload'", f"none: {error}") from error
        values = form.get("payload", [])
        if len(values) != 1:
            raise MalformedPayload("", "a form with one 'payload'", f"{len(values)} of them")
        return values[0]


def _texts(node: Node) -> dict[str, str]:
    """The members that are text; senders need no others."""
    value = node.value if node.there else {}
    if not isinstance(value, dict):
        node.refuse("an object")
    return {name: each for name, each in value.items() if isinstance(each, str)}


def _unpacked(body: str) -> bytes:
    try:
        return base64.b64decode(body, validate=True)
    except (binascii.Error, ValueError) as error:
        raise MalformedPayload("body", "base64, as 'isBase64Encoded' says", shown(body)) from error
