"""What a function knows about the one request it is serving."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from junbi.clients.credentials import Credentials


@dataclass(frozen=True, slots=True)
class Invocation:
    """One call of a function. It is handed on as an argument, never kept: instances serve several calls at once.

    Attributes:
        function: the function's name.
        request_id: FC's id of the request; the same in every try of one asynchronous event.
        credentials: of the function's role, for this request only; None where neither FC nor the environment has any.
        deadline: ``time.monotonic()`` seconds by which the answer must be given, or FC kills the instance.
        region: where the function runs, such as ``cn-hangzhou``.
    """

    function: str
    request_id: str
    credentials: Credentials | None
    deadline: float
    region: str
