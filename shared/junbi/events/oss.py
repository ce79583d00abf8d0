"""OSS trigger payloads, in the native form ``{"events": [...]}``, become events.

Keys are taken as they come: OSS sends plain text, and decoding it would break keys that hold ``+`` or ``%`` (assumed,
from every official sample; no page says so). To check on a real account: upload ``a b+c%20d`` and read the event.
"""

from __future__ import annotations

import hashlib
import json
from datetime import UTC, datetime
from typing import Any

from junbi.core.model import Event, EventKind, ObjectRef
from junbi.errors import MalformedPayload
from junbi.events.parsed import Parsed

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
_LARGEST = 1 << 63  #: what a database's integer holds; OSS's largest object is far smaller
_SHOWN = 80  #: characters of a wrong value that an error shows


def parse(raw: bytes) -> Parsed[ObjectRef]:
    """Read a trigger payload.

    Raises:
        MalformedPayload: it is no list of records, or not one of its records is an OSS event that can be read.
    """
    events: dict[str, Event[ObjectRef]] = {}
    malformed: list[MalformedPayload] = []
    for index, record in enumerate(_records(raw)):
        try:
            event = _event(record)
        except MalformedPayload as problem:
            path = f"events[{index}].{problem.path}".removesuffix(".")
            malformed.append(MalformedPayload(path, problem.expected, problem.got))
        else:
            events.setdefault(event.id, event)
    if malformed and not events:
        raise malformed[0]
    return Parsed(tuple(events.values()), tuple(malformed))


def _records(raw: bytes) -> list[Any]:
    try:
        document = json.loads(raw)
    except (ValueError, RecursionError) as error:
        got = f"{len(raw)} bytes that are not: {error}"
        raise MalformedPayload("", "JSON in UTF-8", got) from error
    records = document.get("events") if isinstance(document, dict) else document
    if not isinstance(document, dict) or not isinstance(records, list):
        raise MalformedPayload("", 'an OSS trigger\'s payload, {"events": [...]}', _shown(document))
    return records


def _event(record: Any) -> Event[ObjectRef]:
    if not isinstance(record, dict):
        raise MalformedPayload("", "an object", _shown(record))
    if record.get("eventSource") != "acs:oss":
        raise MalformedPayload("eventSource", "'acs:oss'", f"an event of {_shown(record.get('eventSource'))}")
    oss = _object(record, "oss", "")
    bucket, stored = _object(oss, "bucket", "oss."), _object(oss, "object", "oss.")
    name = _text(record, "eventName", "")
    subject = ObjectRef(_text(bucket, "name", "oss.bucket."), _text(stored, "key", "oss.object."))
    etag = _text(stored, "eTag", "oss.object.", optional=True).strip('"')
    at = _time(record)
    return Event(
        id=_id(record, stored, subject, name, etag),
        kind=_KINDS.get(name, EventKind.NOTHING),
        name=name,
        subject=subject,
        at=at,
        size=_size(stored),
        etag=etag,
    )


def _id(record: dict[str, Any], stored: dict[str, Any], subject: ObjectRef, name: str, etag: str) -> str:
    """Equal for redeliveries, different for any two events.

    The request's id alone is not enough, for one request deletes many objects; it tells two uploads of the same
    content in the same millisecond apart. The position tells the appends to one object apart.
    """
    position, response = stored.get("position"), record.get("responseElements")
    request_id = response.get("requestId") if isinstance(response, dict) else None
    parts = (
        subject.bucket,
        subject.key,
        etag,
        name,
        str(position) if type(position) is int else "",
        record["eventTime"],
        request_id if isinstance(request_id, str) else "",
    )
    return hashlib.blake2b("\0".join(parts).encode(errors="surrogatepass"), digest_size=16).hexdigest()


def _object(holder: dict[str, Any], name: str, path: str) -> dict[str, Any]:
    value = holder.get(name)
    if not isinstance(value, dict):
        raise MalformedPayload(path + name, "an object", _shown(value))
    return value


def _text(holder: dict[str, Any], name: str, path: str, *, optional: bool = False) -> str:
    value = holder.get(name)
    if optional and value is None:
        return ""
    if not isinstance(value, str) or not (value or optional):
        raise MalformedPayload(path + name, "text" if optional else "text that is not empty", _shown(value))
    if "\0" in value or not _is_utf8(value):
        raise MalformedPayload(path + name, "text in UTF-8 without NUL", _shown(value))
    return value


def _is_utf8(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:  # half a surrogate pair, which JSON can spell and no store can keep
        return False
    return True


def _size(stored: dict[str, Any]) -> int | None:
    value = stored.get("size")
    if value is None:
        return None
    if type(value) is not int or not 0 <= value < _LARGEST:
        raise MalformedPayload("oss.object.size", "a number of bytes", _shown(value))
    return value


def _time(record: dict[str, Any]) -> datetime:
    value = record.get("eventTime")
    try:
        at = datetime.fromisoformat(value) if isinstance(value, str) else None
        if at is not None and at.tzinfo is not None:
            return at.astimezone(UTC)
    except (ValueError, OverflowError):
        pass  # no time, or none that UTC can name: refused below, like a missing one
    raise MalformedPayload("eventTime", "a time such as 2026-11-30T09:00:00.000Z", _shown(value))


def _shown(value: Any) -> str:
    """A wrong value as an error shows it: short, on one line, printable whatever it holds."""
    if value is None:
        return "nothing"
    if isinstance(value, list):
        return f"a list of {len(value)}"
    if isinstance(value, dict):
        value = ", ".join(sorted(value))
        return f"an object with {_shown(value)}" if value else "an empty object"
    text = ascii(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
