"""Which functions an event of OSS calls, and the payload they get."""

from __future__ import annotations

import hashlib
import json
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

from junbi.emulator.fc.spec import OssTrigger

if TYPE_CHECKING:
    from collections.abc import Mapping

    from junbi.emulator.fc.spec import FunctionSpec


def matching(spec: FunctionSpec, record: Mapping[str, Any]) -> list[OssTrigger]:
    """The triggers of a function that this event record fires."""
    bucket, key = record["oss"]["bucket"]["name"], record["oss"]["object"]["key"]
    event = f"oss:{record['eventName']}"  # a trigger's configuration has the prefix, the payload has it not
    return [
        trigger
        for trigger in spec.triggers
        if isinstance(trigger, OssTrigger)
        and trigger.bucket == bucket
        and any(fnmatchcase(event, pattern) for pattern in trigger.events)
        and key.startswith(trigger.prefix)
        and key.endswith(trigger.suffix)
    ]


def payload(record: Mapping[str, Any], function: str, trigger: OssTrigger) -> bytes:
    """The native payload: one record in a list, telling which trigger's rule it was. Source: real payloads."""
    # A rule's id is opaque; this one stays the same across restarts.
    rule = hashlib.sha256(repr((function, trigger)).encode()).hexdigest()[:32]
    return json.dumps({"events": [{**record, "oss": {**record["oss"], "ruleId": rule}}]}, ensure_ascii=False).encode()
