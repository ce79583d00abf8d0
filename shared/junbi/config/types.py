"""The kinds of values in junbi.yaml: names, texts, times, sizes, paths and addresses, each with its own message."""

from __future__ import annotations

import re
from typing import Annotated, Any, TypeVar
from zoneinfo import ZoneInfo

from pydantic import AfterValidator, BeforeValidator, Field, WithJsonSchema
from pydantic_core import PydanticCustomError

from junbi.core.plan import Scalar

#: Characters. Source: names of datasets in AIWorkSpace, which ours become a part of, hold 127 at most.
LONGEST_NAME = 63
#: For editors: what begins with x- is no name but a note of the writer's.
NAME_PATTERN = "^(?!x-)[a-z0-9][a-z0-9-]{0,62}$"
_UNIT_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400}
_DURATION = r"(?:\d+d)?(?:\d+h)?(?:\d+m)?(?:\d+s)?"
#: Seconds; beyond it a deadline is surely a slip of the pen.
_LONGEST_DURATION = 366 * 86400


def refuse(message: str) -> PydanticCustomError:
    """An error whose message is shown as it stands."""
    return PydanticCustomError("junbi", "{message}", {"message": message})


def _matching(pattern: str, expected: str) -> Any:
    """A text type: the whole text matches ``pattern``, else the message says what was expected."""
    compiled = re.compile(pattern)

    def check(text: str) -> str:
        if compiled.fullmatch(text) is None:
            raise refuse(f"expected {expected}, got {text!r}")
        return text

    return Annotated[str, AfterValidator(check), Field(json_schema_extra={"pattern": f"^(?:{pattern})$"})]


def _name(text: str) -> str:
    if len(text) > LONGEST_NAME or re.fullmatch(r"[a-z0-9][a-z0-9-]*", text) is None:
        raise refuse(
            f"a name holds a-z, 0-9 and hyphens, starts with no hyphen and has at most {LONGEST_NAME}: {text!r}"
        )
    return text


def without_extensions(value: Any) -> Any:
    """A mapping without its ``x-*`` keys."""
    if isinstance(value, dict):
        return {key: item for key, item in value.items() if not str(key).startswith("x-")}
    return value


def _not_empty(things: dict[str, Any]) -> dict[str, Any]:
    if not things:
        raise refuse("is empty: at least one is needed")
    return things


def _seconds(value: Any) -> float:
    if not isinstance(value, str) or not value or re.fullmatch(_DURATION, value) is None:
        raise refuse(f"expected a duration such as 10m, 6h or 1h30m, got {value!r}")
    seconds = sum(int(count) * _UNIT_SECONDS[unit] for count, unit in re.findall(r"(\d+)([dhms])", value))
    if not 0 < seconds <= _LONGEST_DURATION:
        raise refuse(f"expected a duration from 1s to 366d, got {value!r}")
    return float(seconds)


def _zone(name: str) -> str:
    try:
        ZoneInfo(name)
    except (ValueError, OSError, KeyError):
        raise refuse(f"expected a time zone such as Asia/Shanghai or UTC, got {name!r}") from None
    return name


def _scalar(value: Any) -> Any:
    if not isinstance(value, str | int | float | bool):
        raise refuse("expected a text, a number, true or false")
    return value


def _mount(path: str) -> str:
    if re.fullmatch(r"(?:/[A-Za-z0-9._-]+)+", path) is None or {".", ".."} & set(path.split("/")):
        raise refuse(f"expected an absolute path such as /mnt/data, without a slash at its end, got {path!r}")
    return path


def _expression(text: str) -> str:
    try:
        re.compile(text)
    except (re.error, RecursionError, OverflowError) as failure:
        raise refuse(f"is no regular expression: {failure}") from None
    return text


T = TypeVar("T")

Name = Annotated[str, AfterValidator(_name), WithJsonSchema({"type": "string", "pattern": NAME_PATTERN})]
#: Things by their name; ``x-*`` keys beside them are ignored.
Named = Annotated[dict[Name, T], BeforeValidator(without_extensions)]
SomeNamed = Annotated[Named[T], AfterValidator(_not_empty), Field(json_schema_extra={"minProperties": 1})]
Key = _matching(r"[A-Za-z_][A-Za-z0-9_]*", "a name of letters, digits and underscores")
#: The end of an environment variable's name: JUNBI_SECRET_<this> holds the secret.
SecretName = _matching(r"[A-Z][A-Z0-9_]{0,62}", "a name such as GIT_HOOK: JUNBI_SECRET_GIT_HOOK holds the secret")

Text = _matching(r"[\s\S]*\S[\s\S]*", "some text")
Duration = Annotated[
    float,
    BeforeValidator(_seconds),
    WithJsonSchema({"type": "string", "pattern": f"^(?=.){_DURATION}$", "examples": ["10m", "6h", "1h30m"]}),
]
Bytes = _matching(r"[1-9]\d{0,14}(?:[KMGT]i?B?)?", "a size such as 500MB or 2Gi")
TimeOfDay = _matching(r"(?:[01]\d|2[0-3]):[0-5]\d", "a time of day such as 22:00")
Zone = Annotated[str, AfterValidator(_zone), WithJsonSchema({"type": "string", "examples": ["Asia/Shanghai"]})]
Mount = Annotated[str, AfterValidator(_mount), Field(json_schema_extra={"pattern": "^(/[A-Za-z0-9._-]+)+$"})]
Expression = Annotated[str, AfterValidator(_expression)]
Value = Annotated[
    Scalar, BeforeValidator(_scalar), WithJsonSchema({"type": ["string", "number", "integer", "boolean"]})
]
Workspace = _matching(r"\d+", "the workspace's number")
Region = _matching(r"[a-z]+(?:-[a-z0-9]+)+", "a region such as cn-hangzhou")
Instance = _matching(r"[a-z]+\.[a-z0-9-]+\.[a-z0-9]+", "an instance type such as ecs.g7.large")
Address = _matching(
    r"[A-Za-z0-9.-]+(?::\d+)?(?:/[a-z0-9._-]+)+(?::[A-Za-z0-9_][A-Za-z0-9._-]*)?(?:@sha256:[0-9a-f]{64})?",
    "a registry address such as registry.cn-hangzhou.aliyuncs.com/team/image:1.0, without https://",
)
Label = _matching(r"[^=,\s](?:[^=,]{0,62}[^=,\s])?", "a label without = and ,")
#: As PAI writes amounts of memory.
Memory = _matching(r"[1-9]\d{0,6}[MGT]i", "an amount of memory such as 28Gi")
QuotaId = _matching(r"[A-Za-z0-9][A-Za-z0-9_-]*", "a quota's id such as quota1a2b3c")
DatasetId = _matching(r"d-[a-z0-9]+", "a dataset's id such as d-k1x2y3z4")
Version = _matching(r"v[1-9]\d*", "a dataset version such as v7")
Marker = _matching(r"[^/{}]+(?:/[^/{}]+)*", "an object's name below the version's folder, such as _SUCCESS")
