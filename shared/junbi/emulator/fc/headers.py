"""The headers that Function Compute adds, drops and lets through, and its request ids."""

from __future__ import annotations

import secrets
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from junbi.emulator.fc.spec import FunctionSpec
    from junbi.emulator.keys import AccessKey

Headers = list[tuple[str, str]]

#: Of one connection only (RFC 9110), so neither side's pass through a gateway.
_HOP = frozenset({"connection", "keep-alive", "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade"})
#: What the gateway says itself. Source: Function Compute 3.0 documentation of HTTP triggers.
_GATEWAY_OWN = _HOP | {"content-length", "date", "server"}


def request_id() -> str:
    """A fresh id, such as ``1-67a96b43-15d49184-5cdbe1911c57``. Source: a public dump of FC 3.0 requests."""
    return f"1-{int(time.time()):08x}-{secrets.token_hex(4)}-{secrets.token_hex(6)}"


def common(
    spec: FunctionSpec, *, control_path: str, request: str, key: AccessKey, region: str, account: str, retries: int = 0
) -> Headers:
    """What every call of a function carries. Names: Function Compute 3.0 documentation; some values are assumed."""
    return [
        ("x-fc-control-path", control_path),
        ("x-fc-request-id", request),
        ("x-fc-function-name", spec.name),
        ("x-fc-function-handler", "index.handler"),
        ("x-fc-function-memory", "512"),
        ("x-fc-function-timeout", f"{spec.timeout:g}"),
        ("x-fc-region", region),
        ("x-fc-account-id", account),
        ("x-fc-qualifier", "LATEST"),
        ("x-fc-version-id", ""),
        ("x-fc-service-name", ""),
        ("x-fc-service-logproject", ""),
        ("x-fc-service-logstore", ""),
        ("x-fc-retry-count", str(retries)),
        ("x-fc-access-key-id", key.key_id),
        ("x-fc-access-key-secret", key.secret),
        ("x-fc-security-token", key.token),
    ]


def from_client(headers: Iterable[tuple[str, str]]) -> Headers:
    """What passes from an HTTP trigger's client to the function: nothing that could pass for FC's own."""
    return [
        (name, value)
        for name, value in headers
        # A server folds `_` and `-` into one variable, so `x_fc_control_path` must not pass either.
        if not name.lower().replace("_", "-").startswith("x-fc-")
        and name.lower() not in _HOP
        and name.lower() != "content-length"
    ]


def to_client(headers: Iterable[tuple[str, str]]) -> Headers:
    """What passes from a function to an HTTP trigger's client."""
    return [
        (name, value)
        for name, value in headers
        if not name.lower().startswith("x-fc-") and name.lower() not in _GATEWAY_OWN
    ]


def size(headers: Iterable[tuple[str, str]]) -> int:
    """Bytes as written on the wire, roughly as FC counts them (assumed)."""
    return sum(len(name) + len(value) + 4 for name, value in headers)
