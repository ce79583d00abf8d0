"""What can go wrong between Function Compute and a function, named as FC names it."""

from __future__ import annotations

from junbi.emulator.api_error import ApiError


class Throttled(ApiError):
    """Every instance is busy. Source: Function Compute's error codes."""

    def __init__(self, message: str) -> None:
        super().__init__("ResourceExhausted", message, 429)


class FunctionNotStarted(ApiError):
    """No instance could be brought to serve. Source: Function Compute's error types; the status is assumed."""

    def __init__(self, message: str) -> None:
        super().__init__("FunctionNotStarted", message, 502)


class ServiceStopping(ApiError):
    """The local Function Compute is being stopped; nothing is decided about the call."""

    def __init__(self) -> None:
        super().__init__("ServiceUnavailable", "the local Function Compute is stopping", 503)
