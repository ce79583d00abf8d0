"""A door behind a real socket, which the local Git host and the local registry call as senders of webhooks do."""

from __future__ import annotations

import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

from flask import Flask, request

from junbi.emulator.server import Server
from junbi.events.delivery import Delivery
from junbi.pipeline import receive

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.pipeline.conftest import World

#: What ``JUNBI_SECRET_HOOK`` holds.
SECRET = "a long random secret"

Answers = list[receive.Answer]


@contextmanager
def opened(door: receive.Door, world: World) -> Iterator[tuple[str, Answers]]:
    """Open a door: the address that senders call, and what each was answered."""
    answers: Answers = []
    app = Flask("door")

    @app.post("/")
    def take() -> tuple[dict[str, object], int]:
        delivery = Delivery(dict(request.headers.items()), request.get_data(), request.args.to_dict())
        answer, _ = receive.receive(door, world.ledger, delivery)
        answers.append(answer)
        return dict(answer.body), answer.status

    server = Server(app)
    yield f"{server.url}/", answers
    server.stop()


def until(true: Callable[[], object], patience: float = 10.0) -> None:
    """Wait for what another thread does."""
    end = time.monotonic() + patience
    while not true():
        assert time.monotonic() < end
        time.sleep(0.02)
