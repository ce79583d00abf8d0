"""When a timer trigger fires next."""

from __future__ import annotations

import re
from datetime import datetime, timedelta

_DURATION = re.compile(r"(\d+(?:\.\d+)?)(h|m|s)")
_SECONDS = {"h": 3600, "m": 60, "s": 1}
#: Seconds, minutes, hours, day of the month, month, day of the week. Source: Function Compute 3.0 documentation.
_CRON_FIELDS = 6


class ScheduleInvalid(ValueError):
    """A timer's expression is none that Function Compute takes."""


def following(every: float | str, moment: datetime) -> datetime:
    """The first time after that moment (UTC); ScheduleInvalid where the expression cannot be read."""
    if isinstance(every, str) and not every.startswith("@every "):
        return _following_cron(every, moment)
    seconds = every if isinstance(every, int | float) else _seconds(every)
    if seconds <= 0:
        raise ScheduleInvalid(f"{every!r}: expected more than 0 seconds")
    return moment + timedelta(seconds=seconds)


def _seconds(text: str) -> float:
    """``@every 1h30m`` in seconds."""
    duration = text.removeprefix("@every ").strip()
    parts = _DURATION.findall(duration)
    if not parts or "".join(number + unit for number, unit in parts) != duration:
        raise ScheduleInvalid(f"{text!r}: expected a duration such as @every 90s or @every 1h30m")
    return sum(float(number) * _SECONDS[unit] for number, unit in parts)


def _following_cron(expression: str, moment: datetime) -> datetime:
    from cronsim import CronSim, CronSimError  # only a cron expression needs it

    if len(expression.split()) != _CRON_FIELDS:
        raise ScheduleInvalid(f"{expression!r}: expected 6 fields (seconds first) or @every")
    try:
        fire: datetime = next(CronSim(expression.replace("?", "*"), moment))
    except (CronSimError, StopIteration) as error:
        raise ScheduleInvalid(f"{expression!r}: no cron expression that ever fires ({error})") from error
    return fire
