"""OSS payloads become events: in the trigger's form ``{"events": [...]}``, or passed on by EventBridge.

Keys are taken as they come: OSS sends plain text, and decoding it would break keys that hold ``+`` or ``%`` (assumed,
from every official sample; no page says so). To check on a real account: upload ``a b+c%20d`` and read the event.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from junbi.core.model import Event, EventKind, ObjectRef
from junbi.errors import MalformedPayload
from junbi.events.document import load, shown
from junbi.events.eventbridge import envelopes, is_bridged
from junbi.events.parsed import Ignored, IgnoredCode, Parsed

if TYPE_CHECKING:
    from junbi.events.document import Node

#: After these an object is there, or gone. Everything else that OSS announces (multipart starts, parts and aborts,
#: changed metadata, reads, what it may add) leaves none, and stays visible by its name.
#: Source: OSS event notification, event types.
_KINDS = {
    "ObjectCreated:PutObject": EventKind.OBJECT_CREATED,
    "ObjectCreated:PostObject": EventKind.OBJECT_CREATED,
    "ObjectCreated:CopyObject": EventKind.OBJECT_CREATED,
    "ObjectCreated:AppendObject": EventKind.OBJECT_CREATED,
    "ObjectCreated:PutSymlink": EventKind.OBJECT_CREATED,
    "ObjectCreated:CompleteMultipartUpload": EventKind.OBJECT_CREATED,
    "ObjectReplication:ObjectCreated": EventKind.OBJECT_CREATED,
    "ObjectReplication:ObjectRemoved": EventKind.OBJECT_REMOVED,
    "ObjectRemoved:DeleteObject": EventKind.OBJECT_REMOVED,
    "ObjectRemoved:DeleteObjects": EventKind.OBJECT_REMOVED,
}
_SOURCES = ("acs.oss", "acs:oss")  #: what EventBridge calls OSS


def parse(raw: bytes) -> Parsed[ObjectRef]:
    """Read a payload of an OSS trigger, or of a rule of EventBridge.

    Raises:
        MalformedPayload: it is neither, or not one of its records is an OSS event that can be read.
    """
    document = load(raw)
    if is_bridged(document):
        records, malformed, ignored = _bridged(document)
    else:
        records, malformed, ignored = _native(document), [], []
    events: dict[str, Event[ObjectRef]] = {}
    for record in records:
        try:
            event = _event(record)
        except MalformedPayload as problem:
            malformed.append(problem)
        else:
            events.setdefault(event.id, event)
    if malformed and not events and not ignored:
        raise malformed[0]
    return Parsed(tuple(events.values()), tuple(malformed), tuple(ignored))


def _native(document: Node) -> list[Node]:
    records = document.maybe("events")
    if not isinstance(records.value, list):
        document.refuse('an OSS trigger\'s payload, {"events": [...]}')
    return records.items()


def _bridged(document: Node) -> tuple[list[Node], list[MalformedPayload], list[Ignored]]:
    """The records that envelopes hold; a record is the same as the trigger's, and so is the id of its event."""
    records: list[Node] = []
    ignored: list[Ignored] = []
    found, malformed = envelopes(document)
    for envelope in found:
        if envelope.source not in _SOURCES:
            malformed.append(MalformedPayload("source", "'acs.oss'", f"an event of {shown(envelope.source)}"))
        elif envelope.type.startswith("oss:Object"):
            records.append(envelope.data)
        else:
            told = f"{shown(envelope.type)} is about no object: nothing to do."
            ignored.append(Ignored(envelope.type, IgnoredCode.NOT_A_PUSH, told))
    return records, malformed, ignored


def _event(record: Node) -> Event[ObjectRef]:
    source = record["eventSource"]
    if source.value != "acs:oss":
        raise MalformedPayload(source.path, "'acs:oss'", f"an event of {shown(source.value)}")
    oss = record["oss"].required()
    bucket, stored = oss["bucket"].required(), oss["object"].required()
    name = record["eventName"].text().removeprefix("oss:")
    subject = ObjectRef(bucket["name"].text(), stored["key"].text())
    etag = stored["eTag"].text(optional=True).strip('"')
    at = record["eventTime"].time()
    return Event(
        id=_id(record, stored, subject, name, etag),
        kind=_KINDS.get(name, EventKind.NOTHING),
        name=name,
        subject=subject,
        at=at,
        size=stored["size"].count("a number of bytes"),
        etag=etag,
    )


def _id(record: Node, stored: Node, subject: ObjectRef, name: str, etag: str) -> str:
    """Equal for redeliveries, different for any two events.

    The request's id alone is not enough, for one request deletes many objects; it tells two uploads of the same
    content in the same millisecond apart. The position tells the appends to one object apart.
    """
    position, request_id = stored["position"].value, record["responseElements"].maybe("requestId").value
    parts = (
        subject.bucket,
        subject.key,
        etag,
        name,
        str(position) if type(position) is int else "",
        str(record["eventTime"].value),
        request_id if isinstance(request_id, str) else "",
    )
    return hashlib.blake2b("\0".join(parts).encode(errors="surrogatepass"), digest_size=16).hexdigest()
