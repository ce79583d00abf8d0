"""What AIWorkSpace accepts as a dataset: names, kinds, and addresses that fit their kind.

Source: SDK prose for names and kinds; third-party notes of the real service for ``Uri format error``,
``not DIRECTORY`` and that CPFS wants ``cpfs://``; the codes and statuses around these messages are assumed.
"""

from __future__ import annotations

import json
import re

from junbi.emulator.api_error import invalid

_NAME = re.compile(r"[A-Za-z0-9\u4e00-\u9fff][A-Za-z0-9_\-\u4e00-\u9fff]{0,126}")
_PROPERTIES = frozenset({"FILE", "DIRECTORY", "TABULAR"})
_DATA_TYPES = frozenset({"COMMON", "PIC", "TEXT", "VIDEO", "AUDIO"})
_ACCESSIBILITIES = frozenset({"PRIVATE", "PUBLIC", "ROLE_PUBLIC"})
_SOURCE_TYPES = frozenset({"USER", "ITAG", "PAI-PUBLIC-DATASET", "PAI_PUBLIC_DATASET"})

#: The form of a Uri by DataSourceType.
_URIS = {
    "OSS": re.compile(r"oss://[a-z0-9][a-z0-9-]{1,61}[a-z0-9]\.[^/]+/.*", re.DOTALL),
    "NAS": re.compile(r"nas://[^/]+\.[^/]+/.*"),
    "EXTREMENAS": re.compile(r"nas://[^/]+\.[^/]+/.*"),
    "CPFS": re.compile(r"cpfs://[^/]+\.[^/]+/.*"),
    "BMCPFS": re.compile(r"bmcpfs://[^/]+\.[^/]+/.*"),
    "MAXCOMPUTE": re.compile(r"odps://[^/]+/tables/.+"),
    "URL": re.compile(r"https?://.+"),
}


def check_name(name: str) -> None:
    """1 to 127 characters; begins with a letter, a digit or a Chinese character."""
    if not _NAME.fullmatch(name):
        raise invalid(f"Name {name!r} is not valid: 1 to 127 letters, digits, Chinese characters, '_' or '-'.")


def check_data(data_source_type: str, property_: str, uri: str) -> None:
    """The kind of storage is known and the address fits it."""
    _check_member("Property", property_, _PROPERTIES)
    if data_source_type not in _URIS:
        raise invalid(f"DataSourceType {data_source_type!r} is not one of {', '.join(_URIS)}.")
    if not _URIS[data_source_type].fullmatch(uri):
        raise invalid(f"Uri format error: {uri!r} with DataSourceType {data_source_type}.")
    if property_ == "DIRECTORY" and not uri.endswith("/"):
        raise invalid(f"Uri {uri!r} is not DIRECTORY: it must end with '/'.")


def check_kinds(data_type: str | None, accessibility: str | None, source_type: str | None) -> None:
    """The open words of a dataset are among those documented."""
    _check_member("DataType", data_type, _DATA_TYPES)
    _check_member("Accessibility", accessibility, _ACCESSIBILITIES)
    _check_member("SourceType", source_type, _SOURCE_TYPES)


def check_json(name: str, text: str | None) -> None:
    """A member that is a JSON object written as a string."""
    if not text:
        return
    try:
        parsed = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise invalid(f"{name} is not a JSON string.") from error
    if not isinstance(parsed, dict):
        raise invalid(f"{name} is not a JSON object.")


def _check_member(name: str, value: str | None, allowed: frozenset[str]) -> None:
    if value is not None and value not in allowed:
        raise invalid(f"{name} {value!r} is not one of {', '.join(sorted(allowed))}.")
