"""Function Compute: poke a function, so that it need not wait for its timer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from junbi.wire.operations import Operation

if TYPE_CHECKING:
    from junbi.clients.api import Api

#: Source: Function Compute 3.0 API reference (2023-03-30). An asynchronous call is answered 202 with no body.
INVOKE_FUNCTION = Operation("InvokeFunction", "2023-03-30", "POST", "/2023-03-30/functions/{FunctionName}/invocations")

#: Seconds for a poke in all: it is made while a caller waits, and the timer does the same work later.
POKE_DEADLINE = 2.0


class FunctionsClient:
    """Raises the errors of ``Api.call``; whoever pokes may let them pass."""

    def __init__(self, api: Api) -> None:
        self._api = api

    def invoke_async(self, function: str, payload: bytes = b"", *, deadline: float = POKE_DEADLINE) -> None:
        """Queue one call of a function.

        Args:
            function: its name.
            payload: the event that it gets.
            deadline: seconds in all.
        """
        headers = {"content-type": "application/octet-stream", "x-fc-invocation-type": "Async"}
        path = INVOKE_FUNCTION.expand(FunctionName=function)
        self._api.send(INVOKE_FUNCTION, path, headers, payload, deadline=deadline)
