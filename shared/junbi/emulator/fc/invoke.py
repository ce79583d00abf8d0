"""One call of a function, from the choice of an instance to the verdict that FC passes on its answer."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from junbi.emulator.api_error import ApiError
from junbi.emulator.fc.connections import Reply
from junbi.emulator.fc.errors import ServiceStopping
from junbi.emulator.fc.instance import InstanceLost

if TYPE_CHECKING:
    from junbi.emulator.faults import Faults, When
    from junbi.emulator.fc.fleet import Fleet
    from junbi.emulator.fc.headers import Headers

INVOKE, HTTP_INVOKE = "/invoke", "/http-invoke"
#: The name of the error where the function told of it itself, and where it could not. Source: Function Compute
#: documentation; that a time-out is an unhandled one is assumed.
HANDLED, UNHANDLED = "HandledInvocationError", "UnhandledInvocationError"


@dataclass(frozen=True, slots=True)
class Call:
    """A request to a function: method, target (path and query as they were sent), headers without FC's own, body."""

    control_path: str
    request_id: str
    method: str = "POST"
    target: str = INVOKE
    headers: tuple[tuple[str, str], ...] = (("Content-Type", "application/octet-stream"),)
    body: bytes = b""
    retries: int = 0


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a call ended: the function's reply, and the type of the function error, empty for a success."""

    reply: Reply
    error_type: str = ""

    @property
    def message(self) -> str:
        """What went wrong, for a person."""
        return self.reply.body.decode(errors="replace")


def invoke(fleet: Fleet, call: Call, faults: Faults) -> Outcome:
    """Call the function and wait for it.

    Raises:
        Throttled, FunctionNotStarted: it was not called.
        ApiError: an ordered fault struck: before the call, or after it, when the function has done its work.
    """
    _strike(faults, fleet.spec.name, "before")
    with fleet.instance() as instance:
        headers: Headers = instance.headers(call.control_path, call.request_id, call.retries)
        headers += call.headers
        try:
            reply = instance.call(call.method, call.target, headers, call.body, fleet.spec.timeout)
        except InstanceLost as error:
            if fleet.retired:
                raise ServiceStopping from error
            outcome = _lost(str(error), call.request_id)
        else:
            # Without x-fc-status FC takes any answer for a success. Source: documentation of custom runtimes.
            outcome = Outcome(reply, "" if reply.header("x-fc-status") in {"", "200"} else HANDLED)
    _strike(faults, fleet.spec.name, "after")
    return outcome


def _lost(message: str, request_id: str) -> Outcome:
    body = json.dumps({"errorMessage": message, "errorType": UNHANDLED, "requestId": request_id}).encode()
    return Outcome(Reply(502, [("Content-Type", "application/json")], body), UNHANDLED)


def _strike(faults: Faults, function: str, when: When) -> None:
    fault = faults.take(f"fc.invoke.{function}", when) or faults.take("fc.invoke", when)
    if fault:
        time.sleep(fault.seconds)
        raise ApiError(fault.code, fault.message, fault.status)
