"""The event records of the local OSS, spelled as the real ones that reach a function."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import structlog

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from junbi.emulator.clock import Clock
    from junbi.emulator.oss.call import Call
    from junbi.emulator.oss.model import Change, StoredObject

_DEFAULT_TYPE = "application/octet-stream"


class Notices:
    """Tells of each durable change.

    Args:
        tell: called once per record, after the change is durable and before the caller gets the answer.
        clock: dates the records, by the emulated time.
        region: where the buckets are.
        owner: the account that owns them.
    """

    def __init__(self, tell: Callable[[dict[str, Any]], None], clock: Clock, region: str, owner: str) -> None:
        self._tell, self._clock, self._region, self._owner = tell, clock, region, owner

    def created(self, call: Call, name: str, change: Change, **more: int) -> None:
        """An object was written by ``name``, such as ``PutObject``."""
        self._send(call, f"ObjectCreated:{name}", _object(change.after, change.delta), more)

    def removed(self, call: Call, name: str, gone: StoredObject | None) -> None:
        """An object was deleted by ``name``; nothing is told where there was none."""
        if gone:
            self._send(call, f"ObjectRemoved:{name}", _object(gone, -gone.size), {})

    def part(self, call: Call, event: str, *, size: int = 0, etag: str = "") -> None:
        """Something happened to an upload: no object exists yet (its size and ETag here are assumed)."""
        mime = call.headers.get("content-type", _DEFAULT_TYPE)
        described = {"deltaSize": 0, "eTag": etag, "key": call.key, "objectMeta": {"mimeType": mime}, "size": size}
        self._send(call, event, described, {})

    def _send(self, call: Call, event: str, described: dict[str, Any], more: dict[str, int]) -> None:
        record = {
            "eventName": event,
            "eventSource": "acs:oss",
            "eventTime": _moment(self._clock.now()),
            "eventVersion": "1.0",
            "oss": {
                "bucket": self._bucket(call.bucket),
                "object": described | more,
                "ossSchemaVersion": "1.0",
                "ruleId": "",  # whoever matches the record with a trigger writes that one's
            },
            "region": self._region,
            "requestParameters": {"sourceIPAddress": call.source_ip},
            "responseElements": {"requestId": call.request_id},
            "userIdentity": {"principalId": self._owner},
        }
        try:
            self._tell(record)
        except Exception:  # noqa: BLE001 - the change is durable: its caller must hear so whatever becomes of the event
            structlog.get_logger().exception("oss.event_lost", event_name=event, bucket=call.bucket, key=call.key)

    def _bucket(self, name: str) -> dict[str, str]:
        arn = f"acs:oss:{self._region}:{self._owner}:{name}"
        return {"arn": arn, "name": name, "ownerIdentity": self._owner, "virtualBucket": ""}


def _object(stored: StoredObject, delta: int) -> dict[str, Any]:
    return {
        "deltaSize": delta,
        "eTag": stored.etag,
        "key": stored.key,
        "objectMeta": {"mimeType": stored.headers.get("content-type", _DEFAULT_TYPE)},
        "size": stored.size,
    }


def _moment(when: datetime) -> str:
    return when.strftime("%Y-%m-%dT%H:%M:%S.") + f"{when.microsecond // 1000:03}Z"
