"""The HTTP side of a door for webhooks: any path, POST alone, the bytes as they were sent."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flask import Flask, Response, g, jsonify, request

from junbi import log
from junbi.errors import LedgerError
from junbi.events.delivery import Delivery
from junbi.runtime import contract

if TYPE_CHECKING:
    from collections.abc import Callable

    from junbi.pipeline.invocation import Invocation
    from junbi.pipeline.receive import Answer

    Receive = Callable[[Delivery, Invocation], Answer]

_log = log.logger("webhook")


def webhook(receive: Receive) -> Callable[[Flask], None]:
    """The routes of a door that ``receive`` stands behind."""

    def take(_path: str = "") -> Response:
        delivery = Delivery(dict(request.headers.items()), request.get_data(cache=False), request.args.to_dict())
        try:
            answer = receive(delivery, g.invocation)
        except LedgerError as error:
            # Nothing was noted, and the sender must know: most of them send it again.
            _log.error("a delivery could not be noted", type=type(error).__name__, exc_info=error)
            return contract.failure(RuntimeError("it could not be noted; send it again"), g.invocation.request_id, 503)
        response = jsonify(dict(answer.body))
        response.status_code = answer.status
        return response

    def routes(app: Flask) -> None:
        app.add_url_rule("/", "take", take, methods=["POST"])
        app.add_url_rule("/<path:_path>", "take", take, methods=["POST"])

    return routes
