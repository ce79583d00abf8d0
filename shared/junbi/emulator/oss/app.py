"""The local OSS over HTTP, path style: ``http://<host>/<bucket>/<key>``."""

from __future__ import annotations

import contextlib
import sqlite3
from typing import TYPE_CHECKING, Any

import structlog
from flask import Flask, Response, request
from waitress.channel import ClientDisconnected

from junbi.emulator.oss.answers import refusal
from junbi.emulator.oss.authorize import Authority
from junbi.emulator.oss.call import Call, new_request_id, read_call
from junbi.emulator.oss.errors import OssError
from junbi.emulator.oss.notices import Notices
from junbi.emulator.oss.routes import operation_of
from junbi.emulator.oss.service import Service
from junbi.emulator.oss.strikes import strike
from junbi.emulator.oss.uploads import Uploads

if TYPE_CHECKING:
    from collections.abc import Callable

    from junbi.emulator.clock import Clock
    from junbi.emulator.faults import Faults
    from junbi.emulator.keys import Keys
    from junbi.emulator.oss.state import Buckets

REGION = "cn-hangzhou"
OWNER = "1000000000000001"


def create_app(
    buckets: Buckets,
    *,
    keys: Keys,
    clock: Clock,
    faults: Faults,
    on_event: Callable[[dict[str, Any]], None],
    region: str = REGION,
    owner: str = OWNER,
) -> Flask:
    """The WSGI application.

    Args:
        buckets: the states.
        keys: who may call; nobody may without a signature.
        clock: the emulated time dates objects and events, the wall judges signatures.
        faults: struck at ``oss.<Operation>``, such as ``oss.PutObject``.
        on_event: gets each change as one native event record, after it is durable. If it raises, that is logged and
            the caller still gets the answer.
        region: where the buckets are; version 4 signatures must name it.
        owner: the account's id in events and documents.
    """
    service = Service(buckets, Uploads(buckets), Notices(on_event, clock, region, owner), region, owner)
    authority = Authority(keys, clock, region)
    app = Flask("oss")
    # A connection that is to be cut has to leave Flask as an exception.
    app.config["PROPAGATE_EXCEPTIONS"] = True

    @app.before_request  # and not a route: a key may be any text, which URL rules would normalise
    def answer() -> Response:
        request_id, call = new_request_id(), None
        try:
            call = read_call(request.environ, request.stream, request_id)
            response = _carry_out(service, authority, faults, call)
        except Exception as error:  # noqa: BLE001 - every request is answered as OSS answers
            response = refusal(_refused(error), call, request_id)
        response.headers["x-oss-request-id"] = request_id
        return response

    return app


def _carry_out(service: Service, authority: Authority, faults: Faults, call: Call) -> Response:
    authority.check(call)
    name, operation = operation_of(call)
    strike(faults, name, "before")
    response = operation(service, call)
    try:
        strike(faults, name, "after")
    except BaseException:
        response.close()
        raise
    return response


def _refused(error: Exception) -> OssError:
    """What the caller is told; a cut connection passes through."""
    if isinstance(error, OssError):
        return error
    if isinstance(error, ClientDisconnected):
        raise error
    if isinstance(error, OSError | sqlite3.OperationalError):
        _tell(error=str(error))
        message = f"The local OSS could not write or read its files ({error}); nothing was changed. Is the disk full?"
        return OssError("InternalError", message)
    _tell(exc_info=error)
    return OssError("InternalError")


def _tell(**facts: Any) -> None:
    # Where the disk is full or the output closed, the line finds no room either; the caller is told all the same.
    with contextlib.suppress(OSError, ValueError):
        structlog.get_logger().error("oss.failed", **facts)
