"""EventBridge's envelopes: one event, an array of events, or an array of texts that hold one event each."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from junbi.errors import MalformedPayload
from junbi.events.document import Node, load

if TYPE_CHECKING:
    from datetime import datetime

#: Assumed: a PAI event names its DLC job, somewhere in its data, by the id that CreateJob answered with. No page tells
#: the shape of PAI's events. How to check: let a rule for the source of PAI write to a log, and run a job. If it is
#: wrong: nothing is woken early, and the jobs are looked at when the timer comes.
_JOB = re.compile(r"(?<![0-9A-Za-z])dlc(?=[a-z]{0,40}[0-9])[0-9a-z]{5,40}(?:-[0-9a-z]{1,40})?(?![0-9A-Za-z])")
_PAI = re.compile(r"acs[.:]pai", re.IGNORECASE)
_MOST_HINTS = 100  #: jobs that one event can wake


@dataclass(frozen=True, slots=True)
class Envelope:
    """An event that EventBridge passed on.

    Attributes:
        id: with the source its identity; empty where an old sender gives none.
        source: such as ``acs.oss``.
        type: such as ``oss:ObjectCreated:PutObject``.
        subject: such as ``acs:oss:<region>:<uid>:<bucket>/<key>``; empty where there is none.
        time: UTC; None where it cannot be read.
        data: what the source itself says.
    """

    id: str
    source: str
    type: str
    subject: str
    time: datetime | None
    data: Node


def is_bridged(document: Node) -> bool:
    """Whether this has the form that EventBridge gives to what it passes on."""
    if isinstance(document.value, list):
        return bool(document.value)
    return document.maybe("source").there and document.maybe("type").there and document.maybe("data").there


def envelopes(document: Node) -> tuple[list[Envelope], list[MalformedPayload]]:
    """The events of a payload, and one problem for each part that is none."""
    found: list[Envelope] = []
    malformed: list[MalformedPayload] = []
    for item in document.items() if isinstance(document.value, list) else [document]:
        try:
            found.append(_envelope(_opened(item)))
        except MalformedPayload as problem:
            malformed.append(problem)
    return found, malformed


def job_hints(document: Node) -> frozenset[str]:
    """The ids of the DLC jobs that events of PAI name: look at these now, and believe nothing else.

    Raises:
        MalformedPayload: not one part of the payload is an event of EventBridge.
    """
    found, malformed = envelopes(document)
    if malformed and not found:
        raise malformed[0]
    jobs: set[str] = set()
    for envelope in found:
        if _PAI.match(envelope.source):
            jobs |= _jobs([envelope.subject, envelope.data.value])
    return frozenset(sorted(jobs)[:_MOST_HINTS])


def _opened(item: Node) -> Node:
    """An event that came as text, as streams send it."""
    if not isinstance(item.value, str):
        return item
    try:
        return Node(load(item.value).value, item.path)
    except MalformedPayload as problem:
        raise MalformedPayload(item.path, f"an event as {problem.expected}", problem.got) from problem


def _envelope(item: Node) -> Envelope:
    data = item["data"]
    if not data.there:
        data.refuse("what the event tells")
    return Envelope(
        item["id"].text(optional=True),
        item["source"].text(),
        item["type"].text(),
        item["subject"].text(optional=True),
        item["time"].time_or_none(),
        data,
    )


def _jobs(values: list[Any]) -> set[str]:
    """Every job id in these values, however deep."""
    jobs: set[str] = set()
    while values:
        value = values.pop()
        if isinstance(value, str):
            jobs.update(_JOB.findall(value))
        elif isinstance(value, dict):
            values.extend(value.values())
        elif isinstance(value, list):
            values.extend(value)
    return jobs
