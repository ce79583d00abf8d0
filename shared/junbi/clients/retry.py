"""Asks a question again until it is answered or time is up. For reads only: a create is never repeated here."""

from __future__ import annotations

import random
import time
from typing import TYPE_CHECKING, TypeVar

from junbi.clients.outcome import ask_again
from junbi.errors import CallFailed

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")

#: How often a read is sent at most.
ATTEMPTS = 4


def reading(ask: Callable[[float], T], seconds: float) -> T:
    """The answer of ``ask``, which gets the seconds it may take; the last CallFailed where there is none.

    All attempts and the pauses between them end within ``seconds``. A pause that the service asked for is kept,
    with some jitter; where it does not fit any more the failure is raised at once.
    """
    import stamina  # a door that only pokes need not load it

    # Its own log lines would go to standard output, among a command's answer; the last failure says it all.
    stamina.instrumentation.set_on_retry_hooks([])
    end = time.monotonic() + seconds

    def pause(error: Exception) -> bool | float:
        if not isinstance(error, CallFailed) or not ask_again(error):
            return False
        left = end - time.monotonic()
        if error.retry_after is None:
            return left > seconds / 4  # a pause of ours takes at most a fifth
        wanted = error.retry_after * random.uniform(1.0, 1.2)  # noqa: S311 - spreads callers, guards nothing
        return wanted if wanted < left else False

    attempts = stamina.retry_context(
        on=pause, attempts=ATTEMPTS, timeout=None, wait_initial=0.1, wait_max=seconds / 5, wait_jitter=0.1
    )
    for attempt in attempts:
        with attempt:
            left = max(end - time.monotonic(), 0.0)
            # A hung connection must leave time for a better one.
            return ask(left if attempt.num == ATTEMPTS else left / 2)
    raise AssertionError  # unreachable: the last attempt returns or raises
