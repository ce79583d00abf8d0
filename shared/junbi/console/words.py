"""How states, times and sizes are said on the page. Pure."""

from __future__ import annotations

import unicodedata
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping


class Word(NamedTuple):
    """A state as people read it: the word, and the tone that colours it."""

    word: str
    tone: str  #: one of ``TONES``


#: What colours a state: somebody has to act, it waits by itself, it moves, it is done, it rests.
TONES = ("stop", "hold", "move", "done", "rest")


_LAUNCH = {
    "submitting": Word("Submitting", "move"),
    "submit_unknown": Word("Unclear", "hold"),
    "refused": Word("Refused", "stop"),
    "submitted": Word("Submitted", "move"),
    "queued": Word("Queued", "hold"),
    "preparing": Word("Preparing", "move"),
    "running": Word("Running", "move"),
    "succeeded": Word("Succeeded", "done"),
    "failed": Word("Failed", "stop"),
    "stopped": Word("Stopped", "rest"),
    "cancelled": Word("Cancelled", "rest"),
    "superseded": Word("Superseded", "rest"),
    "skipped": Word("Skipped", "rest"),
}
_HELD = {"Blocked": Word("Blocked", "stop"), "Pending": Word("Checking", "move"), None: Word("Checking", "move")}
_CHECK = {
    "Ready": Word("Ready", "done"),
    "Retry": Word("Not yet", "hold"),
    "Blocked": Word("Blocked", "stop"),
    "Unknown": Word("Unknown", "hold"),
    "Pending": Word("Pending", "rest"),
}
_ARRIVAL = {
    "open": Word("Arriving", "move"),
    "closing": Word("Listing", "move"),
    "incomplete": Word("Incomplete", "stop"),
    "refused": Word("Refused", "stop"),
    "ignored": Word("Ignored", "rest"),
}
_REGISTRATION = {
    "pending": Word("To register", "move"),
    "submitting": Word("Registering", "move"),
    "unknown": Word("Unclear", "hold"),
    "done": Word("Registered", "done"),
    "refused": Word("Refused", "stop"),
}
#: PAI publishes no list of a quota's statuses: any other is shown as PAI says it, and may be passing.
_QUOTA = {"Ready": Word("Ready", "done"), "gone": Word("Gone", "rest"), None: Word("Not told", "rest")}
_OUTCOME = {"": "no answer noted", "done": "done", "not_done": "not carried out", "unknown": "unclear", "refused": "no"}


def of_launch(view: Mapping[str, Any]) -> Word:
    """A launch's state; a waiting one is named by what holds it."""
    if view["state"] == "waiting":
        return _HELD.get(view["held_by"], Word("Waiting", "hold"))
    return _LAUNCH.get(view["state"], Word(view["state"], "rest"))


def of_check(state: str) -> Word:
    """A check's state."""
    return _CHECK.get(state, Word(state, "rest"))


def of_arrival(state: str) -> Word:
    """An upload's state."""
    return _ARRIVAL.get(state, Word(state, "rest"))


def of_registration(state: str) -> Word:
    """A dataset version's state."""
    return _REGISTRATION.get(state, Word(state, "rest"))


def of_line(reason: Mapping[str, Any] | None, head: str | None) -> Word:
    """Where watched code or a watched image stands: why there is none, and the commit or digest that was read."""
    if reason:
        return Word("Unreadable", "stop")
    return Word("Watched", "done") if head else Word("To read", "move")


def of_delivery(view: Mapping[str, Any]) -> Word:
    """What a delivery came to."""
    return Word("Noted", "done") if view["outcome"].get("noted") else Word("Ignored", "rest")


def of_quota(status: str | None) -> Word:
    """A quota's status."""
    return _QUOTA.get(status, Word(status or "", "hold"))


def of_amounts(resource: str, amounts: Mapping[str, Any]) -> str:
    """How much of a resource is used, of how much, and what is free; what PAI did not tell is marked, not guessed."""
    told = f"{amounts['used'] or '?'} of {amounts['allocatable'] or '?'} used"
    if amounts["free"] is None:
        return told
    free = amounts["free"]
    return f"{told}, {size(int(float(free))) if resource == 'Memory' and float(free) >= 0 else free} free"


def of_outcome(outcome: str) -> str:
    """What became of a try."""
    return _OUTCOME.get(outcome, outcome)


def moment(text: str) -> str:
    """A time of the ledger as people read it, in UTC."""
    return f"{datetime.fromisoformat(text).astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"


def relative(text: str, now: datetime) -> str:
    """How far a time lies back or ahead: ``12 s ago``, ``in 3 min``, ``now``."""
    seconds = (now - datetime.fromisoformat(text)).total_seconds()
    span = _span(abs(seconds))
    if span is None:
        return "now"
    return f"{span} ago" if seconds > 0 else f"in {span}"


def _span(seconds: float) -> str | None:
    for unit, length, least in (("days", 86400, 2), ("h", 3600, 2), ("min", 60, 2), ("s", 1, 1)):
        if seconds >= least * length:
            return f"{int(seconds // length)} {unit}"
    return None


def size(number: int) -> str:
    """Bytes as people read them: ``1.4 MiB``."""
    value = float(number)
    for unit in ("B", "KiB", "MiB", "GiB", "TiB"):
        if value < 1024:  # noqa: PLR2004 - the step between the units
            return f"{value:.0f} {unit}" if unit == "B" or value >= 100 else f"{value:.1f} {unit}"  # noqa: PLR2004
        value /= 1024
    return f"{value:,.1f} PiB"


def visible(value: object) -> object:
    """Text in which nothing hides: control characters and those that turn the reading direction are spelled out."""
    if type(value) is not str or (value.isascii() and value.isprintable()):
        return value
    return "".join(f"\\u{ord(char):04x}" if _hides(char) else char for char in value)


#: Marks that override or embed a direction, by which a name can pretend to be another.
_TURNS = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def _hides(char: str) -> bool:
    return char in _TURNS or (unicodedata.category(char) in {"Cc", "Cs"} and char not in "\n\t")
