"""Logs as JSON lines on stdout, one line an entry: UTC time, level, request id, nothing secret, nothing endless."""

from __future__ import annotations

import json
import re
import sys
import threading
import time
from collections import OrderedDict
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import structlog
from structlog.contextvars import bound_contextvars

if TYPE_CHECKING:
    from collections.abc import MutableMapping
    from contextlib import AbstractContextManager

    from structlog.typing import FilteringBoundLogger, WrappedLogger

#: An identical error within this many seconds is counted, not written.
QUIET_SECONDS = 60.0
#: Identical entries that are told apart at once; the oldest is forgotten first.
KINDS_KEPT = 1000

_SECRET = re.compile(
    r"authorization|token|secret|password|passwd|signature|access_?key|credential|cookie", re.IGNORECASE
)
_REDACTED = "[redacted]"
_LIMITED = frozenset({"error", "critical"})
_writing = threading.Lock()


def line(text: str) -> None:
    """Write one line at once and flush it: FC freezes an instance as soon as its answer has left.

    A line that cannot be written (a full disk) costs no request: its answer tells what matters.
    """
    with _writing, suppress(OSError):
        sys.stdout.write(text + "\n")
        sys.stdout.flush()


def logger(name: str) -> FilteringBoundLogger:
    """A logger; ``name`` tells the room that speaks. Costs nothing until its first entry.

    ``log.info("job submitted", job="dlc1")``: a fixed sentence, and the figures as keywords. Values under a key that
    sounds secret are replaced. An error that repeats (the same sentence and type) is written once a minute, with
    ``repeated``, how many were left out since: one incident is not 200,000 lines.
    """
    log: FilteringBoundLogger = structlog.wrap_logger(
        _Stdout(),
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            _Repeated(Repeats()),
            structlog.processors.format_exc_info,
            structlog.processors.TimeStamper(fmt="iso", utc=True, key="time"),
            _redact,
            _render,
        ],
        wrapper_class=structlog.make_filtering_bound_logger("info"),
        cache_logger_on_first_use=True,
        room=name,
    )
    return log


def for_request(request_id: str) -> AbstractContextManager[None]:
    """Everything logged inside, by this thread, carries the request's id."""
    return bound_contextvars(request_id=request_id)


class Repeats:
    """Which of many identical entries are worth writing. Pure: the time is an argument, in seconds."""

    def __init__(self, quiet: float = QUIET_SECONDS, kept: int = KINDS_KEPT) -> None:
        self._quiet, self._kept = quiet, kept
        self._seen: OrderedDict[str, tuple[float, int]] = OrderedDict()

    def admit(self, kind: str, now: float) -> int | None:
        """How many of this kind were left out since the last one written; None where this one is left out too."""
        since, left_out = self._seen.get(kind, (float("-inf"), 0))
        if now - since < self._quiet:
            self._seen[kind] = (since, left_out + 1)
            return None
        self._seen[kind] = (now, 0)
        self._seen.move_to_end(kind)
        if len(self._seen) > self._kept:
            self._seen.popitem(last=False)
        return left_out


class _Repeated:
    """Drops the entries that `Repeats` does not admit."""

    def __init__(self, repeats: Repeats) -> None:
        self._repeats = repeats
        self._lock = threading.Lock()

    def __call__(self, _logger: WrappedLogger, level: str, entry: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
        if level not in _LIMITED:
            return entry
        kind = f"{level} {entry.get('event')} {entry.get('type') or _raised(entry.get('exc_info'))}"
        with self._lock:
            left_out = self._repeats.admit(kind, time.monotonic())
        if left_out is None:
            raise structlog.DropEvent
        if left_out:
            entry["repeated"] = left_out
        return entry


def _raised(exc_info: Any) -> str:
    error = exc_info if isinstance(exc_info, BaseException) else sys.exception() if exc_info else None
    return type(error).__name__ if error else ""


class _Stdout:
    """Where entries end: whatever ``sys.stdout`` is at that moment."""

    def msg(self, message: str) -> None:
        line(message)

    debug = info = warning = error = critical = msg


def _redact(_logger: WrappedLogger, _level: str, entry: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    for key, value in entry.items():
        entry[key] = _clean(key, value)
    return entry


def _clean(key: object, value: Any) -> Any:
    if isinstance(key, str) and _SECRET.search(key.replace("-", "_")):
        return _REDACTED
    if isinstance(value, dict):
        return {str(inner): _clean(inner, kept) for inner, kept in value.items()}
    if isinstance(value, list | tuple):
        return [_clean(None, kept) for kept in value]
    return value


def _render(_logger: WrappedLogger, _level: str, entry: MutableMapping[str, Any]) -> str:
    # All but ASCII is escaped, and with it every character that some reader takes for a line's end: text from a
    # payload can never begin a line and so never forge FC's marker lines.
    return json.dumps(entry, default=repr)
